//! Runs: configuration, plan, execution, and the folder that a run leaves behind.
//!
//! A [`configuration`] becomes a [`plan`]: datasets x rows, where rows with equal resolved parameters are one. The [`system`]
//! behind a row is an algorithm of carat's ([`own`]), stored output, an external program or a function ([`doors`]), an ensemble of other
//! rows ([`ensembles`]), rules or what is [`learned`] of the gold of other pages, or a bound that sees the gold
//! ([`bounds`]). Each [`kind`] says how its systems are asked for, made ready and run; [`kinds`] lists them, and nothing else
//! knows which there are. [`reads_gold`] says what a row reads of the gold and what follows from that.
//!
//! [`execute`] takes one page with all its settings as the unit of work. Rows of one algorithm share what was prepared,
//! equal selections share one rendering, equal texts one scoring. Extractions are scored against the gold text, gold nodes
//! or snippets (`execute/target.rs`). Where pages have no gold, rows are compared with each other ([`agreement`]); where
//! gold names roles, each row's text is counted by role ([`roles`]). Scores are integers of 1e-12, so sums do not depend on
//! the order of pages. Each page's curve of an exact sweep is a list of integer steps, and curves of pages are summed by
//! sorting the steps ([`sweep`]).
//!
//! External programs say hello when the plan is made, are known by the digests of their files, and are asked on threads of
//! their own before any page is scored. Their replies go to a cache and are scored from there. What comes of a page is
//! taken in page order, so the number of workers does not show. What learns from gold does so once per dataset, before its
//! pages are run; the folds are made there, so no page is tried with what its own gold taught.
//!
//! Each outcome is written at once as the page's unit ([`units`]): two records with checksums, the outcome and the texts,
//! in files that hold many. Parts of a run are put together by their units (`shards`), and so are batches of pages that other
//! programs hand over (`batches`). A unit counts if its key is the same: configuration, program, digests of page and gold,
//! what the page list says of the page, and, for rows that see other pages, the digest of the dataset. [`results`] reads all
//! units in dataset order and writes tables, summary and `result_digest`. [`run_folder`] reads a finished run back and checks every file.
//!
//! Memory grows with rows times sites and with stored outputs, hardly with pages: the steps of exact sweeps go into files
//! once they are more than four million. What is
//! learned is an exception: `fiasco-lite` holds 64 bytes for every block of the dataset, `wrapper` whole sites, one per
//! thread.

pub mod agreement;
pub mod annotate;
#[cfg(feature = "command-line")]
pub mod batches;
pub(crate) mod best;
pub mod bounds;
pub mod candidates;
pub mod compared_pages;
pub mod configuration;
pub mod described;
pub mod doors;
mod doubtful;
pub mod ensembles;
pub mod execute;
pub mod explaining;
pub(crate) mod families;
pub(crate) mod filters;
pub mod folder;
pub mod folder_error;
pub mod grid;
pub mod groups;
pub mod guarding;
pub mod kind;
pub mod kinds;
pub mod learned;
pub(crate) mod line_sum;
pub(crate) mod node_tokens;
pub mod own;
pub mod page_facts;
pub mod page_outcome;
pub mod pages;
pub mod plan;
pub mod read_off;
pub mod reads_gold;
pub mod results;
pub mod roles;
pub(crate) mod row_names;
pub mod row_outcome;
mod rule_tally;
pub mod rules;
pub mod run_folder;
#[cfg(feature = "command-line")]
pub(crate) mod schemas;
pub mod score_sums;
pub(crate) mod score_table;
pub mod scores;
pub mod separation;
pub mod settings;
pub(crate) mod shards;
pub(crate) mod sites;
pub mod splits;
pub mod summary;
pub mod sweep;
pub mod system;
pub mod times;
pub mod units;
pub mod values;
pub mod verify;
