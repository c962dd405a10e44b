//! The results of a benchmark, for people: in a terminal, and as tables.

use serde::Serialize;

use super::{OrderOf, Tried};
use crate::command_line::compare::{interval, p_value, short as short_page, signed};
use crate::decisions::orders::{Differing, Order, OrderedRow, Survival, Tally};
use crate::formats::shell::shell_command;
use crate::report::benchmarks::short;
use crate::report::papers::PaperTable;
use crate::report::table_format::{four, plain_table, table_lines};
use crate::text::counted;

/// Contradicted pairs and rows that are told in a terminal at most.
const SHOWN: usize = 5;

/// Characters of a line of text in a terminal.
const WIDTH: usize = 98;

/// A row from the figure that ranks to the exact one.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Step {
    pub(super) row: String,
    /// The figure that ranks, under the benchmark's aggregate.
    pub(super) figure: f64,
    /// Macro F1 by the rule.
    pub(super) rule: f64,
    /// Macro F1 by the longest common subsequence of its tokens.
    pub(super) same_tokens: f64,
    /// Macro F1 by the exact measure.
    pub(super) exact: f64,
    /// Pages whose extraction is empty.
    pub(super) empty: usize,
}

impl Step {
    /// The part of the figure that does not come from the text.
    pub(super) fn change(&self) -> f64 {
        (self.figure - self.exact).abs()
    }

    fn cells(&self) -> Vec<String> {
        let figures = [self.figure, self.rule, self.same_tokens, self.exact].map(four);
        [short(&self.row).to_owned()].into_iter().chain(figures).chain([self.empty.to_string()]).collect()
    }
}

impl Tried {
    /// The words that say where its figures are printed.
    fn source(&self) -> String {
        let commit: String = self.upstream.commit.chars().take(12).collect();
        let mut files: Vec<&str> = self.known.tables.iter().map(|table| table.file.as_str()).collect();
        files.dedup();
        format!("printed in {} of {} at {commit}", files.join(", "), self.upstream.repository)
    }

    /// The order that is tested.
    fn whose_order(&self) -> String {
        match self.order_of {
            OrderOf::Published => "the published order".to_owned(),
            OrderOf::Rule => format!("the order of {}", self.rule),
        }
    }

    fn tally(&self, what: &str, tally: &Tally) -> String {
        let Tally { confirmed, contradicted, not_separable, equal } = tally;
        let mut told = format!(
            "of {what} of {}, {} confirms {confirmed}, contradicts {contradicted}, and cannot tell {not_separable} apart",
            self.whose_order(),
            self.exact
        );
        if *equal > 0 {
            told += &format!("; {equal} have equal figures");
        }
        told
    }

    /// The results of the test of the order, a sentence each.
    fn order_sentences(&self) -> Vec<String> {
        let Some(order) = &self.order else {
            return vec!["no two rows can be compared, so no order is tested".to_owned()];
        };
        let neighbours = counted(order.neighbours.pairs(), "neighbouring pair");
        let all = format!("all {}", counted(order.pairs.pairs(), "pair"));
        let mut told = vec![self.tally(&neighbours, &order.neighbours), self.tally(&all, &order.pairs)];
        if self.order_of == OrderOf::Rule {
            told.push(
                "no two printed rows have an output here, so the published order itself cannot be tested".to_owned(),
            );
        }
        let wrong = order.contradicted.iter().take(SHOWN).map(|pair| {
            format!(
                "contradicted: {} above {}; {} has it {} ({})",
                short(&pair.above),
                short(&pair.below),
                self.exact,
                signed(pair.difference),
                p_equals(pair.p)
            )
        });
        told.extend(wrong);
        let more = order.contradicted.len().saturating_sub(SHOWN);
        told.extend(
            (more > 0).then(|| format!("contradicted: {} more, in tables/contradicted.csv", counted(more, "pair"))),
        );
        told
    }

    /// The faults of the rule, a sentence each.
    fn fault_sentences(&self) -> Vec<String> {
        let about = self.comparison.measure.about();
        let fault = (!about.fault.is_empty()).then(|| format!("{}: {}", self.comparison.measure, about.fault));
        let of_aggregate = self.known.aggregate.as_ref().map(|words| format!("aggregate: {words}"));
        let of_tokens = self.pages.iter().any(|page| !page.is_of_measure());
        let of_tokens = of_tokens.then(|| {
            format!(
                "tokens: where they are the cause, {} parts the page's text otherwise than by characters",
                self.rule
            )
        });
        fault.into_iter().chain(of_tokens).chain(of_aggregate).collect()
    }

