//! `carat diff` as people meet it.

use crate::support::{Folder, check};

const MANIFEST: &str =
    "format: 1\nname: demo\nversion: '1'\nlicence: {data: CC0-1.0, pages: CC0-1.0, redistribution: free}\n";

/// Three pages, the outputs of two systems, and their run in `o`. `spare` lacks the third page; `loud` speaks
/// to terminals there.
fn demo() -> Folder {
    let page = |id: &str, gold: &str| {
        format!("{{\"id\":\"{id}\",\"html\":{{\"text\":\"<p>x\"}},\"gold\":{{\"text\":\"{gold}\"}}}}\n")
    };
    let pages = [
        page("harbour", r"The ferry left at nine.\nIt was late.\nNobody minded.\nThe end."),
        page("hall", "记者从会上获悉。"),
        page("hostile", "plain"),
    ];
    let output = |system: &str, lines: [(&str, &str); 3]| {
        let lines = lines.iter().filter(|(id, _)| !id.is_empty());
        let lines: String = lines.map(|(id, text)| format!("{{\"id\":\"{id}\",\"text\":\"{text}\"}}\n")).collect();
        format!("{{\"system\":\"{system}\"}}\n{lines}")
    };
    let harbour = r"Home\nThe ferry left at ten.\nIt was late.\nNobody minded.\nThe end.";
    let folder = Folder::new()
        .with("demo/dataset.yaml", MANIFEST)
        .with("demo/pages.jsonl", pages.concat())
        .with(
            "demo/stored/loud.jsonl",
            output("loud", [("harbour", harbour), ("hall", "记者会上获悉。"), ("hostile", r"\u001b[2J\u202egnp")]),
        )
        .with(
            "demo/stored/spare.jsonl",
            output("spare", [("harbour", "The end."), ("hall", "记者从会上获悉。"), ("", "")]),
        );
    check(&folder, "run --dataset ./demo --stored all --out o", 0, &[]);
    folder
}

#[test]
fn rows_with_one_text_are_shown_once_the_default_first() {
    let page = r#"{"id":"p","html":{"text":"<body><p>The ferry left at nine.<nav><a href=x>Menu</a></nav>"},"#;
    let folder = Folder::new()
        .with("demo/dataset.yaml", MANIFEST)
        .with("demo/pages.jsonl", format!("{page}\"gold\":{{\"text\":\"The ferry left at nine.\"}}}}\n"));
    let run = "run --dataset ./demo --algorithm nta:coherence=0.5|0.8|0.9 --algorithm all-text --bounds none --out o";
    check(&folder, run, 0, &[]);
    let shown = check(&folder, "diff o p --algorithm nta --algorithm all-text --algorithm nta", 0, &[]).stdout;
    let headings: Vec<&str> = shown.lines().filter(|line| line.starts_with("p of demo")).collect();
    assert_eq!(
        headings,
        ["p of demo: all-text = nta:coherence=0.5", "p of demo: nta:coherence=0.9 = nta:coherence=0.8"]
    );
    assert_eq!([shown.matches("the same text").count(), shown.matches("{+Menu+}").count()], [1, 1], "{shown}");
}

#[test]
fn what_is_missing_and_what_is_too_much_is_marked_word_by_word() {
    let shown = check(&demo(), "diff o harbour --algorithm loud --context 1", 0, &[]).stdout;
    let expected = "\
harbour of demo: stored/loud
precision 0.8846  recall 0.9388  F1 0.9109  (46 matched, 52 extracted, 49 gold)

{+Home+}
The ferry left at [-nine-]{+ten+}.
It was late.
  .. 2 lines that both have

[-in the gold alone-]  {+in the extraction alone+}
";
    assert!(shown.starts_with(expected), "{shown}");
    assert!(shown.contains("tokens char, case keep, measure lcs"), "{shown}");
    check(&demo(), "diff o hall --algorithm stored/loud", 0, &["记者[-从-]会上获悉。"]);
    check(&demo(), "diff o hall --algorithm spare", 0, &["the same text\n  .. a line that both have\n"]);
}

