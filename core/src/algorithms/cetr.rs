//! CETR: content extraction by tag ratios, with a threshold, and with clusters in one and in two dimensions.
//!
//! The tag ratio of a line is its number of characters per tag. It is smoothed over the lines around it, and is high
//! where the content is. This is made from memory of the paper and from three programs that follow it. Where those
//! differ, there is a parameter.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::algorithm::{Choice, PageAlgorithm};
use super::declaration::{Declaration, Example, FaithfulTo, Swept, no_resources};
use super::features::levels::Levels;
use super::features::lines::{Line, LineEnd, Lines};
use super::features::series::{deviation, gaussian, mean};
use super::features::visible::VisibleText;
use super::parameters::check_whole;
use super::value::{Value, billionths};
use crate::page::Page;

/// Content by a threshold on tag ratios.
pub(super) struct CetrThreshold;

/// Content by clusters of tag ratios.
pub(super) struct CetrClusters;

/// Content by clusters of tag ratios and how much they change: the paper's final method.
pub(super) struct CetrPlane;

/// Parameters of `cetr-tm`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(super) struct ThresholdParameters {
    /// how many standard deviations of the smoothed tag ratios a content line's ratio is at least
    #[schemars(extend("from" = "0", "to" = "10"))]
    pub lambda: Value,
    /// The series of tag ratios.
    #[serde(flatten)]
    pub series: SeriesParameters,
}

/// Parameters of `cetr-km`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(super) struct ClusterParameters {
    /// number of clusters, whole
    #[schemars(extend("from" = "2", "to" = "20"))]
    pub k: Value,
    /// The series of tag ratios.
    #[serde(flatten)]
    pub series: SeriesParameters,
}

/// Parameters of `cetr-2d`; the first value of each is the default.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(super) struct PlaneParameters {
    /// The clusters and the series.
    #[serde(flatten)]
    pub clusters: ClusterParameters,
    /// number of lines whose mean is compared with a line's own ratio, whole
    #[schemars(extend("from" = "1", "to" = "1000"))]
    pub alpha: Value,
    /// whether those lines begin with the line itself or with the next one
    pub window: Window,
    /// whether the change is made positive after it is smoothed or before
    pub absolute: Absolute,
    /// whether the change is that of the smoothed ratios or of the raw ones
    pub change_of: ChangeOf,
}

/// How lines become a series of smoothed tag ratios.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(super) struct SeriesParameters {
    /// what ends a line; the paper reads the lines of the source
    pub lines: LineEnd,
    /// characters after which a line ends under `reflow` and `wrap`, whole
    #[schemars(extend("from" = "1", "to" = "100000"))]
    pub width: Value,
    /// standard deviation of the smoothing kernel: the series' own, a fixed one, or no smoothing
    pub sigma: Sigma,
    /// the fixed one, in lines
    #[schemars(extend("from" = "0", "to" = "1000"))]
    pub fixed_sigma: Value,
    /// standard deviations after which the kernel is cut
    #[schemars(extend("from" = "0", "to" = "10"))]
    pub radius: Value,
}

impl Default for ThresholdParameters {
    fn default() -> Self {
        ThresholdParameters { lambda: Value::ONE, series: SeriesParameters::default() }
    }
}

impl Default for ClusterParameters {
    fn default() -> Self {
        ClusterParameters { k: Value::decimal(3, 0), series: SeriesParameters::default() }
    }
}

impl Default for PlaneParameters {
    fn default() -> Self {
        PlaneParameters {
            clusters: ClusterParameters::default(),
            alpha: Value::decimal(3, 0),
            window: Window::Own,
            absolute: Absolute::After,
            change_of: ChangeOf::Smoothed,
        }
    }
}

impl Default for SeriesParameters {
    fn default() -> Self {
        SeriesParameters {
            lines: LineEnd::Source,
            width: Value::decimal(65, 0),
            sigma: Sigma::Sd,
            fixed_sigma: Value::ONE,
            radius: Value::ONE,
        }
    }
}

/// Standard deviation of the smoothing kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Sigma {
    /// The standard deviation of what is smoothed.
    Sd,
    /// A fixed one.
    Fixed,
    /// No smoothing.
    None,
}

/// Which lines' mean is held against a line's own ratio.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Window {
    /// Those from the line itself.
    #[serde(rename = "self")]
    Own,
    /// Those after it; the last line does not change.
    Next,
}

/// When the change is made positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Absolute {
    After,
    Before,
}

