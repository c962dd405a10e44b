//! The program as people meet it: its exit codes, its sentences and its files.
//!
//! One binary, since each has to be linked with all of carat. `cargo test --test program gate::` runs the tests of one
//! file.

mod agreement;
mod annotate;
mod benchmarks;
mod browser;
mod chinese;
mod command_line;
mod compare;
mod damage;
mod dataset_check;
mod diff;
mod everything;
mod explain;
mod exports;
mod external;
mod gate;
mod history;
mod hostile_folders;
mod importers;
mod inert;
mod interruption;
mod keep_going;
mod latex;
mod learned;
mod measures;
mod node_gold;
mod page_lists;
mod pull;
mod read_and_imported;
mod regressions;
mod reproduce;
mod roles;
mod savings;
mod site;
mod snippets;
mod stored;
mod structure;
mod support;
mod synth;
mod system_errors;
mod tune;
mod verify;
mod workers;
mod wrapper;
