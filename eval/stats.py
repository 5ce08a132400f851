"""Paired differences between two arms, with what may be said of them.

Questions of one world stand or fall together, so worlds (clusters) are what is resampled, never single questions. The
formulas are those of scipy and statsmodels; what was measured of them by simulation is in docs/eval.md.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

    class _Fit(Protocol):
        bse: Numbers

        def conf_int(self, alpha: float) -> Numbers: ...


CONFIDENCE = 0.95
POWER = 0.8
RESAMPLES = 9999
FLIPS = 2**16
"""Up to sixteen clusters every way of giving them signs is tried, above that so many."""
MANY = 20
"""Clusters from which the bootstrap keeps its promise; with seven its 95% interval missed in 15 of 100 simulations."""


@dataclass(frozen=True, slots=True)
class Pair:
    """One sample under both arms, by one score from 0 to 1."""

    cluster: str
    category: str
    off: float
    on: float


@dataclass(frozen=True, slots=True)
class Paired:
    """`on` minus `off`."""

    pairs: int
    clusters: int
    off: float
    on: float
    difference: float
    low: float | None
    high: float | None
    """Interval of 95%; None: fewer than two clusters, nothing can be said of any other."""
    how: str
    """`bootstrap` (BCa over clusters) or, with fewer than `MANY` clusters, `t` (cluster-robust)."""
    p: float | None
    """Sign-flip over clusters, two-sided."""
    p_adjusted: float | None
    """The same after Holm, over the categories that were looked at together."""
    only_off: int
    only_on: int
    """Samples that one arm has wholly right and the other has not."""
    p_mcnemar: float
    """McNemar's exact test of those two; it takes questions as independent, so it is the weaker witness."""
    detectable: float | None
    """The smallest true difference that a set of this size and spread finds four times in five."""


def paired(pairs: Sequence[Pair], seed: int = 0) -> Paired | None:
    """What the pairs say together; None where there are none."""
    if not pairs:
        return None
    sums, counts = _clusters(pairs)
    off = math.fsum(pair.off for pair in pairs) / len(pairs)
    on = math.fsum(pair.on for pair in pairs) / len(pairs)
    error = standard_error(pairs) if len(sums) > 1 else None
    low, high, how = _interval(pairs, sums, counts, seed) if len(sums) > 1 else (None, None, "none")
    only_off = sum(pair.off >= 1 > pair.on for pair in pairs)
    only_on = sum(pair.on >= 1 > pair.off for pair in pairs)
    p = _sign_flip(sums, seed) if len(sums) > 1 else None
    return Paired(
        pairs=len(pairs),
        clusters=len(sums),
        off=off,
        on=on,
        difference=on - off,
        low=low,
        high=high,
        how=how,
        p=p,
        p_adjusted=p,
        only_off=only_off,
        only_on=only_on,
        p_mcnemar=_mcnemar(only_off, only_on),
        detectable=None if error is None else detectable(error, len(sums)),
    )


def by_category(pairs: Sequence[Pair], seed: int = 0) -> dict[str, Paired]:
    """Each category by itself, in the order of their names; p adjusted for there being several (Holm)."""
    from statsmodels.stats.multitest import multipletests

    found: dict[str, Paired] = {}
    for category in sorted({pair.category for pair in pairs}):
        result = paired([pair for pair in pairs if pair.category == category], seed)
        if result is not None:
            found[category] = result
    tested = [(category, result.p) for category, result in found.items() if result.p is not None]
    if tested:
        adjusted = multipletests([p for _, p in tested], method="holm")[1]
        for (category, _), p in zip(tested, adjusted, strict=True):
            found[category] = replace(found[category], p_adjusted=float(p))
    return found


def detectable(error: float, clusters: int) -> float:
    """The true difference that is found with `POWER` where a difference has this standard error."""
    from statsmodels.stats.power import TTestPower

    if error == 0:
        return 0.0
    size = TTestPower().solve_power(nobs=clusters, alpha=1 - CONFIDENCE, power=POWER)
    return float(size) * error * math.sqrt(clusters)