    /// The names of the measures between the rule and the exact one.
    fn same_tokens(&self) -> String {
        let case = self.rule.split_whitespace().skip(1).collect::<Vec<_>>().join(" ");
        format!("lcs {case}")
    }

    fn cause(&self, page: &Differing) -> &'static str {
        if page.is_of_measure() { "measure" } else { "tokens" }
    }

    fn page_cells(&self, page: &Differing, id: String) -> Vec<String> {
        let figures = [page.rule, page.same_tokens, page.exact].map(four);
        let named = [id, short(&page.row).to_owned(), self.cause(page).to_owned()];
        named.into_iter().chain(figures).collect()
    }

    fn page_header(&self) -> Vec<String> {
        let names = ["page", "row", "cause", &self.rule, &self.same_tokens(), &self.exact];
        names.map(str::to_owned).to_vec()
    }

    fn step_header(&self) -> Vec<String> {
        let rule = format!("{} (mean)", self.rule);
        let names = ["row", &self.known.order_by, &rule, &self.same_tokens(), &self.exact, "empty pages"];
        names.map(str::to_owned).to_vec()
    }

    fn order_header(&self) -> Vec<String> {
        let figure = match self.order_of {
            OrderOf::Published => "printed".to_owned(),
            OrderOf::Rule => self.rule.clone(),
        };
        let names = ["no.", "row", &figure, &self.exact, "95 % interval", "group", "rank", "over the next"];
        names.map(str::to_owned).to_vec()
    }

    fn order_cells(&self, place: usize, row: &OrderedRow) -> Vec<String> {
        let digits = self.known.digits.min(4);
        let figure = match self.order_of {
            OrderOf::Published => format!("{:.digits$}", row.figure),
            OrderOf::Rule => four(row.figure),
        };
        vec![
            (place + 1).to_string(),
            short(&row.name).to_owned(),
            figure,
            four(row.exact.point),
            interval(&row.exact, four),
            row.letters.clone(),
            row.exact_place.to_string(),
            row.over_next.map_or("", Survival::name).to_owned(),
        ]
    }

    pub(super) fn tables(&self) -> Vec<PaperTable> {
        let conditions = || vec![self.source(), self.conditions.clone()];
        let mut tables = vec![self.figures.table(conditions())];
        if let Some(order) = &self.order {
            let rows = order.rows.iter().enumerate().map(|(place, row)| self.order_cells(place, row));
            tables.push(PaperTable {
                stem: "order".to_owned(),
                title: format!("{}, under {}", capital(&self.whose_order()), self.exact),
                pages_of: None,
                header: self.order_header(),
                names: &[1],
                right: 8,
                rows: rows.collect(),
                notes: self.order_sentences().into_iter().chain(ORDER_NOTES.map(str::to_owned)).collect(),
                conditions: conditions(),
            });
            tables.extend((!order.contradicted.is_empty()).then(|| self.contradicted(order, conditions())));
        }
        tables.push(PaperTable {
            stem: "steps".to_owned(),
            title: format!("From {} of {} to {}", self.known.order_by, self.benchmark, self.exact),
            pages_of: None,
            header: self.step_header(),
            names: &[0],
            right: 1,
            rows: self.steps.iter().map(Step::cells).collect(),
            notes: STEP_NOTES.map(str::to_owned).into_iter().chain(self.fault_sentences()).collect(),
            conditions: conditions(),
        });
        tables.push(PaperTable {
            stem: "pages".to_owned(),
            title: format!("Pages on which {} and {} differ most", self.rule, self.exact),
            pages_of: None,
            header: self.page_header(),
            names: &[0, 1],
            right: 3,
            rows: self.pages.iter().map(|page| self.page_cells(page, page.page.clone())).collect(),
            notes: [self.of_pages()].into_iter().chain(self.fault_sentences()).collect(),
            conditions: conditions(),
        });
        tables
    }

    fn contradicted(&self, order: &Order, conditions: Vec<String>) -> PaperTable {
        let cells = order.contradicted.iter().map(|pair| {
            let named = [short(&pair.above), short(&pair.below)].map(str::to_owned);
            named.into_iter().chain([signed(pair.difference), p_value(pair.p)]).collect()
        });
        PaperTable {
            stem: "contradicted".to_owned(),
            title: format!("Pairs of {} that {} contradicts", self.whose_order(), self.exact),
            pages_of: None,
            header: ["above", "below", "difference", "p corrected"].map(str::to_owned).to_vec(),
            names: &[0, 1],
            right: 2,
            rows: cells.collect(),
            notes: vec![format!("difference: mean F1 by {}, the row above less the row below", self.exact)],
            conditions,
        }
    }

    /// Which rows the pages are told of.
    fn of_pages(&self) -> String {
        let of = if self.pages_of_contradicted { "rows in contradicted pairs" } else { "all rows" };
        format!("each page with the row that differs most there, among {of}")
    }

    pub(super) fn markdown(&self) -> String {
        self.tables().iter().map(PaperTable::markdown).collect::<Vec<_>>().join("\n")
    }

    pub(super) fn terminal(&self) -> String {
        let mut text = format!("{}: its own table, and ours by {}\n{}\n", self.benchmark, self.rule, self.source());
        text += &format!("{}\n{}\n", self.figures.terminal(), sentences(&self.figures.sentences()));
        text += &format!("{}: {} under {}\n", self.benchmark, self.whose_order(), self.exact);
        if let Some(order) = &self.order {
            let mut table = plain_table(self.order_header());
            for (place, row) in order.rows.iter().enumerate() {
                table.add_row(self.order_cells(place, row));
            }
            text += &format!("{}\n", table_lines(table, 8).join("\n"));
        }
        text += &format!("{}\n", sentences(&self.order_sentences()));
        text += &format!("{}: what moves a row on the way to {}\n", self.benchmark, self.exact);
        let mut table = plain_table(self.step_header());
        for step in self.steps.iter().take(SHOWN) {
            table.add_row(step.cells());
        }
        text += &format!("{}\n", table_lines(table, 1).join("\n"));
        if !self.pages.is_empty() {
            text += &format!("\n{}: pages on which {} and {} differ most\n", self.benchmark, self.rule, self.exact);
            let mut table = plain_table(self.page_header());
            for page in &self.pages {
                table.add_row(self.page_cells(page, self.short(page)));
            }
            text += &format!("{}\n", table_lines(table, 3).join("\n"));
        }
        text += &sentences(&self.fault_sentences());
        text += &self.see();
        text + &format!("\n{}\ntables in {}\n", self.conditions, self.folder.join("tables").display())
    }

    /// A page's id, as far as it tells the page from others.
    fn short(&self, page: &Differing) -> String {
        self.compared.as_ref().map_or_else(|| page.page.clone(), |compared| short_page(&page.page, compared))
    }

    /// The command that shows the first of the pages.
    fn see(&self) -> String {
        let Some(page) = self.pages.first().filter(|_| self.has_texts) else { return String::new() };
        let run = self.folder.join("run").join(self.exact.replace([' ', ':'], "-")).display().to_string();
        let id = self.short(page);
        format!("see: {}\n", shell_command("carat diff", &[&run, &id], &[("--algorithm", Some(&page.row))]))
    }
}

