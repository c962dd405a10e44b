//! `carat site`: documents that run nothing and ask for nothing, and submissions that are checked.

use std::fs;

use crate::support::{Folder, check};

/// Eight pages of eight sites with gold, a run of them with times, and a submission.
fn made() -> Folder {
    let mut lines = String::new();
    let mut outputs = String::from("{\"system\":\"theirs\",\"version\":\"2\"}\n");
    for site in 0..8 {
        let words: String = (0..40).map(|word| format!("word{} ", word * (site + 3) % 41)).collect();
        let html =
            format!("<title>t</title><div><a href=/>home of the site {site}</a><p>{words}.<p>{words}, more</div>");
        let line = serde_json::json!({
            "id": format!("page{site}"),
            "html": {"text": html},
            "gold": {"text": format!("{words}.\n{words}, more\n")},
            "site": format!("s{site}.org"),
        });
        lines += &format!("{line}\n");
        outputs += &format!("{}\n", serde_json::json!({"id": format!("page{site}"), "text": words}));
    }
    let manifest =
        "format: 1\nname: demo\nversion: '1'\nlicence: {data: CC0-1.0, pages: CC0-1.0, redistribution: free}\n";
    let folder = Folder::new().with("demo/dataset.yaml", manifest).with("demo/pages.jsonl", lines);
    let run = "run --dataset ./demo --algorithm all-text --algorithm nonlink-text --algorithm nta --time --out o";
    check(&folder, run, 0, &[]);
    let digest = folder.json("o/run.json")["conditions"]["datasets"]["demo"]["digest"].as_str().unwrap().to_owned();
    folder.with("sub/outputs.jsonl", outputs).with("sub/submission.yaml", submission(&digest))
}

fn submission(digest: &str) -> String {
    format!(
        "submission: 1\nname: <img src=x onerror=alert(1)>\nversion: '2'\ndataset: demo\ndigest: {digest}\noutputs: outputs.jsonl\n\
         note: '</td><script>alert(1)</script>'\n"
    )
}