/// What the change is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum ChangeOf {
    Smoothed,
    Raw,
}

const PAGE_A: &str = "<!DOCTYPE html><html><head><title>T</title></head><body>\n<div><a href=a>ab</a><a href=b>cd</a>\
    </div>\n<p>abcdefghijklmnopqrst</p>\n<p>abcdefghij</p>\n<div><a href=c>ef</a></div>\n</body></html>\n";

/// Page A without its line feeds.
const PAGE_A_IN_ONE_LINE: &str = "<!DOCTYPE html><html><head><title>T</title></head><body><div><a href=a>ab</a>\
    <a href=b>cd</a></div><p>abcdefghijklmnopqrst</p><p>abcdefghij</p><div><a href=c>ef</a></div></body></html>";

const ALL_OF_A: &str = "abcd\nabcdefghijklmnopqrst\nabcdefghij\nef";
const PARAGRAPHS_OF_A: &str = "abcdefghijklmnopqrst\nabcdefghij";
const FIRST_LINES_OF_A: &str = "abcd\nabcdefghijklmnopqrst\nabcdefghij";

const ONE_LINE: Example =
    Example::new("A in one line: all text, as on every such page", PAGE_A_IN_ONE_LINE, "", ALL_OF_A);

const SOURCE: &str =
    "T. Weninger, W. H. Hsu, J. Han, CETR: content extraction via tag ratios, WWW 2010, recalled and from programs";

const COST: &str = "O(lines x standard deviation of their tag ratios) for smoothing, else O(text)";

impl PageAlgorithm for CetrThreshold {
    type Parameters = ThresholdParameters;
    type Prepared<'p> = Levels;
    const DECLARATION: Declaration = Declaration {
        name: "cetr-tm",
        title: "gives the lines whose smoothed number of characters per tag is at least a standard deviation",
        source: SOURCE,
        faithful_to: FaithfulTo::Reconstruction,
        languages: "any",
        cost: COST,
        swept: &[Swept::exact("lambda", "0..3/0.25")],
        // Page A: lines (characters, tags) (0,1) (4,6) (20,2) (10,2) (2,4) (0,1), so ratios 0, 2/3, 10, 5, 1/2, 0 with
        // standard deviation 3.699871, and a kernel over four lines to each side: smoothed 1.8252 2.0785 2.2043 2.1772
        // 2.0027 1.7158 with standard deviation 0.178260.
        examples: &[
            Example::new("A: smoothed over all lines, all are content", PAGE_A, "", ALL_OF_A),
            Example::new("A: unsmoothed, 10 and 5 are above 3.70", PAGE_A, "sigma=none", PARAGRAPHS_OF_A),
            Example::new("A: only 10 is above 7.40", PAGE_A, "sigma=none,lambda=2", "abcdefghijklmnopqrst"),
            Example::new("A: smoothed with the next lines", PAGE_A, "sigma=fixed,fixed_sigma=1.0", FIRST_LINES_OF_A),
            ONE_LINE,
        ],
        floor: false,
        resources: no_resources,
    };

    fn swept<'p>(parameters: &'p mut ThresholdParameters, name: &str) -> Option<&'p mut Value> {
        (name == "lambda").then_some(&mut parameters.lambda)
    }

    fn check(parameters: &ThresholdParameters) -> Result<(), String> {
        parameters.series.check()
    }

    fn prepare(&self, page: &Page, parameters: &ThresholdParameters) -> Levels {
        let series = Series::new(page, &parameters.series);
        let smoothed = smooth(&series.ratios, &parameters.series);
        let bound = billionths(deviation(&smoothed));
        let of_line = smoothed.iter().map(|&ratio| match (billionths(ratio), bound) {
            (0, _) => None,
            (_, 0) => Some(Value::INFINITY),
            (ratio, bound) => Some(Value::ratio(ratio, bound)),
        });
        Levels::new(series.text, series.lines.majority(&of_line.collect::<Vec<_>>()))
    }

    fn choose(&self, levels: &Levels, parameters: &ThresholdParameters) -> Choice {
        levels.at(parameters.lambda).collect()
    }

    fn break_points(&self, levels: &Levels, _: &ThresholdParameters, _: &str) -> Vec<Value> {
        levels.break_points()
    }
}