#[test]
fn gold_and_extraction_stand_side_by_side() {
    let shown = check(&demo(), "diff o harbour --algorithm loud --context 0 --side-by-side", 0, &[]).stdout;
    let lines: Vec<&str> = shown.lines().filter(|line| line.contains(" |")).collect();
    assert_eq!(lines.len(), 2, "{shown}");
    assert_eq!(lines[0].trim_start(), "| {+Home+}");
    let (left, right) = lines[1].split_once(" | ").unwrap();
    assert_eq!((left.trim_end(), right), ("The ferry left at [-nine-].", "The ferry left at {+ten+}."));
}

#[test]
fn without_a_row_the_page_says_what_there_is() {
    let shown = check(&demo(), "diff o har", 0, &["stored/loud", "choose with --algorithm"]).stdout;
    let (loud, spare) = (shown.find("stored/loud").unwrap(), shown.find("stored/spare").unwrap());
    assert!(loud < spare, "the best row first:\n{shown}");
    check(&demo(), "diff o hostile", 0, &["not_run"]);
    check(&demo(), "diff o hostile --algorithm spare", 0, &["was not run"]);
}

#[test]
fn texts_cannot_steer_the_terminal() {
    // `check` refuses escape codes too.
    let shown = check(&demo(), "diff o hostile --algorithm loud", 0, &["{+\u{FFFD}[2J\u{FFFD}gnp+}"]).stdout;
    assert!(!shown.contains(['\u{1b}', '\u{202e}']));
}

#[test]
fn colour_comes_when_asked_for() {
    let folder = demo();
    let mut command = assert_cmd::Command::new(env!("CARGO_BIN_EXE_carat"));
    let arguments = ["diff", "o", "harbour", "--algorithm", "loud", "--color", "always"];
    let output = command.current_dir(folder.0.path()).args(arguments).output().unwrap();
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(shown.contains("The ferry left at \u{1b}[31;9mnine\u{1b}[0m\u{1b}[32;1mten\u{1b}[0m."), "{shown}");
}

#[test]
fn programs_get_all_of_it() {
    let shown = check(&demo(), "diff o harbour --algorithm loud --format json", 0, &[]).stdout;
    let json: serde_json::Value = serde_json::from_str(&shown).unwrap();
    let row = &json["rows"][0];
    assert_eq!((&row["score"]["matched"], &row["lines"][1][1]["side"]), (&46.into(), &"missing".into()));
    assert_eq!(row["lines"][1][1]["text"], "nine");
    assert_eq!(json["gold"].as_str().unwrap().lines().count(), 4);
}

#[test]
fn what_cannot_be_shown_is_told() {
    let folder = demo();
    check(
        &folder,
        "diff o ha",
        2,
        &["`ha` begins the ids of 2 pages: harbour of demo, hall of demo; give more of the id"],
    );
    check(&folder, "diff o harbuor", 2, &["no page has an id that begins with `harbuor`; did you mean `harbour`?"]);
    check(&folder, "diff o hall --algorithm luod", 2, &["no row of the run is `luod`"]);
    check(&folder, "diff o hall --dataset other", 2, &["the run has no dataset `other`; it has demo"]);
    check(&folder, "diff demo hall", 2, &["demo is no folder of a run; there are o\n"]);
    check(&folder, "run --dataset ./demo --stored all --out bare --no-texts", 0, &[]);
    check(&folder, "diff bare hall --algorithm loud", 3, &["holds no texts: it was run with --no-texts"]);
    std::fs::remove_dir_all(folder.path("o/units")).unwrap();
    check(&folder, "diff o hall --algorithm loud", 3, &["is missing or damaged"]);
}

#[test]
fn a_page_with_spaces_in_its_name_is_found_as_its_file_is_called() {
    let folder = Folder::new()
        .with("own/html/my first page.html", "<p>one</p>")
        .with("own/gold/my first page.txt", "one")
        .with("own/html/my other page.html", "<p>two</p>")
        .with("own/gold/my other page.txt", "two");
    let run = ["run", "--dataset", "./own", "--where", "id=my first page", "--algorithm", "all-text", "--out", "o"];
    let ran = folder.carat_with(b"", &run);
    assert!(ran.code == 0 && folder.read("o/scores.csv").contains("my%20first%20page"), "{ran:?}");
    let ran = folder.carat_with(b"", &["diff", "o", "my fi"]);
    assert!(ran.code == 0 && ran.stdout.contains("my%20first%20page"), "{ran:?}");
}