#[test]
fn a_site_shows_groups_times_pages_history_and_submissions_and_runs_nothing() {
    let folder = made();
    check(&folder, "history add h.jsonl o --label v1", 0, &[]);
    let built = "site o --submission sub --history h.jsonl --out public --title <Mine>";
    check(&folder, built, 0, &["1 table, ", " in public"]);
    let table = folder.read("public/demo-lcs-char.html");
    for told in [
        "Rows that share a letter cannot be told apart",
        "F1 against time",
        "Pages where rows differ",
        "History",
        "&lt;&#x2f;td&gt;&lt;script&gt;alert(1)",
        "theirs",
        "result digest",
        "sha256:",
        "8 pages of 8 sites",
    ] {
        assert!(table.contains(told), "`{told}` is not in the table:\n{}", &table[table.find("<main>").unwrap()..]);
    }
    let home = folder.read("public/index.html");
    assert!(home.contains("&lt;Mine&gt;") && home.contains("href=\"demo-lcs-char.html\""), "{home}");
    for (name, document) in [("table", &table), ("index", &home)] {
        assert!(!document.contains("<script") && !document.contains("<img"), "{name}");
        let addresses: Vec<&str> =
            document.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
        assert!(addresses.iter().all(|address| !address.contains("//")), "{name}: {addresses:?}");
        assert!(document.contains("default-src &#x27;none&#x27;"), "{name}");
    }
    for address in table.split("href=\"figures/").skip(1).map(|rest| rest.split('"').next().unwrap()) {
        assert!(folder.path(&format!("public/figures/{address}")).exists(), "{address}");
    }
    // Figures of two runs of a dataset say of which they are.
    check(&folder, "run --dataset ./demo --algorithm nonlink-text --algorithm cevc --out two", 0, &[]);
    check(&folder, "site o two --out both", 0, &[]);
    let both = folder.read("both/demo-lcs-char.html");
    for told in ["algorithms by F1 (run o)", "algorithms by F1 (run two)", "Run two: cevc "] {
        assert!(both.contains(told), "`{told}` is not in:\n{}", &both[both.find("<main>").unwrap()..]);
    }
    assert!(!table.contains("(run o)"));
    // Made twice the same bytes, and what an earlier site left goes.
    let first = folder.files();
    check(&folder, built, 0, &[]);
    assert_eq!(folder.files().keys().collect::<Vec<_>>(), first.keys().collect::<Vec<_>>());
    assert_eq!(folder.read("public/demo-lcs-char.html"), table);
    check(&folder, "site o --out public", 0, &[]);
    let names: Vec<String> = fs::read_dir(folder.path("public/figures"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert!(
        !names.iter().any(|name| name.contains("history"))
            && !folder.read("public/demo-lcs-char.html").contains("theirs")
    );
}

#[test]
fn a_submission_is_checked_before_it_is_taken_in() {
    let folder = made();
    check(&folder, "site check sub --dataset ./demo", 0, &["outputs of 8 of 8 pages of demo"]);
    let manifest = folder.read("sub/submission.yaml");
    let faults: [(&str, String, &str); 6] = [
        ("another digest", manifest.replace("sha256:", "sha256:0"), "E-DIGEST"),
        ("another dataset", manifest.replace("dataset: demo", "dataset: portals"), "E-UNKNOWN"),
        ("a path outside", manifest.replace("outputs.jsonl", "../mine.jsonl"), "E-PATH"),
        ("no such file", manifest.replace("outputs.jsonl", "others.jsonl"), "E-MISSING"),
        ("an unknown key", format!("{manifest}rank: 1\n"), "E-KEY"),
        ("another version", manifest.replace("submission: 1", "submission: 2"), "E-FORMAT"),
    ];
    for (what, text, code) in faults {
        fs::write(folder.path("sub/submission.yaml"), text).unwrap();
        let ran = check(&folder, "site check sub --dataset ./demo", 3, &[code]);
        let refused = folder.carat("site o --submission sub --out public");
        assert_ne!(refused.code, 0, "{what}: {ran:?}");
        assert!(!folder.path("public").exists(), "{what}");
    }
    fs::write(folder.path("sub/submission.yaml"), &manifest).unwrap();
    let outputs = folder.read("sub/outputs.jsonl");
    fs::write(folder.path("sub/outputs.jsonl"), outputs.replace("page7", "page99")).unwrap();
    check(&folder, "site check sub --dataset ./demo", 3, &["page99", "E-STORED"]);
    let some: String = outputs.lines().take(5).map(|line| format!("{line}\n")).collect();
    fs::write(folder.path("sub/outputs.jsonl"), some).unwrap();
    check(&folder, "site check sub --dataset ./demo", 0, &["outputs of 4 of 8 pages", "4 pages have no output"]);
}

#[cfg(unix)]
#[test]
fn no_site_run_or_dataset_takes_the_place_of_what_someone_else_keeps() {
    let folder = made().with("web/index.html", "<p>mine").with("pages/html/a.html", "<p>x").with("own/a/b.txt", "x");
    let figures = fs::read_dir(folder.path("o/figures")).unwrap().count();
    let refused = |command: &str, code: i32, told: &str| {
        let ran = check(&folder, command, code, &[]);
        assert!(ran.stderr.contains(told), "{command}: {ran:?}");
    };
    refused("site o --out o", 2, "o holds a run: choose another folder, such as --out o-site");
    refused("site o --out demo", 2, "demo holds a dataset");
    refused("site o --out web", 2, "web holds index.html, which a run would replace: choose another folder");
    refused("site o --out pages", 2, "pages holds pages, such as pages/html/a.html");
    let folder = folder.with("lists/report.txt", "mine");
    let refused = |command: &str, code: i32, told: &str| {
        let ran = check(&folder, command, code, &[]);
        assert!(ran.stderr.contains(told), "{command}: {ran:?}");
    };
    refused("site o --out lists", 2, "lists holds report.txt");
    refused("run --dataset ./demo --algorithm all-text --out lists", 2, "--out lists holds report.txt");
    assert_eq!(
        (folder.read("web/index.html").as_str(), fs::read_dir(folder.path("o/figures")).unwrap().count()),
        ("<p>mine", figures)
    );
    // A site takes the place of the earlier one.
    check(&folder, "site o --out public", 0, &[]);
    check(&folder, "site o --out public", 0, &[]);
    let run = "run --dataset ./demo --algorithm all-text --out";
    refused(&format!("{run} pages"), 2, "--out pages holds pages, such as pages/html/a.html: choose another folder");
    refused("run --dataset portals --algorithm all-text --out demo", 2, "--out demo holds a dataset");
    check(&folder, &format!("{run} own"), 0, &[]);
    refused("dataset export portals --out o", 2, "o holds a run; choose another --out");
}

/// A run that was kept so that nobody changes it.
#[cfg(target_os = "linux")]
#[test]
fn a_run_that_can_only_be_read_is_printed_and_shown() {
    let folder = made();
    let Some(told) = crate::support::on_disk_to_read(&folder, "o") else { return };
    let printed = told("report disk/o", 0);
    assert!(
        printed.contains("demo") && printed.contains("note: disk/o cannot be written to, so its tables"),
        "{printed}"
    );
    assert!(told("report disk/o --format json", 0).contains("\"rows\""));
    assert!(told("site disk/o --out public", 0).contains("1 table"));
    assert!(folder.path("public/index.html").is_file());
}

#[test]
fn what_a_submission_links_to_is_not_read() {
    let folder = made().with("secret.jsonl", "{\"system\":\"x\"}\n");
    fs::remove_file(folder.path("sub/outputs.jsonl")).unwrap();
    std::os::unix::fs::symlink(folder.path("secret.jsonl"), folder.path("sub/outputs.jsonl")).unwrap();
    check(&folder, "site check sub --dataset ./demo", 3, &["is a link or no file", "E-PATH"]);
}

#[test]
fn runs_under_unlike_conditions_are_tables_of_their_own() {
    let folder = made();
    check(&folder, "run --dataset ./demo --algorithm all-text --algorithm nta --tokens word --out w", 0, &[]);
    check(&folder, "run --dataset ./demo --algorithm bte --out b", 0, &[]);
    check(&folder, "site o w b --out public", 0, &["2 tables"]);
    let table = folder.read("public/demo-lcs-char.html");
    assert!(table.contains("o&#x2f;nta") && table.contains("b&#x2f;bte"), "runs under equal conditions are one table");
    assert!(folder.path("public/demo-lcs-word.html").exists());
    check(&folder, "site nothing --out public", 2, &["nothing is no folder of a run"]);
    check(&folder, "site o", 2, &["--out"]);
}