impl PageAlgorithm for CetrClusters {
    type Parameters = ClusterParameters;
    type Prepared<'p> = Points;
    const DECLARATION: Declaration = Declaration {
        name: "cetr-km",
        title: "clusters lines by their smoothed number of characters per tag, and gives all but the lowest cluster",
        source: SOURCE,
        faithful_to: FaithfulTo::Reconstruction,
        languages: "any",
        cost: COST,
        swept: &[Swept::on_grid("k", "2..6/1")],
        // Page A, see cetr-tm. Unsmoothed: clusters of 0, 2/3, 1/2, 0, of 5 and of 10; centroids 0.2917, 5, 10. Smoothed:
        // all between 1.7158 and 2.2043, so nearest to the greatest, one cluster.
        examples: &[
            Example::new("A: smoothed over all lines, they are one cluster", PAGE_A, "", ALL_OF_A),
            Example::new("A: unsmoothed, the paragraphs are a cluster each", PAGE_A, "sigma=none", PARAGRAPHS_OF_A),
            ONE_LINE,
        ],
        floor: false,
        resources: no_resources,
    };

    fn check(parameters: &ClusterParameters) -> Result<(), String> {
        parameters.check()
    }

    fn prepare(&self, page: &Page, parameters: &ClusterParameters) -> Points {
        let series = Series::new(page, &parameters.series);
        let points = smooth(&series.ratios, &parameters.series).into_iter().map(|ratio| [ratio, 0.0]).collect();
        Points { series, points }
    }

    fn choose(&self, points: &Points, parameters: &ClusterParameters) -> Choice {
        let clusters = Clusters::new(&points.points, parameters.k.whole() as usize, 0);
        let lowest = clusters.lowest();
        points.choose(|line| lowest.is_none_or(|lowest| clusters.assigned[line] != lowest))
    }
}

impl PageAlgorithm for CetrPlane {
    type Parameters = PlaneParameters;
    type Prepared<'p> = Points;
    const DECLARATION: Declaration = Declaration {
        name: "cetr-2d",
        title: "clusters lines by their smoothed number of characters per tag and its change, and gives what is not near 0",
        source: SOURCE,
        faithful_to: FaithfulTo::Reconstruction,
        languages: "any",
        cost: COST,
        swept: &[Swept::on_grid("k", "2..6/1")],
        // Page A, see cetr-tm. Unsmoothed: changes 3.5556 4.5556 -4.8333 -3.1667 -0.25 0; the lines' clusters are 1 1 2 1
        // 0 0, with centroids (0,0), (1.8889,3.7593) and (10,4.8333).
        examples: &[
            Example::new("A: smoothed over all lines, none is near 0", PAGE_A, "", ALL_OF_A),
            Example::new("A: unsmoothed, the last link is", PAGE_A, "sigma=none", FIRST_LINES_OF_A),
            ONE_LINE,
        ],
        floor: false,
        resources: no_resources,
    };

    fn check(parameters: &PlaneParameters) -> Result<(), String> {
        parameters.clusters.check()?;
        check_whole("alpha", parameters.alpha)
    }

    fn prepare(&self, page: &Page, parameters: &PlaneParameters) -> Points {
        let smoothing = &parameters.clusters.series;
        let series = Series::new(page, smoothing);
        let smoothed = smooth(&series.ratios, smoothing);
        let changes = match parameters.change_of {
            ChangeOf::Smoothed => changes(&smoothed, parameters),
            ChangeOf::Raw => changes(&series.ratios, parameters),
        };
        let changes: Vec<f64> = match parameters.absolute {
            Absolute::After => smooth(&changes, smoothing).into_iter().map(f64::abs).collect(),
            Absolute::Before => smooth(&changes.into_iter().map(f64::abs).collect::<Vec<_>>(), smoothing),
        };
        let points = smoothed.into_iter().zip(changes).map(|(ratio, change)| [ratio, change]).collect();
        Points { series, points }
    }

    fn choose(&self, points: &Points, parameters: &PlaneParameters) -> Choice {
        let clusters = Clusters::new(&points.points, parameters.clusters.k.whole() as usize, 1);
        points.choose(|line| clusters.assigned[line] != 0)
    }
}

impl SeriesParameters {
    fn check(&self) -> Result<(), String> {
        check_whole("width", self.width)
    }
}

impl ClusterParameters {
    fn check(&self) -> Result<(), String> {
        check_whole("k", self.k)?;
        self.series.check()
    }
}

/// A page in lines with the tag ratio of each.
struct Series {
    text: Arc<VisibleText>,
    lines: Lines,
    ratios: Vec<f64>,
}