def power(difference: float, error: float, clusters: int) -> float:
    """How often a true difference of this size is found."""
    from statsmodels.stats.power import TTestPower

    if error == 0:
        return 1.0 if difference else 0.0
    return float(TTestPower().power(difference / (error * math.sqrt(clusters)), clusters, 1 - CONFIDENCE))


def _clusters(pairs: Sequence[Pair]) -> tuple[Numbers, Numbers]:
    """Of each cluster, in the order of names: the sum of its differences, and how many."""
    import numpy as np

    found: dict[str, list[float]] = {}
    for pair in pairs:
        found.setdefault(pair.cluster, []).append(pair.on - pair.off)
    rows = [found[name] for name in sorted(found)]
    return np.array([math.fsum(row) for row in rows]), np.array([float(len(row)) for row in rows])


def _interval(pairs: Sequence[Pair], sums: Numbers, counts: Numbers, seed: int) -> tuple[float, float, str]:
    import numpy as np

    if np.ptp(sums / counts) == 0:
        # Every cluster says the same: there is nothing to resample.
        same = float(sums[0] / counts[0])
        return same, same, "bootstrap"
    if len(sums) < MANY:
        low, high = _fit(pairs).conf_int(1 - CONFIDENCE)[0]
        return float(low), float(high), "t"
    return (*_bootstrap(sums, counts, seed), "bootstrap")


def _bootstrap(sums: Numbers, counts: Numbers, seed: int) -> tuple[float, float]:
    import numpy as np
    from scipy import stats

    found = stats.bootstrap(
        (sums, counts),
        lambda s, n, axis: s.sum(axis=axis) / n.sum(axis=axis),
        paired=True,
        vectorized=True,
        n_resamples=RESAMPLES,
        confidence_level=CONFIDENCE,
        method="BCa",
        rng=np.random.default_rng(seed),
    ).confidence_interval
    return float(found.low), float(found.high)


def _fit(pairs: Sequence[Pair]) -> _Fit:
    """The mean difference with errors that know of the clusters."""
    import numpy as np
    import statsmodels.api as sm

    differences = np.array([pair.on - pair.off for pair in pairs])
    names = sorted({pair.cluster for pair in pairs})
    groups = np.array([names.index(pair.cluster) for pair in pairs])
    with warnings.catch_warnings():
        # Where all differences are equal the fit has nothing to explain, and says so by dividing by zero.
        warnings.simplefilter("ignore")
        model = sm.OLS(differences, np.ones(len(pairs)))
        fitted: _Fit = model.fit(cov_type="cluster", cov_kwds={"groups": groups}, use_t=True)
    return fitted


def standard_error(pairs: Sequence[Pair]) -> float:
    """Of the mean difference, robust to questions of one cluster going together."""
    error = float(_fit(pairs).bse[0])
    return error if math.isfinite(error) else 0.0


def _sign_flip(sums: Numbers, seed: int) -> float:
    """How often chance alone, giving each cluster's difference either sign, comes as far from zero."""
    import numpy as np
    from scipy import stats

    if not sums.any():
        return 1.0
    return float(
        stats.permutation_test(
            (sums, np.zeros_like(sums)),
            lambda a, b, axis: (a - b).sum(axis=axis),
            permutation_type="samples",
            vectorized=True,
            n_resamples=FLIPS,
            batch=4096,
            rng=np.random.default_rng(seed),
        ).pvalue
    )


def _mcnemar(only_off: int, only_on: int) -> float:
    from statsmodels.stats.contingency_tables import mcnemar

    return float(mcnemar([[0, only_off], [only_on, 0]], exact=True).pvalue) if only_off + only_on else 1.0


def as_json(result: Paired) -> Mapping[str, object]:
    """Stable keys, numbers rounded to what they can bear."""
    return {key: round(value, 6) if isinstance(value, float) else value for key, value in _fields(result).items()}


def _fields(result: Paired) -> dict[str, object]:
    return {name: getattr(result, name) for name in Paired.__slots__}
