"""The core against the reference on random pairs, and the check of the checker."""

import os
import shlex

import numpy as np
import pytest

from brade_fast import _core, cli, notation, positions, reference, verify
from brade_fast.positions import synthetic
from brade_fast.rules import (
    BRADE,
    REVERTIER,
    VERQUERE,
    Enumeration,
    InvalidPositionError,
    Outcome,
)

LEAST = 50


def agrees_and_has_met_everything(report, pairs):
    assert report.ok, report.text()
    assert report.pairs == pairs
    rare = {name: n for name, n in report.features.items() if n < LEAST}
    assert not rare, f"too seldom to trust the check: {rare}\n{report.text()}"


def test_core_and_reference_agree_on_20000_pairs():
    agrees_and_has_met_everything(verify.run(20_000, seed=2024, jobs=2), 20_000)


@pytest.mark.long
def test_core_and_reference_agree_on_a_million_pairs():
    report = verify.run(1_000_000, seed=7, jobs=os.cpu_count() or 1, progress=True)
    agrees_and_has_met_everything(report, 1_000_000)


@pytest.mark.parametrize("rules", [BRADE, VERQUERE, REVERTIER], ids=lambda r: r.name)
def test_one_game_alone_can_be_checked(rules):
    report = verify.run(1_000, seed=3, rules=rules)
    assert report.ok, report.text()
    assert (report.features["junker"] > 0) == (rules is VERQUERE)
    assert (report.features["forced"] > 0) == (rules is BRADE)


def test_the_report_does_not_depend_on_jobs():
    one = verify.run(900, seed=11, jobs=1)
    assert one.pairs == 900
    assert verify.run(900, seed=11, jobs=2) == one
    assert verify.run(900, seed=12, jobs=1) != one


def test_a_report_can_be_read_by_people_and_by_programs():
    report = verify.run(50, seed=1)
    assert report.as_dict().keys() == {"ok", "pairs", "seed", "features", "difference"}
    assert report.as_dict()["features"].keys() == verify.FEATURES.keys()
    assert all(name in report.text() for name in verify.FEATURES)
    assert verify.run(0, seed=1).pairs == 0


@pytest.mark.parametrize("wrong", [{"pairs": -1}, {"seed": -1}, {"jobs": 0}])
def test_nonsense_is_refused(wrong):
    with pytest.raises(ValueError, match="at least"):
        verify.run(**({"pairs": 10, "seed": 1} | wrong))


# One rule of the reference broken at a time: the check must notice each.
BROKEN = {
    "higher_die": lambda pool: pool,
    "smallest_reduction": lambda pool: pool,
    "most_dice": lambda pool: pool,
    "is_last_man": lambda mover: False,
    "is_john": lambda loser: loser[0] > 5,
    "long_block": lambda other: set(),
    "junker": lambda board, rules=BRADE: False,
    "available_points": lambda board: set(range(1, 7)),
    "barred_by_own_man": lambda mover, source, target, rules: bool(
        mover[target] and (source == 0 or target in range(2, 12))
    ),
}


@pytest.mark.parametrize("rule", BROKEN)
def test_a_broken_rule_is_found_and_can_be_typed(rule, monkeypatch):
    monkeypatch.setattr(reference, rule, BROKEN[rule])
    report = verify.run(20_000, seed=5)
    assert not report.ok
    assert report.pairs < 20_000
    said = dict(
        line.split(maxsplit=1) for line in report.text().splitlines() if line.startswith("  ")
    )
    position = notation.parse_position(said["position"])
    assert position.id == said["id"]
    rules = notation.parse_rules(said["rules"])
    dice = notation.parse_dice(said["throw"])
    assert cli.main(shlex.split(said["command"])[1:]) == 0
    monkeypatch.undo()
    # With the rule mended, both agree there.
    plays = {
        (play.position.array().tobytes(), play.outcome) for play in position.plays(*dice, rules)
    }
    right = reference.legal_plays(reference.board_of(position), dice, rules)
    assert plays == {(bytes(s.board[0] + s.board[1]), s.outcome) for s in right}


