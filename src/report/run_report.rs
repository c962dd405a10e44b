//! The report of a run, in its folder: tables, figures and HTML.

use super::drawing::{Drawn, FigureFiles};
use super::language::Language;
use super::latex::with_one_head;
use super::run_files::RunFiles;
use super::writing::{File, is_table_or_figure, put_all};
use super::{agreement, complexity, conditions, groups, html, roles, savings, tables};
use crate::runs::folder::Claim;
use crate::runs::folder_error::FolderError;

/// Writes the tables, in `language`, and the files of `figures` of `run` into its folder, that of `claim`, in `tables/` and `figures/`; what
/// an earlier report left there is removed. CSV is for programs, and the same in every language.
///
/// # Errors
/// [`FolderError`]: a file that cannot be written.
pub fn make(claim: &Claim, run: &RunFiles<'_>, figures: FigureFiles, language: Language) -> Result<(), FolderError> {
    let tables = table_files(run, language).into_iter();
    let files = figures.files.into_iter().map(|(name, bytes)| (format!("figures/{name}"), bytes));
    put_all(claim, &tables.chain(files).collect::<Vec<_>>(), is_table_or_figure)
}

/// Makes `index.html` of `run` with its `drawn` figures and links to their `files`, and a file for each page in `pages/`,
/// labelled in `language`; what an earlier one left there is removed.
///
/// # Errors
/// [`FolderError`]: a unit that is missing or damaged, or a file that cannot be written; what an earlier report left is
/// then as it was.
pub fn make_html(
    claim: &Claim,
    run: &RunFiles<'_>,
    drawn: &[Drawn],
    files: &FigureFiles,
    language: Language,
) -> Result<(), FolderError> {
    html::write(claim, run, (drawn, files), language)
}

