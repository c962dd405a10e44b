//! What a tuning shall do: the key `tune` of a configuration.

use std::fmt;
use std::str::FromStr;

use super::{Reader, RequestError};
use crate::algorithms::value::Value;
use crate::formats::yaml::{Located, Node};
use crate::statistics::{Aggregate, Figure, Part};
use crate::text::hint;

/// How the values of swept parameters are chosen, and how the choice is judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TuningRequest {
    /// Whether another protocol is carried out besides the nested one.
    pub protocol: Protocol,
    /// Into what pages are parted; by the number of sites where it is not said.
    pub folds: Option<Folds>,
    /// Where random numbers begin.
    pub seed: u64,
    /// What is to be high.
    pub objective: Objective,
    /// Which settings are tried.
    pub search: Search,
}

impl Default for TuningRequest {
    fn default() -> Self {
        let objective = Objective { figure: Figure(Aggregate::Macro, Part::F1), floor: None };
        TuningRequest { protocol: Protocol::Nested, folds: None, seed: 1, objective, search: Search::Grid }
    }
}

/// How a choice is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// On pages of sites that the choice was not made on, fold by fold.
    Nested,
    /// The same, and beside it the CEVC paper's (its section 3.3): chosen on 20 % of the pages, drawn once, and scored
    /// on all of them.
    PaperCevc,
}

/// Into what pages are parted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Folds {
    /// So many folds of whole sites, at least 2.
    Number(usize),
    /// Each site a fold of its own.
    Site,
}

/// Which settings are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Search {
    /// All that the configuration's values multiply to.
    Grid,
    /// So many of them, drawn without replacement.
    Random(u32),
}

/// What is to be high, and what must not be low.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Objective {
    /// The figure that is to be high.
    pub figure: Figure,
    /// A figure of the same aggregate, and the least that it may be.
    pub floor: Option<(Figure, Value)>,
}

/// The keys of `tune`.
pub(in crate::runs) const KEYS: [&str; 5] = ["protocol", "folds", "seed", "objective", "search"];

impl TuningRequest {
    /// Reads the key's value.
    pub(super) fn read(reader: &Reader<'_>, node: &Located<Node>) -> Result<Self, RequestError> {
        let mut request = TuningRequest::default();
        for (key, value) in reader.map(node)? {
            match key.value.as_str() {
                "protocol" => request.protocol = reader.word(value)?,
                "folds" => request.folds = Some(reader.word(value)?),
                "seed" => {
                    let text = reader.scalar(value)?;
                    request.seed = text.parse().map_err(|_| {
                        reader.error(value.at, format!("`{text}` is no seed; expected a whole number, 0 or more"))
                    })?;
                }
                "objective" => request.objective = reader.word(value)?,
                "search" => request.search = search(reader, value)?,
                unknown => {
                    let message = format!("`tune` has no key `{unknown}`; {}", hint(unknown, KEYS));
                    return Err(reader.error(key.at, message));
                }
            }
        }
        Ok(request)
    }
}

fn search(reader: &Reader<'_>, node: &Located<Node>) -> Result<Search, RequestError> {
    let expected = || "expected `grid`, or `{random: N}` for N settings drawn at random".to_owned();
    match &node.value {
        Node::Scalar(text) if text == "grid" => Ok(Search::Grid),
        Node::Map(entries) => match entries.as_slice() {
            [(key, value)] if key.value == "random" => match reader.scalar(value)?.parse() {
                Ok(draws) if (1..=MOST_DRAWS).contains(&draws) => Ok(Search::Random(draws)),
                _ => {
                    let message = format!("expected how many settings are drawn, from 1 to {MOST_DRAWS}");
                    Err(reader.error(value.at, message))
                }
            },
            _ => Err(reader.error(node.at, expected())),
        },
        _ => Err(reader.error(node.at, expected())),
    }
}

/// More settings are not drawn.
const MOST_DRAWS: u32 = 10_000;

impl FromStr for Protocol {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "nested" => Ok(Protocol::Nested),
            "paper-cevc" => Ok(Protocol::PaperCevc),
            _ => Err(format!("no protocol `{text}`; {}", hint(text, ["nested", "paper-cevc"]))),
        }
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Protocol::Nested => "nested",
            Protocol::PaperCevc => "paper-cevc",
        })
    }
}

impl FromStr for Folds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text, text.parse()) {
            ("site", _) => Ok(Folds::Site),
            (_, Ok(number)) if number >= 2 => Ok(Folds::Number(number)),
            _ => Err(format!("`{text}` folds cannot be made; expected 2 or more, or `site` for one a site")),
        }
    }
}

impl FromStr for Objective {
    type Err = String;