impl Series {
    fn new(page: &Page, parameters: &SeriesParameters) -> Self {
        let text = page.view::<VisibleText>();
        let lines = Lines::new(&page.tree, &text, parameters.lines, parameters.width.whole());
        let ratio = |line: &Line| f64::from(line.chars) / f64::from(line.tags.max(1));
        let ratios = lines.lines.iter().map(ratio).collect();
        Series { text, lines, ratios }
    }
}

/// A page with a point for each line: what does not depend on the number of clusters.
pub(super) struct Points {
    series: Series,
    points: Vec<[f64; 2]>,
}

impl Points {
    fn choose(&self, is_content: impl Fn(usize) -> bool) -> Choice {
        let of_line: Vec<bool> = (0..self.points.len()).map(is_content).collect();
        let of_node = self.series.lines.majority(&of_line);
        self.series.text.chosen(of_node).collect()
    }
}

/// The series under a Gaussian kernel, with zeros outside.
fn smooth(series: &[f64], parameters: &SeriesParameters) -> Vec<f64> {
    let sigma = match parameters.sigma {
        Sigma::Sd => deviation(series),
        Sigma::Fixed => parameters.fixed_sigma.to_f64(),
        Sigma::None => 0.0,
    };
    let radius = ((parameters.radius.to_f64() * sigma).ceil() as usize).min(series.len());
    if radius == 0 {
        return series.to_vec();
    }
    let mut kernel = gaussian(radius, sigma);
    let sum: f64 = kernel.iter().sum();
    kernel.iter_mut().for_each(|weight| *weight /= sum);
    let mut smoothed = vec![0.0; series.len()];
    // Each line's sum grows from left to right, as if it were added up by itself; zeros add nothing.
    for (line, &ratio) in series.iter().enumerate().filter(|&(_, &ratio)| ratio != 0.0) {
        let from = line.saturating_sub(radius);
        let reached = &mut smoothed[from..(line + radius + 1).min(series.len())];
        for (sum, weight) in reached.iter_mut().zip(&kernel[from + radius - line..]) {
            *sum += weight * ratio;
        }
    }
    smoothed
}

/// How much higher the lines of the window are on average than each line.
fn changes(series: &[f64], parameters: &PlaneParameters) -> Vec<f64> {
    let ahead = usize::from(parameters.window == Window::Next);
    let mean_ahead = |line: usize| {
        let from = (line + ahead).min(series.len());
        let window = &series[from..(from + parameters.alpha.whole() as usize).min(series.len())];
        if window.is_empty() { series[line] } else { mean(window) }
    };
    (0..series.len()).map(|line| mean_ahead(line) - series[line]).collect()
}

/// The most steps of k-means.
const MOST_STEPS: usize = 100;

/// Clusters that k-means finds from fixed first centroids.
struct Clusters {
    centroids: Vec<[f64; 2]>,
    /// Each point's cluster.
    assigned: Vec<usize>,
}

impl Clusters {
    /// `k` clusters, whose centroids begin evenly from 0 to the greatest of each coordinate; the first `fixed`
    /// of them stay there.
    fn new(points: &[[f64; 2]], k: usize, fixed: usize) -> Self {
        let greatest = [0, 1].map(|axis| points.iter().map(|point| point[axis]).fold(0.0, f64::max));
        let first = |cluster: usize| greatest.map(|greatest| greatest * (cluster as f64 / (k - 1) as f64));
        let mut clusters = Clusters { centroids: (0..k).map(first).collect(), assigned: Vec::new() };
        for _ in 0..MOST_STEPS {
            let assigned: Vec<usize> = points.iter().map(|&point| clusters.nearest(point)).collect();
            if assigned == clusters.assigned {
                break;
            }
            clusters.assigned = assigned;
            clusters.move_centroids(points, fixed);
        }
        clusters
    }

    /// The first of the clusters whose centroid is nearest.
    fn nearest(&self, point: [f64; 2]) -> usize {
        let square = |one: f64, other: f64| (one - other) * (one - other);
        let distance = |centroid: &[f64; 2]| square(point[0], centroid[0]) + square(point[1], centroid[1]);
        let (mut nearest, mut least) = (0, f64::INFINITY);
        for (cluster, distance) in self.centroids.iter().map(distance).enumerate() {
            if distance < least {
                (nearest, least) = (cluster, distance);
            }
        }
        nearest
    }