def drop(plays):
    """The last play of all is missing."""
    offsets = plays.offsets.copy()
    offsets[-1] -= 1
    return plays._replace(offsets=offsets)


def repeat(plays):
    """The last play of all comes twice."""
    offsets = plays.offsets.copy()
    offsets[-1] += 1
    parts = (np.concatenate((part, part[-1:])) for part in plays[1:])
    return Enumeration(offsets, *parts)


def other_outcomes(plays):
    outcomes = plays.outcomes.copy()
    outcomes[outcomes == Outcome.JOHN] = Outcome.FORCED_JOHN
    return plays._replace(outcomes=outcomes)


def no_marks(plays):
    steps = plays.steps.copy()
    steps[..., 3] = np.minimum(steps[..., 3], 0)
    return plays._replace(steps=steps)


def other_order(plays):
    """Legal alone, but a man on the bar enters first."""
    return plays._replace(steps=plays.steps[:, ::-1].copy())


@pytest.mark.parametrize("generic", [False, True], ids=["fast paths", "generic path"])
@pytest.mark.parametrize("fault", [drop, repeat, other_outcomes, no_marks, other_order])
def test_a_broken_core_is_found(fault, generic, monkeypatch):
    right = _core.enumerate_plays

    def wrong(boards, dice, rules=BRADE, *, generic=False, **options):
        plays = right(boards, dice, rules, generic=generic, **options)
        return fault(plays) if generic == broken and plays.steps is not None else plays

    broken = generic
    monkeypatch.setattr(_core, "enumerate_plays", wrong)
    report = verify.run(2_000, seed=6)
    assert not report.ok
    said = next(line for line in report.text().splitlines() if line.startswith("DIFFERENCE"))
    assert ("the core's generic path" in said) == generic


def test_wrong_counts_of_the_core_are_found(monkeypatch):
    right = _core.count_plays
    monkeypatch.setattr(_core, "count_plays", lambda *a, **k: right(*a, **k) + 1)
    report = verify.run(200, seed=6)
    assert report.pairs == 1
    assert "counts" in report.text()


def test_a_core_that_refuses_a_good_position_is_found(monkeypatch):
    def refuse(boards, dice, rules=BRADE, **options):
        raise InvalidPositionError("row 0: no")

    def play(rng, rules, count, **options):
        return np.stack([synthetic("any", rng, rules) for _ in range(count)])

    monkeypatch.setattr(_core, "enumerate_plays", refuse)
    assert "self-play" in verify.run(200, seed=6).text()
    monkeypatch.setattr(positions, "self_play", play)
    assert "the core refuses it: row 0: no" in verify.run(200, seed=6).text()


@pytest.mark.parametrize(
    ("steps", "fault"),
    [
        (((0, 2, 2, 1), (1, 7, 6, 0)), None),
        (((0, 2, 2, 0), (1, 7, 6, 0)), "hit is 0 where 1"),
        (((1, 7, 6, 0), (0, 2, 2, 1)), "must enter first"),
        (((0, 2, 2, 1), (1, 3, 2, 0)), "die 2 is not there"),
        (((0, 3, 2, 0),), "does not lead from 0 to 3"),
        (((0, 2, 2, 1), (5, 11, 6, 0)), "no man on 5"),
        (((0, 2, 2, 1),), "another board"),
    ],
)
def test_the_replayer_notices_every_kind_of_wrong_step(steps, fault):
    board = ((1, 14, *[0] * 24), (0, 14, *[0] * 12, 1, *[0] * 11))
    result = bytes((1, 14, *[0] * 24)) + bytes((0, 13, 1, 0, 0, 0, 0, 1, *[0] * 18))
    found = verify.replay_fault(board, (6, 2), steps, result)
    assert found is None if fault is None else fault in found
