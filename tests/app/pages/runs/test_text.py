"""Texts to train on, as the page offers them."""

import io
import zipfile

import pytest

from headscope.model.data import uploads
from tests.app.page_tools import settle

TSV = "".join(f"word{number} more\twort{number} mehr\n" for number in range(60)).encode()


def said(page) -> list[str]:
    return [element.value for element in page.container(key="runs-told").text]


def texts(page) -> list[str]:
    return [element.value for element in page.text]


def hand_in(page, *files: tuple[str, bytes], name: str = "mine"):
    page.segmented_control(key="run-source").set_value("Your own")
    settle(page)
    uploader = page.file_uploader(key="run-files")
    for file, content in files:
        uploader.upload(file, content)
    page.text_input(key="run-text-name").set_value(name)
    settle(page)
    page.button(key="run-take").click()
    return settle(page)


def zipped() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr("a.tsv", TSV)
    return buffer.getvalue()


def test_what_is_in_a_text_is_shown_before_anything_starts(visit):
    page = visit()
    page.selectbox(key="run-text").set_value("copying")
    settle(page)
    assert "copying, source to target. Pairs: dev 8, train 120." in texts(page)
    assert any(text.startswith("Dev: 8 lines only") for text in texts(page))


def test_an_own_text_becomes_a_prepared_one(visit, places):
    page = hand_in(visit(), ("a.tsv", TSV))
    assert said(page) == ["mine is prepared."]
    assert page.selectbox(key="run-text").value == "mine"
    assert "mine, source to target. Pairs: dev 8, train 52." in texts(page)
    assert not page.button(key="run-start").disabled


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ([("a.tsv", TSV + b"\xff\tx\n")], "A.tsv, line 61: invalid UTF-8"),
        ([("a.en", b"a\n" * 50), ("a.de", b"b\n" * 49)], "A.de, line 50: no partner"),
        ([("a.zip", zipped())], "A.zip is an archive"),
    ],
)
def test_what_is_wrong_with_an_upload_is_one_line(visit, places, files, message):
    (line,) = said(hand_in(visit(), *files))
    assert line.startswith(message)
    assert sorted(path.name for path in (places / "data").iterdir()) == ["copying"]


def test_an_upload_that_is_too_large(visit, monkeypatch):
    whole = uploads.take_in
    monkeypatch.setattr(uploads, "take_in", lambda *given, **options: whole(*given, **options, most_bytes=100))
    assert "are more than the 0.0" in said(hand_in(visit(), ("a.tsv", TSV)))[0]


@pytest.mark.parametrize("name", ["../x", "a/b", ""])
def test_texts_are_put_nowhere_else(visit, places, name):
    page = hand_in(visit(), ("a.tsv", TSV), name=name)
    assert "cannot name a text" in said(page)[0]
    assert not (places / "x").exists()


def test_a_folder_in_the_data_folder_and_no_other(visit, places):
    page = visit()
    page.segmented_control(key="run-source").set_value("Folder")
    settle(page)
    assert page.button(key="run-start").disabled
    for place, message in (("../runs", "is not in the folder data"), ("nowhere", "There is no data folder …/data/")):
        page.text_input(key="run-folder").set_value(place)
        settle(page)
        assert any(message in text for text in texts(page)), place
        assert page.button(key="run-start").disabled
    page.text_input(key="run-folder").set_value("copying")
    settle(page)
    assert not page.button(key="run-start").disabled


def test_costs_are_measured_where_that_is_wanted(visit):
    page = visit()
    page.selectbox(key="run-text").set_value("copying")
    page.number_input(key="run-batch_tokens-tiny").set_value(512)
    settle(page)
    line = next(text for text in texts(page) if text.endswith("parameters"))
    page.button(key="run-measure").click()
    settle(page)
    measured = next(text for text in texts(page) if text.startswith(line))
    assert "floating-point operations an update" in measured
    assert "for 20,000 updates" in measured