/// The demonstration with a later run in `n`, for which `loud` extracts another text from one page.
fn run_again() -> Folder {
    let folder = demo();
    let outputs = folder.read("demo/stored/loud.jsonl").replace("left at ten.", "left at nine.");
    let folder = folder.with("demo/stored/loud.jsonl", outputs);
    check(&folder, "run --dataset ./demo --stored all --out n", 0, &[]);
    folder
}

#[test]
fn a_page_is_compared_between_two_runs() {
    let folder = run_again();
    let shown = check(&folder, "diff n harbour --before o", 0, &[]).stdout;
    let row = shown.lines().find(|line| line.contains("stored/loud")).unwrap();
    let cells: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(cells, ["stored/loud", "0.9109", "0.9608", "another", "text"], "{shown}");
    assert!(!shown.contains("stored/spare"), "{shown}");
    let says =
        "\n1 of 2 rows have the same text in both runs\nchoose with --algorithm, such as --algorithm stored/loud\n";
    assert!(shown.ends_with(says), "{shown}");
    let shown = check(&folder, "diff n harbour --before o --algorithm loud --context 0", 0, &[]).stdout;
    assert!(shown.contains("A: stored/loud in o, F1 0.9109\nB: stored/loud in n, F1 0.9608\n"), "{shown}");
    assert!(shown.contains("The ferry left at [-ten-]{+nine+}.\n"), "{shown}");
    check(&folder, "diff n hall --before o", 0, &["hall of demo\n2 of 2 rows have the same text in both runs\n"]);
    check(&folder, "diff n hall --before o --algorithm loud", 0, &["the same text\n"]);
    let json = check(&folder, "diff n harbour --before o --format json", 0, &[]).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let told = |place: usize| (json["rows"][place]["row"].clone(), json["rows"][place]["is_same"].clone());
    assert_eq!([told(0), told(1)], [("stored/loud".into(), false.into()), ("stored/spare".into(), true.into())]);
    check(&folder, "diff n harbour --before o --lang zh", 0, &["此前 F1", "2 行中有 1 行在两次运行中文本相同"]);
}

#[test]
fn the_pages_with_another_text_are_listed() {
    let folder = run_again();
    let shown = check(&folder, "diff n --before o", 0, &[]).stdout;
    let row = shown.lines().find(|line| line.contains("harbour")).unwrap();
    let cells: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(cells, ["harbour", "demo", "1", "of", "2", "rows", "0.9109", "0.9608", "stored/loud"], "{shown}");
    let says = "\npages with another text than in the earlier run: 1 of 3\n\
                see a page with carat diff n harbour --dataset demo --before o\n";
    assert!(shown.ends_with(says) && !shown.contains("hall"), "{shown}");
    check(&folder, "diff n harbour --dataset demo --before o", 0, &["1 of 2 rows have the same text"]);
    let json = check(&folder, "diff n --before o --format json", 0, &[]).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["pages_in_both"], &json["pages"][0]["changed"][0]["row"]), (&3.into(), &"stored/loud".into()));
    check(
        &folder,
        "diff n --before o --algorithm spare",
        0,
        &["pages with another text than in the earlier run: 0 of 2\n"],
    );
    check(&folder, "diff n --before o --algorithm luod", 2, &["no row of the run is `luod`; there are stored/loud"]);
    check(&folder, "diff n --before o --dataset dem", 2, &["no dataset `dem` was run; there are demo"]);
    check(&folder, "diff n --before o --lang zh", 0, &["3 页中有 1 页的文本与较早的运行不同"]);
    check(&folder, "diff n", 2, &["say which page is meant, or with --before FOLDER which earlier run"]);
    // Scores know that a text is another, and not which.
    check(&folder, "run --dataset ./demo --stored all --out bare --no-texts", 0, &[]);
    let bare = check(&folder, "diff bare --before o", 0, &["earlier run: 1 of 3\n"]).stdout;
    assert!(!bare.contains("see a page"), "{bare}");
    check(&folder, "run --dataset portals --algorithm cevc --out p", 0, &[]);
    check(&folder, "diff p --before o", 2, &["no row has a page in both o and p"]);
}

