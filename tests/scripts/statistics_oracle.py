"""The figures that `tests/library/statistics.rs` and `core/src/statistics/corrections.rs` hold carat's statistics against.

    pip install numpy scipy statsmodels
    python3 tests/scripts/statistics_oracle.py

Nothing here is carat's: intervals are scipy's bootstrap over sites, tests scipy's permutation test, standard
errors statsmodels' least squares with clustered covariance, corrections statsmodels' multipletests.
"""

import numpy as np
import scipy
import statsmodels
import statsmodels.api as sm
from scipy import stats
from scipy.stats._resampling import BootstrapResult
from statsmodels.stats.multitest import multipletests

ONE = 10**12


class Numbers:
    """A linear congruential generator that is written the same in any language."""

    def __init__(self, state):
        self.state = state

    def below(self, bound):
        self.state = (self.state * 1103515245 + 12345) % 2**31
        return (self.state >> 16) % bound


def pages(count, sites, seed):
    """Sites, and for two rows each page's matched, extracted, gold."""
    numbers = Numbers(seed)
    found = []
    for page in range(count):
        site = page if page < sites else numbers.below(sites)
        gold = 20 + numbers.below(80)
        rows = []
        for row in range(2):
            extracted = numbers.below(110)
            most = min(gold, extracted)
            # The second row is better on two sites of three.
            least = most // 2 if row == 1 and site % 3 else 0
            rows.append((least + numbers.below(most - least + 1), extracted, gold))
        found.append((site, rows))
    return found


def ratio(part, whole):
    return (2 * part * ONE + whole) // (2 * whole) if whole else 0


def score(counts):
    matched, extracted, gold = counts
    return np.array([ratio(matched, extracted), ratio(matched, gold), ratio(2 * matched, extracted + gold)]) / ONE


def by_site(made, value):
    sums = {}
    for site, rows in made:
        sums[site] = sums.get(site, 0) + np.asarray(value(rows), dtype=float)
    return np.array([sums[site] for site in sorted(sums)])


def interval(columns, statistic, method, draws=100_000):
    def vectorised(*columns, axis=-1):
        return statistic(*[column.sum(axis=axis) for column in columns])

    result = stats.bootstrap(tuple(columns.T), vectorised, paired=True, vectorized=True, n_resamples=draws,
                             batch=2000, method=method, rng=np.random.default_rng(7))
    return [round(float(x), 5) for x in (*result.confidence_interval, result.standard_error)]


def harmonic(p, r):
    return 2 * p * r / (p + r)


def show(name, value):
    print(f"{name}: {value}")


print(f"numpy {np.__version__}, scipy {scipy.__version__}, statsmodels {statsmodels.__version__}")

made = pages(90, 30, 1)
f1 = [np.array([score(rows[row])[2] for _, rows in made]) for row in range(2)]
sites = np.array([site for site, _ in made])
show("means", [round(float(x.mean()), 12) for x in f1])

# Figures of the second row: macro F1, site macro F1, micro F1, the CEVC paper's F1, the benchmark's F1 and accuracy.
for method in ("percentile", "BCa"):
    macro = by_site(made, lambda rows: (score(rows[1])[2], 1))
    show(f"macro f1 {method}", interval(macro, lambda s, n: s / n, method))
    means = by_site(made, lambda rows: (*score(rows[1]), 1))
    means = means[:, :3] / means[:, 3:]
    site = np.column_stack([means[:, 2], np.ones(len(means))])
    show(f"site_macro f1 {method}", interval(site, lambda s, n: s / n, method))
    paper = np.column_stack([[harmonic(p, r) for p, r, _ in means], np.ones(len(means))])
    show(f"paper_cevc f1 {method}", interval(paper, lambda s, n: s / n, method))
    micro = by_site(made, lambda rows: rows[1])
    show(f"micro f1 {method}", interval(micro, lambda m, e, g: 2 * m / (e + g), method))
    bench = by_site(made, lambda rows: (score(rows[1])[0], rows[1][1] > 0, score(rows[1])[1], rows[1][2] > 0))
    show(f"benchmark f1 {method}", interval(bench, lambda p, n, r, k: harmonic(p / n, r / k), method))
    pair = by_site(made, lambda rows: (score(rows[1])[2] - score(rows[0])[2], 1))
    show(f"difference {method}", interval(pair, lambda s, n: s / n, method))