/// The files of the tables, each with its name in the folder of the run.
pub(super) fn table_files(run: &RunFiles<'_>, language: Language) -> Vec<File> {
    let summary = &run.summary;
    let rows = [
        ("rows.csv".to_owned(), tables::csv(summary)),
        ("rows.md".to_owned(), conditions::above(&run.info, language, true) + &tables::markdown(summary, language)),
        ("rows.tex".to_owned(), tables::latex(summary, language)),
        ("compact.tex".to_owned(), tables::compact(run, language)),
    ];
    // A run without gold has no rows, and LaTeX no table without them.
    let rows = rows.into_iter().filter(|(name, text)| !name.ends_with(".tex") || !text.is_empty());
    let files = rows.chain(groups::files(summary, language)).chain(agreement::files(summary, language));
    let files = files.chain(agreement::kept::files(summary, language));
    let files = files.chain(roles::files(summary, language)).chain(savings::files(summary, language));
    let files = files.chain(complexity::files(summary, &run.complexity, language));
    let file = |(name, text): (String, String)| {
        let text = if name.ends_with(".tex") { with_one_head(&text) } else { text };
        (format!("tables/{name}"), text.into_bytes())
    };
    files.map(file).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use super::*;
    use crate::formats::digest::sha256;
    use crate::report::drawing::drawn;
    use crate::report::examples::{alpha_sweep, row, summary};
    use crate::report::painter::Painter;
    use crate::runs::run_folder::examples::sealed;

    fn run_folder(dataset: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let mut rows = vec![row(dataset, "all-text", 0.5)];
        rows.extend(alpha_sweep(dataset, 21));
        let json = serde_json::to_vec(&summary(rows)).unwrap();
        std::fs::write(folder.path().join("summary.json"), json).unwrap();
        std::fs::write(folder.path().join("scores.csv"), SCORES).unwrap();
        std::fs::write(folder.path().join("pages.csv"), PAGE_LINES).unwrap();
        folder
    }

    /// A run of no page.
    const SCORES: &str = "dataset,page,site,algorithm,parameters,status,matched,extracted,gold\n";

    const PAGE_LINES: &str = "dataset,page,status,encoding,replaced,nodes,depth,text,link,gold\n";

    fn made(folder: &Path, painter: Option<&Painter>) -> Vec<String> {
        let claim = Claim::of(folder).unwrap();
        let run = RunFiles::read(&claim, &sealed(folder), 10).unwrap();
        let drawn = drawn(run.figures().unwrap(), Language::English);
        let figures = FigureFiles::painted(&drawn, painter);
        let warnings = figures.warnings.clone();
        make(&claim, &run, figures, Language::English).unwrap();
        warnings
    }

    fn content(folder: &Path) -> BTreeMap<String, Vec<u8>> {
        let files = ["tables", "figures"].into_iter().flat_map(|part| std::fs::read_dir(folder.join(part)).unwrap());
        files
            .map(|entry| entry.unwrap().path())
            .map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), std::fs::read(&path).unwrap()))
            .collect()
    }

    #[test]
    fn made_twice_the_same_bytes() {
        let folder = run_folder("d");
        made(folder.path(), Painter::new().as_ref());
        let first = content(folder.path());
        made(folder.path(), Painter::new().as_ref());
        assert_eq!(content(folder.path()), first);
        let compact = String::from_utf8_lossy(&first["compact.tex"]);
        assert!(compact.contains("intervals: ") && !compact.contains("ranks"), "it has no ranks: {compact}");
        let names = [
            "by_language.csv", "by_language.md", "by_language.tex", "compact.tex", "d-algorithms.csv",
            "d-algorithms.svg", "d-cevc-alpha.csv", "d-cevc-alpha.svg", "d-precision-recall.csv",
            "d-precision-recall.svg", "rows.csv", "rows.md", "rows.tex",
        ];
        let kept: Vec<&String> =
            first.keys().filter(|name| !name.ends_with(".png") && !name.ends_with(".pdf")).collect();
        assert_eq!(kept, names);
    }

    #[test]
    fn without_fonts_there_is_one_warning_and_no_picture() {
        let folder = run_folder("../odd name/新闻");
        let warnings = made(folder.path(), None);
        let told =
            "no font is installed, so no PNG and no PDF was made; the SVG files are complete, and `carat report`";
        assert!(matches!(&warnings[..], [warning] if warning.starts_with(told)), "{warnings:?}");
        let files = content(folder.path());
        assert!(files.contains_key("_._odd_name_新闻-cevc-alpha.svg"), "{:?}", files.keys());
        assert!(!files.keys().any(|name| name.ends_with(".png")));
    }

    #[test]
    fn what_an_earlier_report_wrote_is_removed_and_nothing_else() {
        let folder = run_folder("old");
        std::fs::create_dir_all(folder.path().join("figures")).unwrap();
        for mine in ["figures/photo.png", "figures/notes.csv", "keep.svg"] {
            std::fs::write(folder.path().join(mine), "x").unwrap();
        }
        made(folder.path(), None);
        let json = serde_json::to_vec(&summary(vec![row("new", "all-text", 0.5)])).unwrap();
        std::fs::write(folder.path().join("summary.json"), json).unwrap();
        let list = std::fs::read_to_string(folder.path().join("report.txt")).unwrap();
        let listed = [("keep.svg", "x"), ("figures/../keep.svg", "x"), ("figures/photo.png", "what a report wrote")];
        let more: String = listed.map(|(name, content)| format!("{}  {name}\n", sha256(content.as_bytes()))).concat();
        std::fs::write(folder.path().join("report.txt"), list + &more).unwrap();
        made(folder.path(), None);
        let files = content(folder.path());
        assert!(!files.keys().any(|name| name.starts_with("old-")), "{:?}", files.keys());
        assert!(files.contains_key("photo.png") && files.contains_key("notes.csv"), "{:?}", files.keys());
        assert!(folder.path().join("keep.svg").exists());
    }
}
