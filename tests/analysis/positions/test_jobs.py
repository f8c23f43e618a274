from headscope.analysis.positions.jobs import CAP, COMPARED, FURTHER, TABLE, Budget, Job, job_list


def test_every_beginning_of_the_list_is_of_use():
    jobs = job_list(2, ["rotary", "none"])
    assert [job.name for job in jobs] == [
        "sinusoidal-cap8-seed1",
        "learned-cap8-seed1",
        "sinusoidal-full-seed1",
        "learned-full-seed1",
        "sinusoidal-cap8-seed2",
        "learned-cap8-seed2",
        "sinusoidal-full-seed2",
        "learned-full-seed2",
        "rotary-cap8-seed1",
        "none-cap8-seed1",
    ]
    assert {*COMPARED, *FURTHER} == {"sinusoidal", "learned", "rotary", "alibi", "shaw", "t5", "none"}


def test_recipes_differ_in_what_is_compared_alone():
    budget = Budget()
    capped, control, twin, again = (
        Job(positions, cap, seed).recipe(budget, threads=1).model_dump()
        for positions, cap, seed in (
            ("learned", CAP, 1),
            ("learned", None, 1),
            ("sinusoidal", CAP, 1),
            ("learned", CAP, 2),
        )
    )

    def differ(other: dict) -> set[str]:
        return {key for key in capped if capped[key] != other[key]}

    assert (capped["max_pieces"], control["max_pieces"]) == (CAP, 128)
    assert differ(control) == {"max_pieces"}
    assert differ(again) == {"seed"}
    assert differ(twin) == {"model"}
    assert capped["model"] == twin["model"] | {"positions": "learned"}
    assert capped["model"]["position_table"] == TABLE
    assert (capped["steps"], capped["batch_tokens"], capped["schedule"]["warmup"]) == (3500, 2048, 1000)