/// The notes for a reader of an order.
const ORDER_NOTES: [&str; 3] = [
    "confirmed, contradicted: the rows are told apart, in the same or the other order, by sign flips of sites at 0.05, corrected by Holm for all pairs of rows",
    "rows that share a letter of `group` are not told apart; intervals are by site",
    "no.: the place in the order; rank: the place by the exact measure; over the next: the row and the one below it",
];

/// The notes for a reader of the steps.
const STEP_NOTES: [&str; 1] = [
    "from left to right: the benchmark's aggregate, then the mean of each page's F1 by its rule, then the longest common subsequence of the same \
     tokens, then that of characters; what changes between two columns is the cause",
];

fn p_equals(p: f64) -> String {
    let written = p_value(p);
    if written.starts_with('<') { format!("p {written}") } else { format!("p = {written}") }
}

fn capital(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or(String::new(), |first| first.to_uppercase().chain(characters).collect())
}

/// Sentences below each other, each wrapped.
fn sentences(sentences: &[String]) -> String {
    sentences.iter().map(|sentence| wrapped(sentence)).collect()
}

/// The words of a sentence in lines that a terminal holds, the second and further ones indented.
fn wrapped(sentence: &str) -> String {
    let (mut text, mut line) = (String::new(), String::from("-"));
    for word in sentence.split_whitespace() {
        if line.chars().count() + 1 + word.chars().count() > WIDTH && line.trim() != "-" {
            text += &format!("{line}\n");
            line = " ".to_owned();
        }
        line += &format!(" {word}");
    }
    text + &format!("{line}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_sentences_are_wrapped_and_lose_no_word() {
        let sentence = "word ".repeat(60);
        let lines = wrapped(&sentence);
        assert!(lines.lines().all(|line| line.chars().count() <= WIDTH), "{lines}");
        assert!(lines.starts_with("- word") && lines.lines().skip(1).all(|line| line.starts_with("  word")), "{lines}");
        assert_eq!(lines.split_whitespace().filter(|word| *word == "word").count(), 60);
        assert_eq!(wrapped("short"), "- short\n");
    }
}