/// Pages of two datasets under a row whose setting changes, beside one whose name does not.
#[test]
fn pages_that_fell_most_come_first_and_a_row_under_another_setting_is_the_same() {
    let folder = Folder::new();
    let run = |coherence: &str, more: &str, out: &str| {
        let run = format!("run {more} --algorithm nta:coherence={coherence} --bounds none --out {out}");
        check(&folder, &run, 0, &[]);
    };
    run("1", "--where language=zh", "o");
    run("0.6", "--where group=zh-news", "n");
    let json = check(&folder, "diff n --before o --format json", 0, &[]).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let pages = json["pages"].as_array().unwrap();
    let rise = |page: &serde_json::Value| {
        let f1 = [0, 1].map(|place: usize| page["changed"][0]["f1"][place].as_f64().unwrap());
        f1[1] - f1[0]
    };
    assert!(pages.len() > 1 && pages.is_sorted_by(|one, other| rise(one) <= rise(other)), "{json}");
    assert!(rise(&pages[0]) < 0.0, "{json}");
    let alone = json["pages_in_one"].as_u64().unwrap();
    assert!(alone > 0);
    let shown = check(&folder, "diff n --before o", 0, &[]).stdout;
    assert!(shown.contains(&format!("\npages of one of the runs alone: {alone}\n")), "{shown}");
    // Beside another row it is another one.
    run("0.6", "--where group=zh-news --algorithm cevc", "o2");
    run("1", "--where group=zh-news --algorithm cevc", "n2");
    let both = check(&folder, "diff n2 --before o2", 0, &["earlier run: 0 of 47\n"]).stdout;
    assert!(!both.contains("nta"), "{both}");
    check(&folder, "diff n2 --before o2 --algorithm nta", 0, &["of 1 rows"]);
    // Of many pages the first are printed.
    for (alpha, out) in [("0.1", "a"), ("0.9", "b")] {
        check(&folder, &format!("run --algorithm cevc:alpha={alpha} --bounds none --out {out}"), 0, &[]);
    }
    let told = "the first 30 are printed, those that fell most first; --format json has all";
    let many = check(&folder, "diff b --before a", 0, &[told]).stdout;
    assert_eq!(many.lines().filter(|line| line.contains("   portals   ")).count(), 30, "{many}");
}

#[test]
fn the_pages_without_gold_that_have_another_text_are_listed() {
    let page = |text: &str| format!("<html><p>{text}</p></html>");
    let folder =
        Folder::new().with("own/a.html", page("The ferry left at ten.")).with("own/b.html", page("Nothing new."));
    let run = "run --dataset ./own --algorithm nta --algorithm all-text --out";
    check(&folder, &format!("{run} o"), 0, &[]);
    let folder = folder.with("own/a.html", page("The ferry left at nine."));
    check(&folder, &format!("{run} n"), 0, &[]);
    let shown = check(&folder, "diff n --before o", 0, &["earlier run: 1 of 2\n"]).stdout;
    assert!(shown.lines().any(|line| line.trim_start().starts_with("a ") && line.contains("2 of 2 rows")), "{shown}");
    check(&folder, "diff n --before o --algorithm all-text", 0, &["1 of 1 rows"]);
    // Gold that is written between the runs, or taken away, hides no page.
    let folder = folder.with("own/a.txt", "The ferry left at nine.");
    check(&folder, &format!("{run} g --set allow_orphans=true"), 0, &[]);
    for runs in ["diff g --before o", "diff o --before g"] {
        let shown = check(&folder, runs, 0, &["earlier run: 1 of 2\n"]).stdout;
        assert!(shown.contains("2 of 2 rows"), "{shown}");
    }
    check(&folder, "diff g --before n", 0, &["earlier run: 0 of 2\n"]);
    std::fs::remove_file(folder.path("own/a.txt")).unwrap();
    check(&folder, &format!("{run} bare --no-texts"), 0, &[]);
    check(&folder, "diff bare --before o", 3, &["bare holds no texts: it was run with --no-texts"]);
}

