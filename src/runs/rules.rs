//! What a gate holds a run to, as a person wrote it: the key `gate` of a configuration.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use crate::algorithms::value::Value;
use crate::formats::yaml::{Located, Node, Position};
use crate::statistics::{Aggregate, Figure, Part};
use crate::text::hint;

/// What a broken rule does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Nothing; it is not looked at.
    Off,
    /// It is told.
    Warn,
    /// It fails the gate.
    Error,
}

impl Level {
    /// As it is written in a configuration.
    pub fn name(self) -> &'static str {
        match self {
            Level::Off => "off",
            Level::Warn => "warn",
            Level::Error => "error",
        }
    }
}

impl FromStr for Level {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = [Level::Off, Level::Warn, Level::Error].into_iter().find(|level| level.name() == name);
        found.ok_or_else(|| format!("`{name}` is no level: choose off, warn or error"))
    }
}

/// A fall that is borne, and what one beyond it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tolerance {
    /// What a broken rule does.
    pub level: Level,
    /// The fall that is borne, in units of 1e-12.
    pub fall: u64,
}

/// A row's time beside that of the baseline, and what a longer one does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slowness {
    /// The level of a broken rule.
    pub level: Level,
    /// So many times the baseline's time are allowed.
    pub factor: Value,
}

/// What a run is held to, beside its baseline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Figures of a row, in the order in which they were written, the default ones first.
    pub figures: Vec<(Figure, Tolerance)>,
    /// F1 of each single page.
    pub page_f1: Tolerance,
    /// Mean F1 over the pages of each single site.
    pub site_f1: Tolerance,
    /// The gaps of each text per token: the share by which they may differ.
    pub white_space: Tolerance,
    /// Characters of each text that nobody sees, per token: the share by which they may rise.
    pub unseen: Tolerance,
    /// Character references and tags in each text, per token: the share by which they may rise.
    pub markup: Tolerance,
    /// Pages that fail now and did not before.
    pub new_failures: Level,
    /// Pages whose text is another.
    pub texts: Level,
    /// The median time per page of a row.
    pub slower_time: Slowness,
}

/// One of the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// A figure of a row.
    Figure(Figure),
    /// F1 of each single page.
    PageF1,
    /// Mean F1 over the pages of each single site.
    SiteF1,
    /// The gaps of each text per token.
    WhiteSpace,
    /// Characters of each text that nobody sees, per token.
    Unseen,
    /// Character references and tags in each text, per token.
    Markup,
    /// Pages that fail now and did not before.
    NewFailures,
    /// Pages whose text is another.
    Texts,
    /// The median time per page of a row.
    SlowerTime,
}

impl fmt::Display for Rule {
    /// The rule's key in a configuration.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rule::Figure(figure) => figure.fmt(formatter),
            Rule::PageF1 => formatter.write_str(PAGE_F1),
            Rule::SiteF1 => formatter.write_str(SITE_F1),
            Rule::WhiteSpace => formatter.write_str(WHITE_SPACE),
            Rule::Unseen => formatter.write_str(UNSEEN),
            Rule::Markup => formatter.write_str(MARKUP),
            Rule::NewFailures => formatter.write_str(NEW_FAILURES),
            Rule::Texts => formatter.write_str(TEXTS),
            Rule::SlowerTime => formatter.write_str(SLOWER_TIME),
        }
    }
}

const PAGE_F1: &str = "page_f1";
const SITE_F1: &str = "site_f1";
const WHITE_SPACE: &str = "white_space";
const UNSEEN: &str = "unseen";
const MARKUP: &str = "markup";
const NEW_FAILURES: &str = "new_failures";
const TEXTS: &str = "texts";
const SLOWER_TIME: &str = "slower_time";

/// The rules that are on no figure of a row and have a tolerance.
pub(super) const ON_TOLERANCES: [&str; 5] = [PAGE_F1, SITE_F1, WHITE_SPACE, UNSEEN, MARKUP];

/// The rules that have a level alone.
pub(super) const ON_LEVELS: [&str; 2] = [NEW_FAILURES, TEXTS];