    /// Reads `[AGGREGATE] PART [at PART >= LEAST]`, such as `f1`, `site_macro f1` or `recall at precision >= 0.9`.
    fn from_str(text: &str) -> Result<Self, String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let (aggregate, words) = match words.first().and_then(|word| aggregate(word)) {
            Some(aggregate) => (aggregate, &words[1..]),
            None => (Aggregate::Macro, words.as_slice()),
        };
        let figure = |word: &str| {
            let figure = Figure(aggregate, part(word).ok_or_else(|| not_an_objective(text, word))?);
            match figure {
                Figure(other, Part::Accuracy) if other != Aggregate::Benchmark => {
                    Err("only `benchmark` has an accuracy".to_owned())
                }
                figure => Ok(figure),
            }
        };
        match words {
            [high] => Ok(Objective { figure: figure(high)?, floor: None }),
            [high, "at", kept, ">=", least] => {
                let (floor, least) = (figure(kept)?, least.parse::<Value>().map_err(|error| error.to_string())?);
                if least > Value::ONE || least.scaled(UNIT_DIGITS).is_none() {
                    return Err(format!("no {kept} can be `{least}`; expected a decimal from 0 to 1"));
                }
                Ok(Objective { figure: figure(high)?, floor: Some((floor, least)) })
            }
            _ => Err(not_an_objective(text, words.first().unwrap_or(&""))),
        }
    }
}

/// Figures are whole numbers of 1e-12.
const UNIT_DIGITS: u8 = 12;

const AGGREGATES: [(&str, Aggregate); 5] = [
    ("macro", Aggregate::Macro),
    ("site_macro", Aggregate::SiteMacro),
    ("micro", Aggregate::Micro),
    ("paper_cevc", Aggregate::PaperCevc),
    ("benchmark", Aggregate::Benchmark),
];

const PARTS: [(&str, Part); 4] =
    [("precision", Part::Precision), ("recall", Part::Recall), ("f1", Part::F1), ("accuracy", Part::Accuracy)];

fn aggregate(word: &str) -> Option<Aggregate> {
    AGGREGATES.iter().find(|(name, _)| *name == word).map(|(_, aggregate)| *aggregate)
}

fn part(word: &str) -> Option<Part> {
    PARTS.iter().find(|(name, _)| *name == word).map(|(_, part)| *part)
}

fn not_an_objective(text: &str, word: &str) -> String {
    let names: Vec<&str> = AGGREGATES.map(|(name, _)| name).into_iter().chain(PARTS.map(|(name, _)| name)).collect();
    let meant = match crate::text::nearest(word, names) {
        Some(name) if name != word => format!("; did you mean `{name}`?"),
        _ => String::new(),
    };
    format!("`{text}` is no objective such as `f1`, `site_macro f1` or `recall at precision >= 0.9`{meant}")
}

impl Objective {
    /// The floor in the unit of scores, 1e-12.
    pub fn least(&self) -> Option<(Figure, u64)> {
        self.floor.and_then(|(figure, least)| Some((figure, least.scaled(UNIT_DIGITS)?)))
    }

    /// Whether it follows from scores: exact sweeps keep no counts.
    pub fn is_of_scores(&self) -> bool {
        !matches!(self.figure.0, Aggregate::Micro | Aggregate::Benchmark)
    }
}

impl fmt::Display for Objective {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |figure: &Figure| PARTS.iter().find(|(_, part)| *part == figure.1).map_or("", |(name, _)| name);
        let aggregate = AGGREGATES.iter().find(|(_, aggregate)| *aggregate == self.figure.0);
        write!(formatter, "{} {}", aggregate.map_or("", |(name, _)| name), name(&self.figure))?;
        match &self.floor {
            Some((figure, least)) => write!(formatter, " at {} >= {least}", name(figure)),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runs::configuration::Configuration;

    fn read(tune: &str) -> Result<TuningRequest, String> {
        let text = format!("datasets: [portals]\nalgorithms: [nta]\ntune: {tune}\n");
        Configuration::from_yaml("c.yaml", &text).map(|read| read.tuning).map_err(|error| error.to_string())
    }

    #[test]
    fn every_key_is_read() {
        assert_eq!(read("{}").unwrap(), TuningRequest::default());
        let read = read(
            "{protocol: paper-cevc, folds: site, seed: 7, objective: site_macro recall at precision >= 0.90, search: {random: 60}}",
        )
        .unwrap();
        let shown = (read.protocol.to_string(), read.objective.to_string());
        assert_eq!(shown, ("paper-cevc".to_owned(), "site_macro recall at precision >= 0.90".to_owned()));
        assert_eq!((read.folds, read.seed, read.search), (Some(Folds::Site), 7, Search::Random(60)));
        assert_eq!(read.objective.least().unwrap().1, 900_000_000_000);
    }

    #[test]
    fn faults_name_their_place_and_the_way_out() {
        for (tune, told) in [
            ("{fold: 5}", "c.yaml:3:8: `tune` has no key `fold`; did you mean `folds`?"),
            ("nested", "c.yaml:3:7: expected keys with values"),
            ("{protocol: cevc}", "no protocol `cevc`; did you mean `paper-cevc`?"),
            ("{folds: 1}", "expected 2 or more, or `site` for one a site"),
            ("{seed: -1}", "`-1` is no seed"),
            ("{search: random}", "expected `grid`, or `{random: N}`"),
            ("{search: {random: 0}}", "from 1 to 10000"),
            ("{search: {draws: 9}}", "expected `grid`"),
            ("{objective: f2}", "such as `f1`, `site_macro f1` or `recall at precision >= 0.9`; did you mean `f1`?"),
            ("{objective: accuracy}", "only `benchmark` has an accuracy"),
            ("{objective: recall at precision > 0.9}", "is no objective"),
            ("{objective: recall at precision >= 1.1}", "no precision can be `1.1`"),
        ] {
            let error = read(tune).unwrap_err();
            assert!(error.contains(told), "{tune}: {error}");
        }
    }
}
