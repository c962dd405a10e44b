//! Every table for LaTeX, compiled as the comment at its head says, where TeX is installed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;

use crate::support::{Folder, check};

/// `None` where there is no TeX: the test says so and is skipped.
fn tex() -> Option<()> {
    let installed = |engine: &str| Command::new(engine).arg("--version").output().is_ok_and(|out| out.status.success());
    if installed("xelatex") && installed("pdflatex") {
        return Some(());
    }
    println!(
        "skipped: xelatex or pdflatex is not installed (Debian: texlive-xetex texlive-latex-extra texlive-lang-chinese)"
    );
    None
}

/// The .tex files of a folder.
fn tables(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "tex"));
    files.sort();
    assert!(!files.is_empty(), "{}", folder.display());
    files
}

/// Compiles a file of tables with the packages and the engine that its comments name. Nothing is wider than a line.
fn compile(path: &Path) {
    let name = path.file_stem().unwrap().to_str().unwrap();
    let text = fs::read_to_string(path).unwrap();
    assert!(text.contains("\\caption{") && text.contains("\\label{tab:"), "{name}:\n{text}");
    let asked =
        |start: &str| text.lines().filter_map(|line| line.strip_prefix(start)).map(str::to_owned).collect::<Vec<_>>();
    let mut preamble: Vec<String> = asked("% \\").iter().map(|rest| format!("\\{rest}")).collect();
    preamble.dedup();
    let engine = match asked("% engine: ").iter().all(|engine| engine.starts_with("pdflatex")) {
        true => "pdflatex",
        false => "xelatex",
    };
    let document = format!(
        "\\documentclass[11pt,a4paper]{{article}}\n{}\n\\begin{{document}}\n{text}\\end{{document}}\n",
        preamble.join("\n")
    );
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("table.tex"), document).unwrap();
    // A table of several pages knows the widths of its columns only when it is set again.
    let runs = if text.contains("{longtable}") { 3 } else { 1 };
    let compile = || {
        let arguments = ["-interaction=nonstopmode", "-halt-on-error", "table.tex"];
        Command::new(engine).args(arguments).current_dir(folder.path()).output().unwrap().status.success()
    };
    let compiled = (0..runs).all(|_| compile());
    let log = String::from_utf8_lossy(&fs::read(folder.path().join("table.log")).unwrap()).into_owned();
    // CARAT_KEEP_PDF=FOLDER keeps what was made, for eyes.
    if let Some(kept) = std::env::var_os("CARAT_KEEP_PDF") {
        let run = path.ancestors().nth(2).and_then(Path::file_name).unwrap().to_string_lossy();
        fs::copy(folder.path().join("table.pdf"), Path::new(&kept).join(format!("{run}-{name}.pdf"))).unwrap();
    }
    let faults = ["Overfull \\hbox", "Float too large", "Missing character", "! "];
    let told: Vec<&str> = log.lines().filter(|line| faults.iter().any(|fault| line.starts_with(fault))).collect();
    assert!(compiled && told.is_empty(), "{name} by {engine}: {told:#?}");
}

#[test]
fn tables_of_a_run_compile_in_english() {
    let Some(()) = tex() else { return };
    let folder = Folder::new();
    let rows = "--algorithm all-text --algorithm nta --algorithm cevc:alpha=0..1/0.02 --algorithm semantic --bounds oracle-subtree";
    check(&folder, &format!("run --where language=en {rows} --out o"), 0, &[]);
    let files = tables(&folder.path("o/tables"));
    for name in ["compact.tex", "rows.tex", "by_site.tex"] {
        assert!(files.iter().any(|path| path.ends_with(name)), "{name} is not in {files:?}");
    }
    files.iter().for_each(|path| compile(path));
    let compact = folder.read("o/tables/compact.tex");
    assert!(compact.contains("\\label{tab:portals}") && compact.matches("\\textbf{").count() == 1, "{compact}");
    assert!(compact.contains("\\emph{bounds: ") && compact.contains("(best of 51)"), "{compact}");
    let compared = check(&folder, "compare o --row nta --row all-text --format latex", 0, &[]).stdout;
    let folder = folder.with("compared/compare.tex", compared);
    compile(&folder.path("compared/compare.tex"));
}

#[test]
fn tables_with_chinese_names_compile_and_those_of_runs_without_gold_too() {
    let Some(()) = tex() else { return };
    let manifest =
        "format: 1\nname: scored\nversion: '1'\nlicence: {data: CC0-1.0, pages: CC0-1.0, redistribution: free}\n";
    let page = |number: usize, gold: bool| {
        let html = "<body><p>记者从会上获悉，今年的港口工程已经全部完工。</p><p><a href=/>首页</a></p></body>";
        let gold = gold.then(|| json!({"text": "记者从会上获悉，今年的港口工程已经全部完工。"}));
        let site = ["新华网（北京）", "人民日报_海外版", "例子.example"][number % 3];
        format!("{}\n", json!({"id": format!("p{number}"), "html": {"text": html}, "site": site, "gold": gold}))
    };
    let pages = (0..12).map(|number| page(number, number < 6)).collect::<String>();
    let bare = (0..6).map(|number| page(number, false)).collect::<String>();
    let folder = Folder::new()
        .with("scored/dataset.yaml", manifest)
        .with("scored/pages.jsonl", pages)
        .with("bare/dataset.yaml", manifest.replace("scored", "bare"))
        .with("bare/pages.jsonl", bare);
    let rows = "--algorithm all-text --algorithm nonlink-text --algorithm nta";
    for name in ["scored", "bare"] {
        check(&folder, &format!("run --dataset ./{name} {rows} --out {name}-run"), 0, &[]);
        tables(&folder.path(&format!("{name}-run/tables"))).iter().for_each(|path| compile(path));
    }
    let names: Vec<PathBuf> = tables(&folder.path("bare-run/tables"));
    let names: Vec<&str> = names.iter().map(|path| path.file_name().unwrap().to_str().unwrap()).collect();
    let expected = ["agreement.tex", "agreement_by_site.tex", "disputed.tex", "kept.tex", "kept_by_site.tex"];
    assert_eq!(names, expected, "no table is empty");
    assert!(folder.read("scored-run/tables/by_site.tex").contains("% \\usepackage{xeCJK}"));
    // The same in Chinese, with captions and notes.
    for name in ["scored", "bare"] {
        check(&folder, &format!("report {name}-run --lang zh"), 0, &[]);
        tables(&folder.path(&format!("{name}-run/tables"))).iter().for_each(|path| compile(path));
    }
    assert!(folder.read("scored-run/tables/compact.tex").contains("\\caption{scored 上的抽取"));
}

#[test]
fn tables_of_papers_and_their_claims_compile() {
    let Some(()) = tex() else { return };
    let folder = Folder::new();
    check(&folder, "reproduce cevc --out o", 0, &[]);
    tables(&folder.path("o/cevc/tables")).iter().for_each(|path| compile(path));
    assert!(folder.read("o/cevc/tables/claims.tex").contains("\\label{tab:claims}"));
}