/// The rules that have a factor.
pub(super) const FACTORS: [&str; 1] = [SLOWER_TIME];

/// The change that is allowed, as it is written beside a level.
struct Form<T> {
    /// Its key where both are written.
    key: &'static str,
    /// The words that are written where a level, that, or both are expected.
    expected: &'static str,
    /// The words that stand behind a text that is none.
    range: &'static str,
    read: fn(&str) -> Option<T>,
}

const TOLERANCE: Form<u64> = Form {
    key: "tolerance",
    expected: "expected the fall that is borne (0 to 1), a level (off, warn or error), or both, as in \
               {level: warn, tolerance: 0.01}",
    range: "is no tolerance: 0 to 1, at most 12 digits behind the point",
    read: borne,
};

const FACTOR: Form<Value> = Form {
    key: "factor",
    expected: "expected the factor that is allowed (1 to 1000), a level (off, warn or error), or both, as in \
               {level: warn, factor: 2}",
    range: "is no factor: 1 to 1000",
    read: factor,
};

impl Rules {
    /// The fall of a figure that is borne where nothing is said: what `compare` calls the same.
    const FIGURE_FALL: u64 = 5_000_000_000;

    /// The fall of a page's F1 that is borne where nothing is said. Scores are exact, so 0 would do; but then a
    /// date line more on one page breaks the gate, and people learn to accept without looking.
    const PAGE_FALL: u64 = 20_000_000_000;

    /// The fall of a site's mean F1 that is borne where nothing is said: half of a page's, for what a site loses on each of
    /// its pages is no accident.
    const SITE_FALL: u64 = 10_000_000_000;

    /// The share of white space that may come or go where nothing is said: half of it, and so twice as much.
    const WHITE_SPACE: u64 = 500_000_000_000;

    /// The share of tokens by which unseen characters may rise where nothing is said.
    const UNSEEN: u64 = 10_000_000_000;

    /// The share of tokens by which markup may rise where nothing is said: one reference in a thousand tokens.
    const MARKUP: u64 = 1_000_000_000;

    /// So many times the baseline's time are allowed where nothing is said: less is what one machine differs by from one
    /// hour to the next.
    fn slower() -> Value {
        Value::decimal(2, 0)
    }

    /// Reads what stands under `gate`; `fault` makes an error at a place of the file.
    ///
    /// # Errors
    /// Those of `fault`: an unknown key, a level or a tolerance that is none.
    pub fn read<E>(node: &Located<Node>, fault: &dyn Fn(Position, String) -> E) -> Result<Self, E> {
        let mut rules = Rules::default();
        let Node::Map(entries) = &node.value else {
            return Err(fault(node.at, "expected rules, as in `macro_f1: 0.005`".to_owned()));
        };
        for (key, value) in entries {
            let figure = Figure::ALL.into_iter().find(|figure| figure.to_string() == key.value);
            match (key.value.as_str(), figure) {
                (_, Some(figure)) => rules.set(figure, tolerance(value, Self::FIGURE_FALL, fault)?),
                (PAGE_F1, _) => rules.page_f1 = tolerance(value, Self::PAGE_FALL, fault)?,
                (SITE_F1, _) => rules.site_f1 = tolerance(value, Self::SITE_FALL, fault)?,
                (WHITE_SPACE, _) => rules.white_space = tolerance(value, Self::WHITE_SPACE, fault)?,
                (UNSEEN, _) => rules.unseen = tolerance(value, Self::UNSEEN, fault)?,
                (MARKUP, _) => rules.markup = tolerance(value, Self::MARKUP, fault)?,
                (NEW_FAILURES, _) => rules.new_failures = level(value, fault)?,
                (TEXTS, _) => rules.texts = level(value, fault)?,
                (SLOWER_TIME, _) => {
                    // Whoever names it wants it looked at; a machine that is busy shall fail nobody unasked.
                    let (level, factor) = level_and(value, (Level::Warn, Self::slower()), &FACTOR, fault)?;
                    rules.slower_time = Slowness { level, factor };
                }
                (unknown, None) => {
                    let known: Vec<String> = Self::keys().collect();
                    let hint = hint(unknown, known.iter().map(String::as_str));
                    return Err(fault(key.at, format!("`{unknown}` is no rule; {hint}")));
                }
            }
        }
        Ok(rules)
    }

