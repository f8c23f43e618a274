"""A study of searches as a corpus might give it."""

from headscope.analysis.search.study import Found, GreedyAndBeam, Measured, Modes, Point, SearchStudy, Worked

SOURCE = "How much does a ticket cost?"


def _point(beam: int, alpha: float, bleu: float) -> Point:
    score = Measured(value=bleu, interval=0.5, signature="")
    return Point(beam=beam, alpha=alpha, bleu=score, chrf=score, length_ratio=1.1, log_prob=-5.0, empty=0, cut_off=0)


def _found(beam: int, alpha: float = 0.0) -> Found:
    return Found(beam=beam, alpha=alpha, text="<b>", log_prob=-1.0, score=-1.0, pieces=3, chrf=50.0)


def _worked(a: Found, b: Found) -> Worked:
    return Worked(lesson="greedy", source=SOURCE, reference="r", a=a, b=b)


def toy_study(weights: str) -> SearchStudy:
    """A study of a few beams and two length penalties, with two worked examples.

    Args:
        weights: digest of the model's.
    """
    return SearchStudy(
        weights=weights,
        data="toys",
        licence="none",
        attribution="nobody",
        sentences=5,
        points=(_point(4, 0.6, 30), _point(1, 0.0, 20), _point(4, 0.0, 25)),
        greedy=GreedyAndBeam(beam=4, both=1, beam_alone=2, greedy_alone=0, neither=2, less_probable=3),
        modes=Modes(budget=100, sentences=5, proven=4, empty=1, beam_found=2),
        examples=(_worked(_found(1), _found(4, 0.6)), _worked(_found(4), _found(64))),
    )
