//! The program as people meet it: its exit codes, its sentences and its files.

mod datasets;
mod help;
mod own;
mod own_files;
mod pages;
mod refusals;
mod runs;
use crate::support::Folder;

/// A folder with `html/x.html` and its gold.
fn own_pages() -> Folder {
    Folder::new().with("own/html/x.html", "<p>hello world").with("own/gold/x.txt", "hello\n")
}