    /// The keys of all rules, as they are written in a configuration.
    pub(super) fn keys() -> impl Iterator<Item = String> {
        let figures = Figure::ALL.into_iter().map(|figure| figure.to_string());
        figures.chain([&ON_TOLERANCES[..], &ON_LEVELS, &FACTORS].concat().into_iter().map(str::to_owned))
    }

    /// Whether every rule is off, so that nothing is held to anything.
    pub fn are_off(&self) -> bool {
        let Rules { figures, page_f1, site_f1, white_space, unseen, markup, new_failures, texts, slower_time } = self;
        let tolerances =
            figures.iter().map(|(_, tolerance)| tolerance).chain([page_f1, site_f1, white_space, unseen, markup]);
        let others = [*new_failures, *texts, slower_time.level];
        tolerances.map(|tolerance| tolerance.level).chain(others).all(|level| level == Level::Off)
    }

    fn set(&mut self, figure: Figure, tolerance: Tolerance) {
        match self.figures.iter_mut().find(|(known, _)| *known == figure) {
            Some((_, known)) => *known = tolerance,
            None => self.figures.push((figure, tolerance)),
        }
    }
}

impl Default for Rules {
    /// Macro F1 may fall by 0.005, a page's F1 by 0.02, a site's by 0.01, no page may fail that did not, and what tokens do
    /// not show may hardly change; that texts are others is told; times are not looked at.
    fn default() -> Self {
        let error = |fall| Tolerance { level: Level::Error, fall };
        Rules {
            figures: vec![(Figure(Aggregate::Macro, Part::F1), error(Self::FIGURE_FALL))],
            page_f1: error(Self::PAGE_FALL),
            site_f1: error(Self::SITE_FALL),
            white_space: error(Self::WHITE_SPACE),
            unseen: error(Self::UNSEEN),
            markup: error(Self::MARKUP),
            new_failures: Level::Error,
            texts: Level::Warn,
            slower_time: Slowness { level: Level::Off, factor: Self::slower() },
        }
    }
}

/// A level alone.
fn level<E>(node: &Located<Node>, fault: &dyn Fn(Position, String) -> E) -> Result<Level, E> {
    let level = if let Node::Scalar(text) = &node.value { text.parse() } else { "".parse() };
    level.map_err(|_| fault(node.at, "expected off, warn or error".to_owned()))
}

/// A tolerance, a level, or both; what is not said of a rule that is named is `error` and `fall`.
fn tolerance<E>(node: &Located<Node>, fall: u64, fault: &dyn Fn(Position, String) -> E) -> Result<Tolerance, E> {
    let (level, fall) = level_and(node, (Level::Error, fall), &TOLERANCE, fault)?;
    Ok(Tolerance { level, fall })
}

/// A level, what is allowed, or both; what is not said is as in `default`.
fn level_and<T, E>(
    node: &Located<Node>,
    default: (Level, T),
    form: &Form<T>,
    fault: &dyn Fn(Position, String) -> E,
) -> Result<(Level, T), E> {
    let unexpected = |at: Position| fault(at, form.expected.to_owned());
    let (mut level, mut allowed) = default;
    match &node.value {
        Node::Scalar(text) => match (text.parse(), (form.read)(text)) {
            (Ok(known), _) => level = known,
            (_, Some(known)) => allowed = known,
            _ => return Err(unexpected(node.at)),
        },
        Node::Map(entries) => {
            for (key, value) in entries {
                let Node::Scalar(text) = &value.value else { return Err(unexpected(value.at)) };
                match key.value.as_str() {
                    "level" => level = text.parse().map_err(|message| fault(value.at, message))?,
                    known if known == form.key => {
                        let message = || format!("`{text}` {}", form.range);
                        allowed = (form.read)(text).ok_or_else(|| fault(value.at, message()))?;
                    }
                    unknown => {
                        let hint = hint(unknown, ["level", form.key]);
                        return Err(fault(key.at, format!("unknown key `{unknown}`; {hint}")));
                    }
                }
            }
        }
        _ => return Err(unexpected(node.at)),
    }
    Ok((level, allowed))
}

