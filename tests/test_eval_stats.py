"""The statistics against examples that others worked out, and against worlds whose truth is known."""

import math

import numpy as np
import pytest

pytest.importorskip("statsmodels", reason="the extra `eval` is not installed")

from brain.eval import stats
from brain.eval.stats import Pair, paired

# Charles Darwin's fifteen pairs of maize plants, crossed minus selfed, in eighths of an inch, as R. A. Fisher has them
# (The Design of Experiments, 1935, sections 17 and 21).
MAIZE = (49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48)


def maize() -> list[Pair]:
    return [Pair(f"pot {n:02}", "height", 0.0, float(difference)) for n, difference in enumerate(MAIZE)]


def world(rng: np.random.Generator, difference: float, clusters: int = 44, questions: int = 640) -> list[Pair]:
    """Right or wrong answers of people of whom some are harder than others, and gain more or less."""
    sizes = np.full(clusters, questions // clusters) + (np.arange(clusters) < questions % clusters)
    pairs = []
    for cluster, size in enumerate(sizes):
        off = min(0.95, max(0.05, rng.normal(0.5, 0.12)))
        on = min(1.0, max(0.0, off + difference + rng.normal(0, 0.06)))
        hard = rng.random(size)
        # The same question is hard in both arms: most answers agree.
        noise = np.where(rng.random(size) < 0.7, hard, rng.random(size))
        pairs += [Pair(f"{cluster:03}", "all", float(a < off), float(b < on)) for a, b in zip(hard, noise, strict=True)]
    return pairs


def test_fishers_sign_flips_of_darwins_maize() -> None:
    """863 of the 32,768 ways to give signs reach the sum of 314, and as many the other way."""
    found = paired(maize())
    assert found is not None
    assert found.p == pytest.approx(2 * 863 / 2**15, abs=1e-9)


def test_students_interval_of_darwins_maize() -> None:
    """Mean 20.933, standard error 9.746, t 2.145 at 14 degrees of freedom."""
    found = paired(maize())
    assert found is not None and found.low is not None and found.high is not None
    assert found.how == "t"
    assert found.difference == pytest.approx(20.933, abs=1e-3)
    assert (found.low, found.high) == (
        pytest.approx(20.933 - 2.1448 * 9.746, abs=0.01),
        pytest.approx(20.933 + 2.1448 * 9.746, abs=0.01),
    )


def test_mcnemars_test_of_agrestis_survey() -> None:
    """Approval of a prime minister, asked twice: 150 went one way and 86 the other, z = -4.17 (Agresti)."""
    pairs = [Pair("a", "x", 1.0, 0.0)] * 150 + [Pair("a", "x", 0.0, 1.0)] * 86 + [Pair("a", "x", 1.0, 1.0)] * 794
    found = paired(pairs)
    assert found is not None
    assert (found.only_off, found.only_on) == (150, 86)
    assert 2 * 0.5 * math.erfc(4.17 / math.sqrt(2)) < found.p_mcnemar < 5e-5


def test_one_cluster_bears_no_interval() -> None:
    found = paired([Pair("a", "x", 0.0, 1.0)] * 50)
    assert found is not None
    assert (found.difference, found.low, found.high, found.p, found.detectable) == (1.0, None, None, None, None)
    assert found.how == "none"


def test_no_pairs_say_nothing() -> None:
    assert paired([]) is None


def test_arms_that_never_differ_tie_exactly() -> None:
    found = paired([Pair(str(n % 30), "x", 0.5, 0.5) for n in range(300)])
    assert found is not None
    assert (found.difference, found.low, found.high, found.p, found.p_mcnemar) == (0.0, 0.0, 0.0, 1.0, 1.0)


def test_questions_of_one_person_are_no_crowd() -> None:
    """A hundred copies of each question make the interval no narrower."""
    rng = np.random.default_rng(3)
    pairs = world(rng, 0.05)
    once, often = paired(pairs), paired(pairs * 20)
    assert once is not None and often is not None
    assert (often.low, often.high) == (pytest.approx(once.low), pytest.approx(once.high))


def test_order_does_not_matter_and_the_seed_is_kept() -> None:
    pairs = world(np.random.default_rng(4), 0.05)
    assert paired(pairs) == paired(pairs[::-1])


def test_many_categories_are_paid_for() -> None:
    """Holm: the smallest p of five is multiplied by five, and no p falls below an earlier one."""
    rng = np.random.default_rng(5)
    pairs = [
        Pair(pair.cluster, name, pair.off, pair.on)
        for name, difference in (("a", 0.2), ("b", 0.0), ("c", 0.0), ("d", 0.1), ("e", 0.0))
        for pair in world(rng, difference)
    ]
    found = stats.by_category(pairs)
    p = sorted((result.p, result.p_adjusted) for result in found.values() if result.p is not None)
    assert [a for _, a in p] == sorted(a for _, a in p if a is not None)
    assert p[0][1] == pytest.approx(min(1.0, 5 * p[0][0]))


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_without_a_difference_the_interval_misses_zero_in_one_of_twenty() -> None:
    missed = 0
    for seed in range(1000):
        found = paired(world(np.random.default_rng(seed), 0.0), seed)
        assert found is not None and found.low is not None and found.high is not None
        missed += not found.low <= 0 <= found.high
    assert 35 <= missed <= 70, missed


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_six_points_are_found_as_often_as_is_stated() -> None:
    found_it, stated = 0, []
    for seed in range(400):
        pairs = world(np.random.default_rng(seed), 0.06)
        found = paired(pairs, seed)
        assert found is not None and found.low is not None and found.detectable is not None
        found_it += found.low > 0
        stated.append(stats.power(0.06, stats.standard_error(pairs), found.clusters))
    assert abs(found_it / 400 - float(np.mean(stated))) < 0.06, (found_it / 400, float(np.mean(stated)))
