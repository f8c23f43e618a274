"""`headscope profile`: what every head of a checkpoint does over a corpus."""

from headscope.app.commands.console import progress_bar, say, write_rows
from headscope.app.commands.corpus import Data, Parts, Sentences, load_both
from headscope.app.commands.options import Checkpoint, Device, SkipBadLines


def profile(
    checkpoint: Checkpoint,
    data: Data,
    part: Parts = None,
    sentences: Sentences = None,
    device: Device = "auto",
    skip_bad_lines: SkipBadLines = False,
) -> None:
    """Measure every head of a checkpoint over a corpus, and keep that in its folder as profile.json.

    Pages then show a sentence beside the corpus, and the roles of heads. The part `dev` is measured if no other is
    named; a thousand sentences and more mean something.
    """
    from headscope.analysis.gallery.wording import name
    from headscope.analysis.measures.profile import ENOUGH, PROFILE, head_profile, save_profile
    from headscope.analysis.measures.roles import roles

    translator, texts = load_both(
        checkpoint, [data], device, parts=part or ["dev"], most=sentences, skip_bad_lines=skip_bad_lines
    )
    with progress_bar("sentences") as progress:
        found = head_profile(translator, texts.pairs, progress=progress)
    save_profile(found, translator.card.path)
    if found.left_out:
        say(f"{found.left_out:,} pairs left out: too long for this model")
    if found.sentences < ENOUGH:
        say(f"{found.sentences:,} sentences are few: roles mean something from {ENOUGH:,} on")
    played = roles(found)
    write_rows({name(head): ", ".join(role.name for role in played[head]) or "–" for head in found.heads})
    say(f"{found.sentences:,} sentences: {translator.card.path / PROFILE}")
