//! `carat dataset annotate`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::datasets::Dataset;
use crate::datasets::import::write::Layout;
use crate::datasets::manifest::Compression;
use crate::formats::inert::one_line;
use crate::runs::annotate::{Annotated, annotate};
use serde_json::json;

use super::claimed;
use crate::command_line::arguments::{Annotate, Format};
use crate::command_line::failure::Failure;
use crate::command_line::faults::located;
use crate::command_line::output::{print, print_json, tell};

/// Writes a dataset with gold nodes, and prints the pages whose gold the tree does not hold.
pub(super) fn annotate_dataset(arguments: &Annotate) -> Result<(), Failure> {
    let mut dataset = located(&arguments.dataset, &arguments.loading)?;
    if dataset.dropped().listed().next().is_some() {
        dataset.mark_fixed();
    }
    let out = arguments.out.clone().unwrap_or_else(|| beside(&arguments.dataset, &dataset));
    let _claim = claimed(&out)?;
    let annotated = annotate(&dataset, &out, Layout::Files(Compression::Zstd))?;
    if annotated.without_roles > 0 {
        let pages = if annotated.without_roles == 1 { "1 page" } else { &format!("{} pages", annotated.without_roles) };
        tell(&format!(
            "warning: the roles that annotated copies of {pages} name are not in {}: `nodes` stand beside a text alone",
            out.display()
        ));
    }
    match arguments.format {
        Format::Text => print(&text(&annotated, &dataset, &out)),
        Format::Json => print_json(&as_json(&annotated, &dataset, &out)),
    }
}

/// Where the dataset goes if nothing is said: beside a folder, or into the folder that carat is started in.
fn beside(named: &str, dataset: &Dataset) -> PathBuf {
    let folder = Path::new(named);
    if !folder.join("dataset.yaml").is_file() {
        return PathBuf::from(format!("{}-nodes", dataset.name()));
    }
    // `.` and `..` are no names, and what stands behind them would be inside the dataset.
    let folder =
        if folder.file_name().is_none() { folder.canonicalize().unwrap_or_default() } else { folder.to_owned() };
    let name = folder.file_name().map_or_else(|| dataset.name().into(), |name| name.to_string_lossy());
    folder.with_file_name(format!("{name}-nodes"))
}

fn text(annotated: &Annotated, dataset: &Dataset, out: &Path) -> String {
    let Annotated { pages, exact, low, left, digest, .. } = annotated;
    let mut text = format!("{}: {} pages, gold nodes found for {pages}\n", out.display(), dataset.records.len());
    let _ = writeln!(
        text,
        "mean F1 against the gold {:.4}; 1 on {exact} pages, below 0.95 on {}",
        annotated.mean_f1(),
        low.len()
    );
    for ([part, whole], page) in low {
        let _ = writeln!(text, "  {:.4}  {part}/{whole}  {page}", *part as f64 / *whole as f64);
    }
    for (page, reason) in left {
        let _ = writeln!(text, "left without nodes: {page}: {}", one_line(reason));
    }
    text + digest + "\n"
}

fn as_json(annotated: &Annotated, dataset: &Dataset, out: &Path) -> serde_json::Value {
    let low = annotated.low.iter().map(|(f1, page)| json!({"page": page, "f1": f1}));
    let left = annotated.left.iter().map(|(page, reason)| json!({"page": page, "reason": reason}));
    json!({
        "out": out, "pages": dataset.records.len(), "annotated": annotated.pages, "exact": annotated.exact,
        "mean_f1": annotated.mean_f1(), "below_0.95": low.collect::<Vec<_>>(),
        "without_roles": annotated.without_roles,
        "without_nodes": left.collect::<Vec<_>>(), "digest": annotated.digest,
    })
}