/// A decimal from 0 to 1 in units of 1e-12.
fn borne(text: &str) -> Option<u64> {
    let value: Value = text.parse().ok()?;
    if value > Value::ONE { None } else { value.scaled(12) }
}

/// A number from 1 to 1000.
fn factor(text: &str) -> Option<Value> {
    let value: Value = text.parse().ok()?;
    (Value::ONE..=Value::decimal(1000, 0)).contains(&value).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::yaml::parse;

    fn read(text: &str) -> Result<Rules, String> {
        let document = parse("c.yaml", text).unwrap();
        Rules::read(&document, &|at, message| format!("{}:{}: {message}", at.line, at.column))
    }

    #[test]
    fn rules_are_a_fall_a_level_or_both() {
        let rules = read(
            "macro_f1: 0.01\nmicro_recall: off\nsite_macro_f1: {level: warn, tolerance: 0.0025}\npage_f1: warn\nnew_failures: warn\n",
        )
        .unwrap();
        let told: Vec<String> = rules
            .figures
            .iter()
            .map(|(figure, Tolerance { level, fall })| format!("{figure} {} {fall}", level.name()))
            .collect();
        let expected = ["macro_f1 error 10000000000", "micro_recall off 5000000000", "site_macro_f1 warn 2500000000"];
        assert_eq!(told, expected);
        assert_eq!(rules.page_f1, Tolerance { level: Level::Warn, fall: 20_000_000_000 });
        assert_eq!(rules.new_failures, Level::Warn);
    }

    #[test]
    fn times_are_looked_at_where_the_rule_is_named_and_told_unless_more_is_asked_for() {
        let told = |text: &str| {
            let Slowness { level, factor } = read(text).unwrap().slower_time;
            format!("{} {factor}", level.name())
        };
        assert_eq!(told("page_f1: warn"), "off 2");
        assert_eq!(told("slower_time: 1.5"), "warn 1.5");
        assert_eq!(told("slower_time: error"), "error 2");
        assert_eq!(told("slower_time: {level: error, factor: 3}"), "error 3");
        assert_eq!(told("slower_time: off"), "off 2");
        let others = "macro_f1: off\npage_f1: off\nsite_f1: off\nwhite_space: off\nunseen: off\nmarkup: off\n\
                      new_failures: off\ntexts: off\n";
        assert!(read(others).unwrap().are_off());
        assert!(!read(&format!("{others}slower_time: 2")).unwrap().are_off());
    }

    #[test]
    fn faults_name_their_place_and_the_way_out() {
        for (text, told) in [
            ("macr_f1: 0.1", "1:1: `macr_f1` is no rule; did you mean `macro_f1`?"),
            ("macro_f1: 1.5", "1:11: expected the fall that is borne (0 to 1), a level"),
            ("macro_f1: -0.1", "1:11: expected the fall"),
            ("page_f1: [0.1]", "1:10: expected the fall"),
            ("macro_f1: {level: erro}", "1:19: `erro` is no level"),
            ("macro_f1: {tolerance: 2}", "1:23: `2` is no tolerance"),
            ("macro_f1: {tolerence: 0.1}", "1:12: unknown key `tolerence`; did you mean `tolerance`?"),
            ("slower_time: 0.9", "1:14: expected the factor that is allowed (1 to 1000), a level"),
            ("slower_time: {factor: 1001}", "1:23: `1001` is no factor"),
            ("slower_time: {tolerance: 2}", "1:15: unknown key `tolerance`"),
            ("new_failures: 3", "1:15: expected off, warn or error"),
            ("[macro_f1]", "expected rules"),
        ] {
            let fault = read(text).unwrap_err();
            assert!(fault.contains(told), "{text}: {fault}");
        }
    }
}
