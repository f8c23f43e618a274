"""What the buttons do to a run."""

from headscope.model.training.run_directory import RunDirectory
from tests.app.page_tools import press, settle
from tests.app.training import status, write_run
from tests.model.training.runs import StopAt


def said(page) -> list[str]:
    return [element.value for element in page.container(key="runs-told").text]


def keys(page) -> set[str]:
    return {button.key for button in page.button}


def test_what_runs_can_be_stopped_and_not_deleted(places, visit):
    directory = RunDirectory(places / "runs" / "mine")
    with directory.held():
        directory.set_status("running", step=3, steps=9)
        page = visit()
        assert "run-stop" in keys(page)
        assert not keys(page) & {"run-resume", "run-delete"}
        press(page, "run-stop")
        assert directory.stop_requested
        assert said(page) == ["mine saves its state and stops."]


def test_what_stopped_goes_on(places, visit, launched):
    write_run(places / "runs", "mine", "stopped")
    page = press(visit(), "run-resume")
    assert said(page) == ["mine goes on."]
    assert len(launched) == 1
    assert status(places / "runs" / "mine")["state"] == "waiting"
    assert "run-stop" in keys(page)


def test_what_finished_goes_on_to_more_updates(places, visit, launched):
    write_run(places / "runs", "mine", "finished", steps=30)
    page = visit()
    assert page.number_input(key="run-steps-more-mine").min == 31
    page.number_input(key="run-steps-more-mine").set_value(50)
    press(settle(page), "run-resume")
    assert status(places / "runs" / "mine")["steps"] == 50


def test_a_run_of_a_command_cannot_go_on_here(places, visit, launched):
    (write_run(places / "runs", "mine", "stopped").path / "request.json").unlink()
    page = press(visit(), "run-resume")
    assert "was not started on this page" in said(page)[0]
    assert not launched


def test_deleting_is_confirmed(places, visit):
    write_run(places / "runs", "mine", "stopped")
    write_run(places / "runs", "other", "stopped")
    page = visit(**{"run.shown": "mine"})
    assert page.button(key="run-delete").disabled
    page.checkbox(key="run-sure-mine").check()
    press(settle(page), "run-delete")
    assert said(page) == ["mine is deleted."]
    assert not (places / "runs" / "mine").exists()
    assert (places / "runs" / "other").is_dir()


def test_a_mean_of_weights_becomes_a_checkpoint_of_the_server(places, visit):
    from headscope.model.data.prepared import load_prepared
    from headscope.model.training.recipe import parse_recipe
    from headscope.model.training.trainer import train
    from tests.training_toys import toy_fields

    data = load_prepared(places / "data" / "copying")
    train(parse_recipe(toy_fields()), data, places / "runs" / "mine", device="cpu", progress=StopAt(5, 6))
    page = visit()
    page.multiselect(key="run-average-mine").set_value([2, 4])
    page.text_input(key="run-promote-name-mine").set_value("learned")
    press(settle(page), "run-promote")
    assert said(page) == ["learned is a checkpoint of this server now, and in use on all pages."]
    assert page.session_state["view"].checkpoint == "learned"
    assert (places / "shelf" / "learned" / "model.safetensors").exists()
    page.text_input(key="run-promote-name-mine").set_value("../x")
    press(settle(page), "run-promote")
    assert "cannot name a checkpoint" in said(page)[0]