difference = f1[1] - f1[0]
show("difference mean, median", [round(float(difference.mean()), 12), round(float(np.median(difference)), 12)])
ordinary = sm.OLS(difference, np.ones(len(difference)))
clustered = ordinary.fit(cov_type="cluster", cov_kwds={"groups": sites, "use_correction": False}, use_t=False)
plain = ordinary.fit(cov_type="HC0", use_t=False)
show("standard errors by site, by page", [float(clustered.bse[0]), float(plain.bse[0])])
show("detectable", float(clustered.bse[0] * (stats.norm.ppf(0.975) + stats.norm.ppf(0.8))))
show("wins, ties, losses", [int((difference > 0).sum()), int((difference == 0).sum()), int((difference < 0).sum())])


def flip(values, draws):
    def statistic(x, axis=-1):
        # In whole units, so that no flip misses what was seen by a rounding.
        return np.round(x * ONE).sum(axis=axis)

    result = stats.permutation_test((values,), statistic, permutation_type="samples", vectorized=True, n_resamples=draws,
                                    batch=10_000, alternative="two-sided", rng=np.random.default_rng(7))
    return float(result.pvalue)


show("p by site, drawn", flip(pair[:, 0], 1_000_000))
show("p by page, drawn", flip(difference, 1_000_000))
few = pages(24, 12, 8)
few_sites = by_site(few, lambda rows: score(rows[1])[2] - score(rows[0])[2])
show("p of 12 sites, all flips", flip(few_sites, np.inf))
four = pages(9, 4, 3)
four_sites = by_site(four, lambda rows: score(rows[1])[2] - score(rows[0])[2])
show("p of 4 sites, all flips", flip(four_sites, np.inf))

# scipy's own percentile and BCa of a distribution that is given to it.
data = np.array([0.0, 0.1, 0.1, 0.2, 0.3, 0.9, 2.5])
given = np.array([(k % 101) ** 2 / 2500.0 for k in range(999)])
known = BootstrapResult(confidence_interval=None, bootstrap_distribution=given, standard_error=None)
for method in ("percentile", "BCa"):
    result = stats.bootstrap((data,), np.mean, n_resamples=0, bootstrap_result=known, method=method)
    show(f"given distribution {method}", [float(x) for x in result.confidence_interval])

p_values = [0.010, 0.040, 0.030, 0.005, 0.550, 0.010, 0.0001, 0.910]
for method in ("holm", "fdr_bh"):
    show(method, [round(float(p), 12) for p in multipletests(p_values, method=method)[1]])

# The greatest standardised distance over a sweep of eight rows: row k has F1 of the first row, but of the second
# on pages whose number divided by 7 leaves less than k.
made = pages(300, 100, 1)
f1 = [np.array([score(rows[row])[2] for _, rows in made]) for row in range(2)]
sites = np.array([site for site, _ in made])
number = np.arange(len(made))
curve = np.array([np.where(number % 7 < k, f1[1], f1[0]) for k in range(8)])
sums = np.array([[row[sites == site].sum() for site in range(100)] for row in curve])
counts = np.array([(sites == site).sum() for site in range(100)])
weights = np.random.default_rng(3).multinomial(100, np.ones(100) / 100, size=200_000)
drawn = weights @ sums.T / (weights @ counts)[:, None]
centre = curve.mean(axis=1)
width = np.quantile((np.abs(drawn - centre) / drawn.std(axis=0, ddof=1)).max(axis=1), 0.95)
behind = centre.max() - centre
drawn_behind = drawn[:, [centre.argmax()]] - drawn
error = drawn_behind.std(axis=0, ddof=1)
with np.errstate(invalid="ignore"):
    far = np.nanmax(np.abs(drawn_behind - behind) / error, axis=1)
show("band width, best, first interval", [round(float(x), 4) for x in (
    width, centre.argmax(), centre[0] - width * drawn[:, 0].std(ddof=1), centre[0] + width * drawn[:, 0].std(ddof=1))])
show("flat", [bool(b) for b in behind <= np.quantile(far, 0.95) * error])
show("behind the best in standard errors", [round(float(x), 3) for x in behind / np.where(error > 0, error, 1)])
