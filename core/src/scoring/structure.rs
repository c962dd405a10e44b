//! Measures of what is more than running text: their names and facts about them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::about::About;

/// A measure of what is more than running text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Structure {
    /// Tables with their texts, by tree edit distance.
    Tables,
    /// Tables without their texts.
    TablesStruct,
    /// Blocks of code.
    Code,
    /// Formulas in TeX.
    Formula,
    /// WebMainBench's `code_edit`.
    WmbCode,
    /// WebMainBench's `formula_edit`.
    WmbFormula,
    /// WebMainBench's `table_edit`.
    WmbTable,
    /// WebMainBench's `table_TEDS`.
    WmbTeds,
}

impl Structure {
    /// Every measure, in the order of listings.
    pub const ALL: [Structure; 8] = [
        Structure::Tables,
        Structure::TablesStruct,
        Structure::Code,
        Structure::Formula,
        Structure::WmbCode,
        Structure::WmbFormula,
        Structure::WmbTable,
        Structure::WmbTeds,
    ];

    /// True if it is WebMainBench's: it reads Markdown as it stands, and nothing else.
    pub fn reads_markdown_alone(self) -> bool {
        matches!(self, Structure::WmbCode | Structure::WmbFormula | Structure::WmbTable | Structure::WmbTeds)
    }

    /// Facts about the measure.
    pub fn about(self) -> About {
        match self {
            Structure::Tables => About {
                title: "tables, by the edit distance of their trees (TEDS)",
                formula: "matched = largest sum of TEDS of tables paired in order; extracted, gold = tables; in 10^-9",
                used_by: "near to TEDS (Zhong et al. 2020), but th is td, sections are left out, and texts are compared by \
                          scalar values",
                fault: "a cell that is split in two costs a whole node",
            },
            Structure::TablesStruct => About {
                title: "tables without their texts: rows, cells and spans",
                formula: "as tables, all texts empty",
                used_by: "near to TEDS-Struct",
                fault: "any two tables of the same shape score 1",
            },
            Structure::Code => About {
                title: "blocks of code, by their characters in order",
                formula: "matched = LCS of characters; extracted, gold = characters of code",
                used_by: "",
                fault: "indentation does not count, nor does code within a line",
            },
            Structure::Formula => About {
                title: "formulas in TeX, by their characters in order",
                formula: "matched = LCS of characters; extracted, gold = characters of formulas",
                used_by: "",
                fault: "`x^2` and `x^{2}` differ, and formulas that are no TeX are not seen",
            },
            Structure::WmbCode => About {
                title: "blocks of code in Markdown, by WebMainBench's patterns",
                formula: "as edit, over scalar values of the blocks joined by line ends",
                used_by: "WebMainBench's code_edit",
                fault: "of two indented blocks with one empty line between them only the first is found",
            },
            Structure::WmbFormula => About {
                title: "formulas in Markdown, by WebMainBench's patterns without its language model",
                formula: "as edit, over scalar values of the formulas joined by line ends",
                used_by: "WebMainBench's formula_edit",
                fault: "money is a formula: `It costs $5 and $10.` holds `5 and`",
            },
            Structure::WmbTable => About {
                title: "tables in Markdown as HTML, by WebMainBench's patterns",
                formula: "as edit, over scalar values of the tables' HTML",
                used_by: "WebMainBench's table_edit",
                fault: "where one table is HTML those in Markdown keep their bars; a delimiter row of two hyphens is none",
            },
            Structure::WmbTeds => About {
                title: "the first tables, as WebMainBench's program compares their trees",
                formula: "matched = 1 - d / nodes of the larger tree, in 10^-12; extracted = gold = 1",
                used_by: "WebMainBench's table_TEDS",
                fault: "a tree is one node to it, so that nearly all tables are alike: a cell `1` scores 0.9650 against a \
                        table of nine rows (tables: 0.0742)",
            },
        }
    }
}

impl fmt::Display for Structure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Structure::Tables => "tables",
            Structure::TablesStruct => "tables-struct",
            Structure::Code => "code",
            Structure::Formula => "formula",
            Structure::WmbCode => "wmb-code",
            Structure::WmbFormula => "wmb-formula",
            Structure::WmbTable => "wmb-table",
            Structure::WmbTeds => "wmb-teds",
        })
    }
}

impl FromStr for Structure {
    type Err = String;

    /// ```
    /// use carat_core::scoring::Structure;
    /// assert_eq!("tables-struct".parse(), Ok(Structure::TablesStruct));
    /// ```
    fn from_str(name: &str) -> Result<Self, String> {
        let found = Structure::ALL.into_iter().find(|structure| structure.to_string() == name);
        let known = || Structure::ALL.map(|structure| structure.to_string()).join(", ");
        found.ok_or_else(|| format!("`{name}` is no measure of structure: choose one of {}", known()))
    }
}