#[test]
fn texts_of_the_same_words_are_told_apart() {
    let folder = demo();
    let outputs = folder.read("demo/stored/loud.jsonl").replace("left at ten.", "left  at ten.");
    let folder = folder.with("demo/stored/loud.jsonl", outputs);
    check(&folder, "run --dataset ./demo --stored all --out n", 0, &[]);
    let told = ["the same words; only white space is other\n  lines: ", "left·at·ten.", "left··at·ten."];
    check(&folder, "diff n harbour --before o --algorithm loud", 0, &told);
    let outputs = folder.read("demo/stored/loud.jsonl").replace("left  at ten.", "Left at Ten.");
    let folder = folder.with("demo/stored/loud.jsonl", outputs);
    check(&folder, "run --dataset ./demo --stored all --case fold --out m", 0, &[]);
    let told = ["the same words; capitals or white space are other\n"];
    check(&folder, "diff m harbour --before o --algorithm loud", 0, &told);
}

#[test]
fn what_only_one_of_two_runs_has_is_told() {
    let folder = run_again();
    check(&folder, "run --dataset ./demo --stored loud --algorithm all-text --bounds none --out m", 0, &[]);
    let shown = check(&folder, "diff m harbour --before o", 0, &["not in the earlier run"]).stdout;
    assert!(shown.contains("all-text") && !shown.contains("spare"), "{shown}");
    check(&folder, "diff m harbour --before o --algorithm all-text", 2, &["no row of the run is `all-text`"]);
    check(&folder, "diff o hostile --before n --algorithm spare", 2, &["has no text on this page in n: not_run"]);
    check(&folder, "diff o hall --before n --a loud --b spare", 2, &["cannot be used with"]);
    check(&folder, "run --dataset ./demo --stored all --no-texts --out bare", 0, &[]);
    check(&folder, "diff o hall --before bare", 3, &["bare holds no texts: it was run with --no-texts"]);
    // One row of an algorithm is the same one under other parameters.
    for (setting, out) in [("0.5", "one"), ("0.8", "two")] {
        let run = format!("run --dataset ./demo --algorithm nta:coherence={setting} --bounds none --out {out}");
        check(&folder, &run, 0, &[]);
    }
    let says = ["A: nta:coherence=0.5 in one", "B: nta:coherence=0.8 in two"];
    check(&folder, "diff two hall --before one --algorithm nta", 0, &says);
    // The gold of a page may be another.
    let pages = folder.read("demo/pages.jsonl").replace("记者从会上获悉。", "记者获悉。");
    let folder = folder.with("demo/pages.jsonl", pages);
    check(&folder, "run --dataset ./demo --stored all --out later", 0, &[]);
    let ran = check(&folder, "diff later hall --before o", 0, &["2 of 2 rows"]);
    assert!(ran.stderr.contains("note: the gold of hall is another in o\n"), "{ran:?}");
    // Nor is gold needed.
    let pages = folder.read("demo/pages.jsonl").replace("\"gold\"", "\"extra_\"");
    let bare: String = pages.lines().map(|line| format!("{}}}\n", line.split(",\"extra_\"").next().unwrap())).collect();
    let folder = folder.with("demo/pages.jsonl", bare);
    check(&folder, "run --dataset ./demo --stored all --out u", 0, &[]);
    let outputs = folder.read("demo/stored/loud.jsonl").replace("left at nine.", "left at six.");
    let folder = folder.with("demo/stored/loud.jsonl", outputs);
    check(&folder, "run --dataset ./demo --stored all --out v", 0, &[]);
    check(&folder, "diff v harbour --before u", 0, &["stored/loud", "1 of 2 rows have the same text"]);
    check(&folder, "diff v harbour --before u --algorithm stored/loud", 0, &["left at [-nine-]{+six+}."]);
    check(
        &folder,
        "diff v harbour --before u --algorithm stored/luod",
        2,
        &["is `stored/luod`; did you mean `stored/loud`?"],
    );
}