    /// Moves each centroid that is not fixed to the mean of its points, if it has any.
    fn move_centroids(&mut self, points: &[[f64; 2]], fixed: usize) {
        let mut sums = vec![([0.0, 0.0], 0usize); self.centroids.len()];
        for (point, &cluster) in points.iter().zip(&self.assigned) {
            let (sum, size) = &mut sums[cluster];
            *sum = [sum[0] + point[0], sum[1] + point[1]];
            *size += 1;
        }
        for (centroid, (sum, size)) in
            self.centroids.iter_mut().zip(sums).skip(fixed).filter(|(_, (_, size))| *size > 0)
        {
            *centroid = sum.map(|sum| sum / size as f64);
        }
    }

    /// The cluster whose centroid is lowest among those with points, if there are several.
    fn lowest(&self) -> Option<usize> {
        let mut used: Vec<usize> = self.assigned.clone();
        used.sort_unstable();
        used.dedup();
        let lowest =
            used.iter().copied().min_by(|&one, &other| self.centroids[one][0].total_cmp(&self.centroids[other][0]));
        lowest.filter(|_| used.len() > 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Context;

    fn page(html: &str) -> Page {
        Page::new(html.as_bytes(), Context::default()).unwrap()
    }

    fn rounded(series: &[f64]) -> Vec<f64> {
        series.iter().map(|value| (value * 1e4).round() / 1e4).collect()
    }

    #[test]
    fn smoothed_ratios_of_page_a_are_as_worked_by_hand() {
        let parameters = SeriesParameters::default();
        let ratios = Series::new(&page(PAGE_A), &parameters).ratios;
        assert_eq!((deviation(&ratios) * 1e6).round(), 3_699_871.0);
        let smoothed = smooth(&ratios, &parameters);
        assert_eq!(rounded(&smoothed), [1.8252, 2.0785, 2.2043, 2.1772, 2.0027, 1.7158]);
        assert_eq!((deviation(&smoothed) * 1e6).round(), 178_260.0);
    }

    #[test]
    fn clusters_of_page_a_are_as_worked_by_hand() {
        let series = SeriesParameters { sigma: Sigma::None, ..SeriesParameters::default() };
        let clusters = ClusterParameters { series, ..ClusterParameters::default() };
        let line = Clusters::new(&CetrClusters.prepare(&page(PAGE_A), &clusters).points, 3, 0);
        assert_eq!(line.assigned, [0, 0, 2, 1, 0, 0]);
        assert_eq!(rounded(&line.centroids.concat()), [0.2917, 0.0, 5.0, 0.0, 10.0, 0.0]);
        let plane = PlaneParameters { clusters, ..PlaneParameters::default() };
        let plane = Clusters::new(&CetrPlane.prepare(&page(PAGE_A), &plane).points, 3, 1);
        assert_eq!(plane.assigned, [1, 1, 2, 1, 0, 0]);
        assert_eq!(rounded(&plane.centroids.concat()), [0.0, 0.0, 1.8889, 3.7593, 10.0, 4.8333]);
    }

    #[test]
    fn the_window_may_begin_with_the_next_line() {
        let series = [0.0, 6.0, 3.0, 3.0];
        let own = PlaneParameters { alpha: Value::decimal(2, 0), ..PlaneParameters::default() };
        assert_eq!(changes(&series, &own), [3.0, -1.5, 0.0, 0.0]);
        let next = PlaneParameters { window: Window::Next, ..own };
        assert_eq!(changes(&series, &next), [4.5, -3.0, 0.0, 0.0]);
    }

    #[test]
    fn a_kernel_falls_with_the_distance_and_loses_what_is_outside() {
        let parameters =
            SeriesParameters { sigma: Sigma::Fixed, radius: Value::decimal(2, 0), ..SeriesParameters::default() };
        // exp(0), exp(-1/2) and exp(-2) over their sum from -2 to 2.
        assert_eq!(rounded(&smooth(&[0.0, 0.0, 1.0, 0.0], &parameters)), [0.0545, 0.2442, 0.4026, 0.2442]);
        assert_eq!(rounded(&smooth(&[1.0, 0.0, 0.0, 0.0], &parameters)), [0.4026, 0.2442, 0.0545, 0.0]);
    }

    #[test]
    fn numbers_of_clusters_are_whole() {
        let half = ClusterParameters { k: "2.5".parse().unwrap(), ..ClusterParameters::default() };
        assert_eq!(CetrClusters::check(&half), Err("k: expected a whole number, not `2.5`".to_owned()));
        assert_eq!(CetrClusters::check(&ClusterParameters::default()), Ok(()));
    }
}
