//! `carat gate` as people meet it, on a desk and in CI.

use resvg::usvg::roxmltree::Document;
use serde_json::Value as Json;

use crate::support::{Folder, Ran, check};

mod changed_pages;
mod repository;

const GATE: &str = "gate c.yaml --baseline b.json";
const ACCEPT: &str = "gate c.yaml --baseline b.json --accept";

/// Eight pages of a paragraph each; on the page p3 there is a list beside it, which `p_only` leaves out.
fn own_pages() -> Folder {
    let mut folder = Folder::new().with("c.yaml", config("largest-p-parent"));
    for page in 0..8 {
        let (list, gold) = if page == 3 { ("<ul><li>list of things</ul>", "\nlist of things") } else { ("", "") };
        folder = folder
            .with(&format!("own/html/p{page}.html"), format!("<div><p>the text of page {page}</p>{list}</div>"))
            .with(&format!("own/gold/p{page}.txt"), format!("the text of page {page}{gold}\n"));
    }
    folder
}

/// Outputs of a worker on pages like those of [`own_pages`]: their first lines, but for the page `worse`, of which it has little.
fn outputs(pages: &[&str], worse: &str) -> String {
    let text =
        |page: &str| if page == worse { "little".to_owned() } else { format!("the text of page {}", &page[1..]) };
    let line = |page: &&str| format!("{{\"id\":\"{page}\",\"text\":\"{}\"}}\n", text(page));
    "{\"system\":\"worker\"}\n".to_owned() + &pages.iter().map(line).collect::<String>()
}

/// A configuration of these outputs alone.
const OUTPUTS: &str = "datasets: [./own]\nstored: [./out.jsonl]\n";

fn config(algorithm: &str) -> String {
    format!("datasets: [./own]\nalgorithms:\n  - {algorithm}\n")
}

/// Runs the gate, which ends with `code` and says all of `says` on stdout.
fn judged(folder: &Folder, arguments: &str, code: i32, says: &[&str]) -> Ran {
    let ran = folder.carat(arguments);
    assert_eq!(ran.code, code, "carat {arguments}: {ran:?}");
    says.iter().for_each(|part| assert!(ran.stdout.contains(part), "`{part}` is not in:\n{}", ran.stdout));
    ran
}

fn json(folder: &Folder, arguments: &str) -> Json {
    serde_json::from_str(&folder.carat(&format!("{arguments} --format json")).stdout).unwrap()
}

#[test]
fn a_page_made_worse_is_named_with_its_rule_and_a_command_that_shows_it() {
    let folder = own_pages();
    check(&folder, ACCEPT, 0, &["b.json is made: 1 row, 8 pages"]);
    judged(&folder, GATE, 0, &["passed: no rule is broken (1 row)", "0/8/0"]);
    // Commands of a step on GitHub append to its summary.
    let folder = folder.with("s.md", "# built\n");
    let summary = [("GITHUB_STEP_SUMMARY", "s.md")];
    (0..2).for_each(|_| assert_eq!(folder.carat_under(&summary, &format!("{GATE} --markdown s.md")).code, 0));
    let written = folder.read("s.md");
    assert!(written.starts_with("# built\n") && written.matches("<!-- carat gate").count() == 2, "{written}");
    let folder = folder.with("c.yaml", config("largest-p-parent: {p_only: true}"));
    let other = folder.carat(&format!("{GATE} --out elsewhere"));
    let hint = "accept it: carat gate c.yaml --baseline b.json --out elsewhere --accept\n";
    assert!(other.stdout.contains(hint), "{other:?}");
    let files = "--fresh --junit o/gate.xml --markdown o/gate.md";
    let ran = folder.carat_under(&[("GITHUB_ACTIONS", "true")], &format!("{GATE} {files}"));
    assert_eq!(ran.code, 1, "{ran:?}");
    for part in [
        "fell: 1 rule of level error is broken\n",
        "error: page_f1 of largest-p-parent:p_only=true on own: 1 page of 8 is more than 0.02 below the baseline\n",
        "  p3 (p3): 1.0000 -> 0.7",
        ", limit 0.9800, difference -0.3000\n",
        "the system of largest-p-parent:p_only=true on own changed: it was p_only=false, it is p_only=true now\n",
        "if that is meant, accept it: carat gate c.yaml --baseline b.json --accept",
    ] {
        assert!(ran.stdout.contains(part), "`{part}` is not in:\n{}", ran.stdout);
    }
    assert!(!ran.stdout.contains("  p2 ("), "{}", ran.stdout);
    assert!(ran.stderr.ends_with("error: fell: 1 rule of level error is broken\n"), "{}", ran.stderr);
    let annotation = ran.stderr.lines().find(|line| line.starts_with("::error ")).unwrap();
    assert!(annotation.starts_with("::error title=carat gate%3A page_f1 of"), "{annotation}");
    assert!(annotation.contains("%0Ap3: 1.0000 -> 0.7"), "{annotation}");
    let xml = folder.read("o/gate.xml");
    let document = Document::parse(&xml).unwrap();
    assert_eq!(document.root_element().attribute("failures"), Some("1"));
    let failure = document.descendants().find(|node| node.has_tag_name("failure")).unwrap();
    assert_eq!(failure.parent().unwrap().attribute("name"), Some("page_f1"));
    assert!(failure.attribute("message").unwrap().contains("1 page of 8") && failure.text().unwrap().contains("p3 ("));
    let markdown = folder.read("o/gate.md");
    assert!(markdown.starts_with("<!-- carat gate c.yaml -->\n## carat gate fell: 1 rule"), "{markdown}");
    assert!(markdown.contains("\n| `p3` | `p3` | 1.0000 -> 0.7"), "{markdown}");
    assert!(markdown.contains("\n```diff\n- list of things\n```\n"), "{markdown}");
    let told = json(&folder, GATE);
    assert_eq!((&told["verdict"], &told["rows"][0]["checks"][1]["outcome"]), (&"fell".into(), &"broken".into()));
    let command = told["rows"][0]["checks"][1]["worst"][0]["command"].as_str().unwrap();
    let shown = folder.carat(command.strip_prefix("carat ").unwrap());
    assert!(shown.code == 0 && shown.stdout.contains("0.7"), "{command}: {shown:?}");
}

#[test]
fn the_gate_replaces_its_own_run_and_nobody_elses() {
    let folder = own_pages();
    check(&folder, ACCEPT, 0, &["b.json is made"]);
    let folder = folder.with("c.yaml", config("all-text"));
    let ran = folder.carat(GATE);
    let line = "reports/c-gate held the gate's run of another configuration, and is made anew";
    assert!(ran.stderr.contains(line) && ran.stdout.contains("new rows"), "{ran:?}");
    assert!(folder.read("reports/c-gate/scores.csv").contains("all-text"));
    let ran = folder.carat(GATE);
    assert!(!ran.stderr.contains("made anew"), "{ran:?}");
    // A run of a user's in that folder, and one that the gate was pointed to.
    check(&folder, "run c.yaml --out reports/c-gate --fresh", 0, &[]);
    check(&folder, "run c.yaml --bounds none --out mine", 0, &[]);
    let folder = folder.with("own/html/p1.html", "<p>changed");
    folder.carat(&format!("{GATE} --out mine"));
    let folder = folder.with("c.yaml", config("nta"));
    for out in ["reports/c-gate", "mine"] {
        check(&folder, &format!("{GATE} --out {out}"), 2, &["holds the run of another configuration"]);
    }
}

#[test]
fn a_comment_stays_short_however_much_falls() {
    let rows = |rows: usize, text: &str| -> Vec<(String, String)> {
        let row = |row: usize| {
            let outputs = |page: usize| format!("{{\"id\":\"p{page}\",\"text\":\"{}\"}}\n", text.repeat(8 - page));
            let outputs: String = (0..8).map(outputs).collect();
            (format!("out/s{row}.jsonl"), format!("{{\"system\":\"s{row}\"}}\n{outputs}"))
        };
        (0..rows).map(row).collect()
    };
    let named: Vec<String> = rows(20, "").into_iter().map(|(name, _)| format!("./{name}")).collect();
    let mut folder = Folder::new().with("c.yaml", format!("datasets: [./own]\nstored: [{}]\n", named.join(", ")));
    for page in 0..8 {
        folder = folder
            .with(&format!("own/html/p{page}.html"), "<p>x")
            .with(&format!("own/gold/p{page}.txt"), "the text of the page\n".repeat(8 - page));
    }
    let with = |mut folder: Folder, text: &str| {
        for (name, content) in rows(20, text) {
            folder = folder.with(&name, content);
        }
        folder
    };
    let folder = with(folder, "the text of the page\\n");
    check(&folder, ACCEPT, 0, &["20 rows, 8 pages"]);
    let folder = with(folder, "other words\\n");
    let outputs = folder.read("out/s3.jsonl");
    let error = format!("{{\"id\":\"p7\",\"error\":\"{}\"}}", "it broke ".repeat(99));
    let outputs: String = outputs.lines().filter(|line| !line.contains("p7")).map(|line| format!("{line}\n")).collect();
    let folder = folder.with("out/s3.jsonl", outputs + &error);
    assert_eq!(folder.carat(&format!("{GATE} --fresh --markdown g.md")).code, 1);
    let markdown = folder.read("g.md");
    assert!(markdown.contains("\n`stored/s3` failed on `p7`: `it broke it broke"), "{markdown}");
    assert!(markdown.contains("- the text of the page\n") && markdown.contains("  .. "), "{markdown}");
    let longest = markdown.lines().map(|line| line.chars().count()).max().unwrap();
    assert!(
        markdown.lines().count() <= 60 && longest < 400,
        "{} lines, {longest}:\n{markdown}",
        markdown.lines().count()
    );
}

#[test]
fn a_comment_shows_the_longest_loss_and_not_what_was_wrong_before() {
    let cookies: String = (0..9).map(|line| format!("cookie notice {line}\\n")).collect();
    let quote = "the long quotation of a witness, who said more than anybody had expected to hear";
    let paragraphs = |text: &str| format!("{{\"id\":\"p\",\"text\":\"{cookies}the first paragraph\\n{text}\"}}\n");
    let outputs = |text: &str| format!("{{\"system\":\"worker\"}}\n{}", paragraphs(text));
    let folder = Folder::new()
        .with("c.yaml", "datasets: [./own]\nstored: [./out.jsonl]\n")
        .with("own/html/p.html", "<p>x")
        .with("own/gold/p.txt", format!("a title\nthe first paragraph\n{quote}\n"))
        .with("out.jsonl", outputs(quote));
    check(&folder, ACCEPT, 0, &[]);
    let folder = folder.with("out.jsonl", outputs(""));
    assert_eq!(folder.carat(&format!("{GATE} --fresh --markdown g.md")).code, 1);
    let markdown = folder.read("g.md");
    let shown = markdown.split("```diff\n").nth(1).unwrap();
    let lines: Vec<&str> = shown.lines().take(3).collect();
    assert_eq!(lines, [&format!("- {quote}"), "- a title", "+ cookie notice 0"], "{markdown}");
    let heading = "On `p`, the lines of the gold that `stored/worker` lacks now (-), the longest first";
    assert!(markdown.contains(heading) && markdown.contains("The baseline keeps no texts"), "{markdown}");
}

#[test]
fn a_change_that_moves_no_score_passes() {
    let folder = own_pages().with("c.yaml", config("cevc"));
    check(&folder, ACCEPT, 0, &[]);
    let folder = folder.with("c.yaml", config("cevc: {alpha: 0.51}"));
    judged(&folder, &format!("{GATE} --fresh"), 0, &["passed", "0/8/0", "it was alpha=0.5, it is alpha=0.51 now"]);
    // A row besides is told, and not judged.
    let folder = folder.with("c.yaml", config("cevc\n  - all-text"));
    judged(
        &folder,
        &format!("{GATE} --fresh"),
        0,
        &["passed", "new rows, not gated until they are accepted: all-text on own"],
    );
}

#[test]
fn under_other_conditions_nothing_is_judged() {
    let folder = own_pages();
    check(&folder, ACCEPT, 0, &[]);
    let folder =
        (0..8).fold(folder, |folder, page| folder.with(&format!("own/html/p{page}.html"), "<div><p>x</p></div>"));
    let says = ["pages or golds of own changed (digest ", "--baseline b.json --accept"];
    let ran = judged(&folder, &format!("{GATE} --junit g.xml"), 2, &says);
    let sentence = "error: cannot judge: pages or golds of the dataset own changed since the baseline was made\n";
    assert_eq!(ran.stderr.lines().last(), sentence.lines().last());
    assert!(!ran.stdout.contains("fell"), "{ran:?}");
    let xml = folder.read("g.xml");
    assert_eq!(Document::parse(&xml).unwrap().root_element().attribute("errors"), Some("2"));
    // The version of files of one's own is the beginning of their digest.
    let changes = json(&folder, GATE)["changes"].clone();
    let keys: Vec<&Json> = changes.as_array().unwrap().iter().map(|change| &change["key"]).collect();
    assert_eq!(keys, ["datasets.own.digest", "datasets.own.version"]);
    let folder = own_pages();
    check(&folder, ACCEPT, 0, &[]);
    let folder = folder.with("c.yaml", config("largest-p-parent\ntokens: word\ncase: fold"));
    let ran = judged(&folder, &format!("{GATE} --fresh"), 2, &["tokens: char in the baseline, word now", "case: keep"]);
    assert!(ran.stderr.contains("the conditions changed since the baseline was made"), "{ran:?}");
    let folder = folder.with("c.yaml", config("cevc"));
    let says = ["row own.largest-p-parent is in the baseline and not in the run"];
    let ran = judged(&folder, &format!("{GATE} --fresh"), 2, &says);
    assert!(ran.stderr.contains("the run lacks rows of the baseline"), "{ran:?}");
}

#[test]
fn a_baseline_that_is_missing_cut_changed_or_newer_is_a_sentence() {
    let folder = own_pages();
    check(
        &folder,
        GATE,
        2,
        &["there is no baseline b.json; make it with: carat gate c.yaml --baseline b.json --accept"],
    );
    check(&folder, ACCEPT, 0, &[]);
    let whole = folder.read("b.json");
    let mut folder = folder;
    for (text, told) in [
        (whole[..whole.len() / 2].to_owned(), "b.json: ends in the middle, in line "),
        (whole.replace("\"carat_baseline\": 4", "\"carat_baseline\": 5"), "b.json: has schema 5, of a newer carat"),
        (whole.replacen("[14,14,", "[13,14,", 1), "b.json: is not as carat wrote it: it was changed by hand"),
        ("{}".to_owned(), "b.json: is no baseline of carat gate"),
    ] {
        assert_ne!(text, whole);
        folder = folder.with("b.json", text);
        check(&folder, GATE, 3, &[told]);
        // Accepting over it would lower what nobody sees.
        check(&folder, ACCEPT, 3, &[told]);
    }
    // Lines may end as another system ends them.
    let folder = folder.with("b.json", whole.replace('\n', "\r\n"));
    judged(&folder, GATE, 0, &["passed"]);
    check(
        &folder.with("c.yaml", "datasets: [./own]\nalgorithms: [nta]\ngate: {macr_f1: 1}\n"),
        GATE,
        2,
        &["c.yaml:3:8", "did you mean `macro_f1`?"],
    );
}

#[cfg(unix)]
#[test]
fn a_gate_that_cannot_judge_says_so_in_place_of_an_earlier_verdict() {
    let judge = format!("{GATE} --fresh --junit g.xml --markdown g.md");
    let accepted = own_pages();
    check(&accepted, ACCEPT, 0, &[]);
    let [baseline, sound] = [accepted.read("b.json"), config("largest-p-parent")];
    // Its files are looked at while it runs.
    let script = "'cp g.md seen.md; echo \"<b> `x` ]]> ::error::\" >&2; exit 3'";
    let worker = config(&format!("external: {{command: [sh, -c, {script}]}}"));
    for (config, baseline, code, sentence) in [
        (worker.as_str(), baseline.as_str(), 2, "c.yaml:3:15: the program cannot be used: it ended"),
        (&sound, "", 2, "there is no baseline b.json; make it with: carat gate c.yaml"),
        (&sound, &baseline[..99], 3, "b.json: ends in the middle"),
        (
            "datasets: [./gone]\nalgorithms: [nta]\n",
            &baseline,
            2,
            "c.yaml:1:12: there is no such file or folder; relative paths are of the current folder, so that would be /",
        ),
        ("datasets: [./own]\nalgorithms: [ntb]\n", &baseline, 2, "c.yaml:2:14: "),
        (
            "datasets: [./own]\nalgorithms: [nta]\ngate: {macro_f1: off, page_f1: off, site_f1: off, white_space: off, \
          unseen: off, markup: off, new_failures: off, texts: off}\n",
            &baseline,
            2,
            "every rule under `gate`",
        ),
    ] {
        for is_new in [false, true] {
            let folder = own_pages().with("b.json", accepted.read("b.json"));
            if !is_new {
                check(&folder, &judge, 0, &[]);
                assert!(folder.read("g.md").contains("carat gate passed"));
            }
            let folder = folder.with("c.yaml", config).with("b.json", baseline);
            if baseline.is_empty() {
                std::fs::remove_file(folder.path("b.json")).unwrap();
            }
            let ran = folder.carat_under(&[("GITHUB_ACTIONS", "true")], &judge);
            assert_eq!((ran.code, ran.stdout.as_str()), (code, ""), "{ran:?}");
            let markdown = folder.read("g.md");
            let (title, told) = markdown.split_once("\n\n```text\n").unwrap();
            assert_eq!(title, "<!-- carat gate c.yaml -->\n## carat gate cannot judge", "{markdown}");
            assert!(told.starts_with(sentence) && told.lines().count() == 2 && told.ends_with("\n```\n"), "{markdown}");
            let xml = folder.read("g.xml");
            let document = Document::parse(&xml).unwrap();
            let counts = ["tests", "failures", "errors"].map(|name| document.root_element().attribute(name));
            assert_eq!(counts, [Some("1"), Some("0"), Some("1")], "{xml}");
            let error = document.descendants().find(|node| node.has_tag_name("error")).unwrap();
            assert!(error.attribute("message").unwrap().starts_with(&format!("cannot judge: {sentence}")), "{xml}");
            let commands: Vec<&str> = ran.stderr.lines().filter(|line| line.starts_with("::")).collect();
            assert_eq!(commands.len(), 1, "{ran:?}");
            let command = format!("::error title=carat gate cannot judge::{sentence}");
            assert!(commands[0].starts_with(&command), "{ran:?}");
            assert!(!folder.carat(&judge).stderr.contains("::error title"), "annotations are for GitHub alone");
            if config == worker {
                // A program that is killed leaves no earlier verdict either.
                let seen = folder.read("seen.md");
                assert!(seen.contains("cannot judge") && seen.contains("ended before it came to a verdict"), "{seen}");
            }
        }
    }
}

#[test]
fn accepting_tells_all_that_it_lowers_and_is_not_done_in_ci() {
    let folder = own_pages();
    check(&folder, ACCEPT, 0, &[]);
    let whole = folder.read("b.json");
    let row = "as it was: largest-p-parent on own, macro F1: 1.0000 -> 1.0000\n";
    check(&folder, ACCEPT, 0, &["b.json is as it was: 1 row, 8 pages\n", row]);
    assert_eq!(folder.read("b.json"), whole);
    let folder = folder.with("c.yaml", config("largest-p-parent: {p_only: true}\n  - all-text"));
    let refused = folder.carat_under(&[("CI", "true")], &format!("{ACCEPT} --fresh"));
    assert!(refused.code == 2 && refused.stderr.contains("--accept is refused where CI is set"), "{refused:?}");
    assert_eq!(folder.read("b.json"), whole);
    let says = [
        "b.json is made anew: 2 rows, 8 pages",
        "lowered: largest-p-parent:p_only=true on own, macro F1: 1.0000 -> 0.9",
        ", p_only=false -> p_only=true\n",
        "lowered: largest-p-parent:p_only=true on own, p3: 1.0000 -> 0.7",
        "gated from now on: all-text on own",
    ];
    let told = judged(&folder, &format!("{ACCEPT} --fresh"), 0, &says).stdout;
    assert_eq!(told.matches("lowered: ").count(), 2, "{told}");
    judged(&folder, GATE, 0, &["passed"]);
    let folder = folder.with("c.yaml", config("largest-p-parent"));
    judged(&folder, &format!("{GATE} --fresh"), 2, &["row own.all-text is in the baseline"]);
    let says = [
        "no longer gated: all-text on own",
        "raised: largest-p-parent on own, macro F1: 0.9",
        " -> 1.0000, p_only=true -> p_only=false\n",
        "raised: 1 page score\n",
    ];
    judged(&folder, ACCEPT, 0, &says);
    assert_eq!(folder.read("b.json"), whole);
}

const MANIFEST: &str =
    "format: 1\nname: demo\nversion: '1'\nlicence: {data: CC0-1.0, pages: CC0-1.0, redistribution: free}\n";

/// A dataset of `sites` sites with a page each, whose gold is 100 characters, and what a system makes of each.
fn stored(folder: Folder, sites: usize, rules: &str, output: &dyn Fn(usize) -> String) -> Folder {
    let gold = "abcdefghij".repeat(10);
    let page = |number: usize| {
        let site = if number == 0 { "s]]>0::%0A|<i>".to_owned() } else { format!("s{number:02}.org") };
        format!(
            "{{\"id\":\"p%{number:02}\",\"html\":{{\"text\":\"<p>{number}\"}},\"site\":\"{site}\",\"gold\":{{\"text\":\"{gold}\"}}}}\n"
        )
    };
    let line = |number: usize| format!("{{\"id\":\"p%{number:02}\",{}}}\n", output(number));
    folder
        .with("demo/dataset.yaml", MANIFEST)
        .with("demo/pages.jsonl", (0..sites).map(page).collect::<String>())
        .with("demo/stored/x.jsonl", "{\"system\":\"x\"}\n".to_owned() + &(0..sites).map(line).collect::<String>())
        .with("c.yaml", format!("datasets: [./demo]\nstored: [all]\ngate: {rules}\n"))
}

/// So many of the gold's characters.
fn first(characters: usize) -> String {
    format!("\"text\":\"{}\"", "abcdefghij".repeat(10).get(..characters).unwrap())
}

#[test]
fn a_little_less_of_every_page_breaks_the_rule_of_the_figure_alone() {
    let folder = stored(Folder::new(), 10, "{macro_recall: {level: warn, tolerance: 0.001}}", &|_| first(100));
    check(&folder, ACCEPT, 0, &[]);
    let folder = stored(folder, 10, "{macro_recall: {level: warn, tolerance: 0.001}}", &|_| first(98));
    let told = judged(&folder, &format!("{GATE} --fresh"), 1, &["fell: 1 rule of level error"]).stdout;
    let figure = "fell: 0.9899, limit 0.9950 (baseline 1.0000, tolerance 0.005), difference -0.0101, 95 % interval -0.0101 .. -0.0101";
    assert!(told.contains(&format!("error: macro_f1 of stored/x on demo {figure}")), "{told}");
    assert!(told.contains("warn: macro_recall of"), "{told}");
    assert!(!told.contains("page_f1"), "{told}");
    let folder = stored(folder, 10, "{macro_f1: off, macro_recall: {level: warn, tolerance: 0.001}}", &|_| first(98));
    let says = ["passed: no rule of level error is broken, but 2 of level warn"];
    judged(&folder, &format!("{GATE} --fresh"), 0, &says);
}

#[test]
fn of_too_few_sites_the_fall_that_would_be_seen_is_told() {
    let rules = "{page_f1: off}";
    let folder = stored(Folder::new(), 3, rules, &|_| first(100));
    check(&folder, ACCEPT, 0, &[]);
    let folder = stored(folder, 3, rules, &|page| first(if page == 1 { 50 } else { 100 }));
    let says = [
        "cannot judge: macro_f1 of",
        "3 sites are too few to judge by sites; of 3 pages, 1 fell and 0 rose (sign test over pages: p = 1.0000)",
    ];
    let ran = judged(&folder, &format!("{GATE} --fresh --junit g.xml"), 0, &says);
    let warning = "warning: cannot judge: too few pages or sites to tell a fall from chance under 1 rule\n";
    assert!(ran.stderr.ends_with(warning), "{ran:?}");
    assert_eq!(Document::parse(&folder.read("g.xml")).unwrap().root_element().attribute("skipped"), Some("2"));
    assert_eq!(json(&folder, GATE)["verdict"], "cannot_judge");
    // A rise does not read as a fall.
    let folder = stored(folder, 3, rules, &|page| first(if page == 0 { 100 } else { 50 }));
    check(&folder, &format!("{ACCEPT} --fresh"), 0, &[]);
    let ran = judged(&folder, GATE, 0, &["passed: no rule is broken"]);
    assert!(!ran.stdout.contains("too few"), "no page changed: {ran:?}");
    let folder = stored(folder, 3, rules, &|page| first(if page == 0 { 20 } else { 51 }));
    let says = ["of 3 pages, 1 fell and 2 rose, more than fell (sign test over pages: p = 1.0000)"];
    judged(&folder, &format!("{GATE} --fresh"), 0, &says);
}

#[test]
fn a_page_that_is_not_run_any_more_scores_nothing_in_every_figure() {
    let all = ["p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7"];
    let folder = own_pages().with("c.yaml", OUTPUTS).with("out.jsonl", outputs(&all, ""));
    check(&folder, ACCEPT, 0, &[]);
    let folder = folder.with("out.jsonl", outputs(&["p0", "p1"], ""));
    let says = ["error: macro_f1 of stored/worker on own fell: 0.2500, ", "6 pages fail or are not run any more"];
    judged(&folder, &format!("{GATE} --fresh"), 1, &says);
}

#[test]
fn where_each_page_counts_as_a_site_the_gate_warns_as_compare_does() {
    let rules = "{page_f1: warn}";
    let folder = stored(Folder::new(), 8, rules, &|_| first(100));
    check(&folder, ACCEPT, 0, &[]);
    let warning = "each page counts as a site: if several are of one site, intervals are too narrow and tests too sure";
    for (characters, code) in [(100, 0), (90, 1)] {
        let folder = stored(Folder::new(), 8, rules, &|_| first(characters)).with("b.json", folder.read("b.json"));
        judged(&folder, &format!("{GATE} --markdown g.md"), code, &[&format!("\ndemo: {warning}\n")]);
        assert!(folder.read("g.md").contains(&format!("\n- `demo`: {warning}\n")), "{}", folder.read("g.md"));
    }
    // Two pages of one site: sites are known.
    let known = |folder: Folder| {
        let pages = folder.read("demo/pages.jsonl").replace("s02.org", "s01.org");
        folder.with("demo/pages.jsonl", pages)
    };
    let folder = known(folder);
    check(&folder, &format!("{ACCEPT} --fresh"), 0, &[]);
    let folder = known(stored(folder, 8, rules, &|_| first(90)));
    let ran = judged(&folder, &format!("{GATE} --fresh --markdown g.md"), 1, &["fell"]);
    assert!(!ran.stdout.contains("counts as a site") && !folder.read("g.md").contains("counts as a site"), "{ran:?}");
}

#[test]
fn a_figure_that_rose_is_a_note_and_its_pages_are_not_shown_as_broken() {
    let rules = "{page_f1: off, texts: off}";
    let folder = stored(Folder::new(), 3, rules, &|page| first(if page == 0 { 100 } else { 50 }));
    check(&folder, ACCEPT, 0, &[]);
    let folder = stored(folder, 3, rules, &|page| first(if page == 0 { 90 } else { 80 }));
    let note = "macro_f1 of stored/x on demo did not fall (0.7778 -> 0.9084); 3 sites are too few to rule out a fall of 0.005\n";
    let ran = judged(
        &folder,
        &format!("{GATE} --fresh --junit g.xml --markdown g.md"),
        0,
        &["passed: no rule is broken", note],
    );
    let markdown = folder.read("g.md");
    assert!(markdown.contains("`macro_f1` of `stored/x` on `demo` did not fall (0.7778 -> 0.9084)"), "{markdown}");
    for told in [&ran.stdout, &ran.stderr, &markdown] {
        assert!(!told.contains("cannot judge") && !told.contains("p%00"), "{told}");
    }
    let xml = folder.read("g.xml");
    let counts = ["failures", "skipped"]
        .map(|name| Document::parse(&xml).unwrap().root_element().attribute(name).map(str::to_owned));
    assert_eq!(counts, [Some("0".to_owned()), Some("1".to_owned())], "but for the rule on sites: {xml}");
    assert_eq!(json(&folder, GATE)["rows"][0]["checks"][0]["outcome"], "did_not_fall");
}

#[test]
fn pages_that_newly_fail_are_named_and_no_name_breaks_a_format() {
    let rules = "{page_f1: warn}";
    let folder = stored(Folder::new(), 8, rules, &|page| if page == 2 { error() } else { first(100) });
    for refused in [ACCEPT.to_owned(), format!("{ACCEPT} --allow-failed 0.124")] {
        let ran = folder.carat(&refused);
        let told = "stored/x fails or was not run on 1 of 8 pages of demo (p%02; the first: it broke), and accepted";
        assert!(ran.code == 1 && ran.stderr.contains(told) && !folder.path("b.json").exists(), "{ran:?}");
    }
    for share in ["5%", "1.5", "-1"] {
        let refused = check(&folder, &format!("{ACCEPT} --allow-failed={share}"), 2, &[]);
        assert!(refused.stderr.contains("from 0 to 1, such as 0.05"), "{share}: {refused:?}");
    }
    check(&folder, &format!("{ACCEPT} --allow-failed 0.125"), 0, &[]);
    assert!(folder.read("b.json").contains("\"failed\""));
    judged(&folder, GATE, 0, &["passed"]);
    let worse = |page| if page == 0 || page == 2 { error() } else { first(100) };
    let folder = stored(folder, 8, rules, &worse);
    let ran = folder.carat(&format!("{GATE} --fresh --junit g.xml --markdown g.md --annotations always --format json"));
    assert_eq!(ran.code, 1, "{ran:?}");
    let told: Json = serde_json::from_str(&ran.stdout).unwrap();
    let mut checks = told["rows"][0]["checks"].as_array().unwrap().iter();
    let failures = checks.find(|check| check["rule"] == "new_failures").unwrap();
    assert_eq!(failures["outcome"], "broken");
    let pages: Vec<&Json> = failures["worst"].as_array().unwrap().iter().map(|page| &page["page"]).collect();
    assert_eq!(pages, ["p%00"]);
    let reason = failures["worst"][0]["reason"].as_str().unwrap();
    let xml = folder.read("g.xml");
    let document = Document::parse(&xml).unwrap();
    let class = document.descendants().find_map(|node| node.attribute("classname")).unwrap();
    assert_eq!(class, "carat.demo.stored/x");
    let failure = document.descendants().find(|node| node.has_tag_name("failure")).unwrap();
    assert!(failure.text().unwrap().contains("p%00 (s]]>0::%0A|<i>): 1.0000 -> 0.0000"), "{xml}");
    let annotations: Vec<&str> = ran.stderr.lines().filter(|line| line.starts_with("::")).collect();
    assert_eq!(annotations.len(), 3, "{ran:?}");
    assert!(annotations[0].starts_with("::error title=carat gate%3A new_failures of stored/x::new_"));
    assert!(annotations[0].contains("%0Ap%2500: 1.0000 -> 0.0000"), "{annotations:?}");
    let markdown = folder.read("g.md");
    assert!(markdown.contains("| `stored/x` | `demo` | 8 | 8 |"), "{markdown}");
    assert!(markdown.contains(reason) && xml.contains(reason), "the reason of a failure is in every format: {reason}");
    let unfolded = markdown.split("<details>").next().unwrap();
    assert!(unfolded.contains(&format!("\n`stored/x` failed on `p%00`: `{reason}`\n")), "{markdown}");
    assert!(markdown.contains("| `p%00` | `s]]>0::%0A\\|<i>` |"), "{markdown}");
}

#[test]
fn a_rule_on_texts_without_a_text_says_that_it_judged_nothing() {
    let rules = "{page_f1: warn}";
    let folder = stored(Folder::new(), 8, rules, &|_| error());
    check(&folder, &format!("{ACCEPT} --allow-failed 1"), 0, &[]);
    let judge = format!("{GATE} --fresh --junit g.xml --markdown g.md --annotations always");
    let skipped = |folder: &Folder| {
        let xml = folder.read("g.xml");
        let skipped = Document::parse(&xml).unwrap().root_element().attribute("skipped").map(str::to_owned);
        (skipped.unwrap(), xml.contains("texts of stored/x on demo: nothing to judge, because no page has a text"))
    };
    let note =
        "white_space, unseen, markup, texts of stored/x on demo had nothing to judge, because no page has a text";
    let sites = "site_f1 of stored/x on demo had nothing to judge, because no site has 3 pages";
    judged(&folder, &judge, 0, &["passed: no rule is broken (1 row); 5 rules had nothing to judge\n", note, sites]);
    assert_eq!(skipped(&folder), ("5".to_owned(), true));
    let markdown = folder.read("g.md");
    assert!(
        markdown.contains("; 5 rules had nothing to judge\n") && markdown.contains("had nothing to judge"),
        "{markdown}"
    );
    // A gate of such rules alone has judged nothing, and does not pass.
    let alone = "{macro_f1: off, page_f1: off, site_f1: off, new_failures: off, texts: error}";
    let folder = stored(folder, 8, alone, &|_| error());
    let ran = judged(&folder, &judge, 2, &["cannot judge: no rule had anything to judge\n", note]);
    assert!(ran.stderr.contains("::error title=carat gate cannot judge::no rule had anything to judge"), "{ran:?}");
    assert_eq!(skipped(&folder), ("4".to_owned(), true));
    assert_eq!(json(&folder, GATE)["rows"][0]["checks"][0]["outcome"], "nothing_to_judge");
}

#[test]
fn pages_that_stored_outputs_lack_are_failures_when_a_baseline_is_accepted() {
    let whole = stored(Folder::new(), 8, "{page_f1: warn}", &|_| first(100));
    let outputs = whole.read("demo/stored/x.jsonl");
    let half: String = outputs.lines().take(5).map(|line| format!("{line}\n")).collect();
    let folder = stored(Folder::new(), 8, "{page_f1: warn}", &|_| first(100)).with("demo/stored/x.jsonl", &half);
    let refused = |folder: &Folder, command: &str| {
        let ran = folder.carat(command);
        let told = "stored/x fails or was not run on 4 of 8 pages of demo";
        assert!(ran.code == 1 && ran.stderr.contains(told), "{ran:?}");
    };
    refused(&folder, ACCEPT);
    check(&folder, &format!("{ACCEPT} --allow-failed 0.5"), 0, &["4 not run"]);
    check(&folder, &format!("{ACCEPT} --allow-failed 0.5"), 0, &["as it was"]);
    // Beside an earlier baseline of the whole, too.
    let silent = "warning: stored/x on demo extracts nothing from any page, and passes like that from now on\n";
    assert!(!check(&whole, ACCEPT, 0, &[]).stdout.contains("warning: "));
    let empty = |number| first(if number == 0 { 1 } else { 0 });
    let nearly = check(&stored(Folder::new(), 8, "{page_f1: warn}", &empty), ACCEPT, 0, &["7 empty"]);
    assert!(!nearly.stdout.contains("warning: "), "{nearly:?}");
    check(&stored(Folder::new(), 8, "{page_f1: warn}", &|_| first(0)), ACCEPT, 0, &[silent]);
    let whole = whole.with("demo/stored/x.jsonl", &half);
    refused(&whole, &format!("{ACCEPT} --fresh"));
    for share in ["5", "1.01"] {
        let ran = whole.carat(&format!("{ACCEPT} --allow-failed {share}"));
        assert!(
            ran.code == 2 && ran.stderr.contains("a share of the pages is a decimal number from 0 to 1"),
            "{ran:?}"
        );
    }
}

/// A program for `worker.sh` that greets and does `rest` on each page.
fn worker(rest: &str) -> String {
    let hello = "echo '{\"carat\":1,\"name\":\"w\",\"version\":\"1\"}'\n";
    format!("{hello}while read -r line; do\n{rest}\ndone\n")
}

#[cfg(unix)]
#[test]
fn a_worker_that_dies_on_every_page_is_told_first_and_no_command_would_be_refused() {
    let reply =
        "id=${line#*'\"id\":\"'}; echo \"{\\\"id\\\":\\\"${id%%'\"'*}\\\",\\\"text\\\":\\\"the text of page\\\"}\"";
    let folder =
        own_pages().with("c.yaml", config("external: {command: [sh, worker.sh]}")).with("worker.sh", worker(reply));
    check(&folder, ACCEPT, 0, &["b.json is made: 1 row, 8 pages"]);
    let folder = folder.with("worker.sh", worker("echo 'ValueError: `boom` <b>' >&2; exit 1"));
    let ran = folder.carat(&format!("{GATE} --fresh --junit g.xml --markdown g.md --annotations always"));
    assert_eq!(ran.code, 1, "{ran:?}");
    let failures = "8 pages fail or are not run any more; ";
    let sentence =
        "external/w was not run on 3 of 8 pages: its worker crashed, broke the protocol or ran out of time on 5 pages";
    let second = ran.stdout.lines().nth(1).unwrap();
    assert!(second.starts_with(&format!("error: new_failures of external/w on own: {failures}{sentence}")), "{second}");
    assert!(second.ends_with("; mend the program, or raise `restarts` in the configuration"), "{second}");
    // Pages that failed or were not run have no text to show.
    assert!(!ran.stdout.contains("carat diff "), "{}", ran.stdout);
    assert!(ran.stdout.contains("  p7 (p7): 0.9") && ran.stdout.contains("in the baseline, not run now\n"), "{ran:?}");
    let annotation = ran.stderr.lines().find(|line| line.starts_with("::")).unwrap();
    assert!(annotation.contains("new_failures of external/w on own") && annotation.contains("mend the program"));
    let markdown = folder.read("g.md");
    let first = markdown.lines().find(|line| line.starts_with("- ")).unwrap();
    assert!(
        first.starts_with(&format!("- **error**: `new_failures` of `external/w` on `own`: {failures}`")),
        "{first}"
    );
    assert!(
        first.contains("`` external/w was not run on")
            && first.ends_with("``; mend the program, or raise `restarts` in the configuration"),
        "{first}"
    );
    let table = markdown.split("<details><summary>").nth(1).unwrap();
    assert!(table.starts_with("<code>new_failures</code> of <code>external/w</code>: the worst 3 of 8"), "{markdown}");
    let xml = folder.read("g.xml");
    let document = Document::parse(&xml).unwrap();
    let case = document.descendants().find(|node| node.has_tag_name("testcase")).unwrap();
    let failure = case.first_element_child().unwrap();
    assert_eq!((case.attribute("name"), failure.tag_name().name()), (Some("new_failures"), "failure"));
    assert!(failure.attribute("message").unwrap().contains(sentence), "{xml}");
    // Accepting would be refused, and the gate runs everything anew.
    for told in [&ran.stdout, &ran.stderr, &markdown, &xml] {
        assert!(!told.contains("--accept") && !told.contains("--fresh"), "{told}");
    }
    assert!(folder.carat(ACCEPT).stderr.contains("not accepted"));
    let judged = json(&folder, GATE);
    let row = &judged["rows"][0];
    let told = row["given_up"].as_str().unwrap();
    assert!(told.starts_with(sentence) && told.ends_with("`boom` <b>)"), "{row}");
    let info: Json = serde_json::from_str(&folder.read("reports/c-gate/run.json")).unwrap();
    assert_eq!(
        (info["given_up"]["external/w"].as_str(), info["notes"].to_string().contains(sentence)),
        (Some(told), false)
    );
    let checks = row["checks"].as_array().unwrap();
    let worst = &checks.iter().find(|check| check["rule"] == "new_failures").unwrap()["worst"];
    assert!(worst.as_array().unwrap().iter().all(|page| page["command"].is_null()), "{worst}");
}

#[test]
fn a_comment_names_pages_of_every_rule_and_none_that_rose() {
    let text = |gaps: &str| format!("\"text\":\"{}\"", format!("abcdefghij{gaps}").repeat(10));
    let rules = "{texts: error}";
    let folder = stored(Folder::new(), 8, rules, &|page| if page == 7 { first(90) } else { text(" ") });
    check(&folder, ACCEPT, 0, &[]);
    // White space is lost on all pages but one that rises, on the first not all of it; two lose text too, and one fails.
    let some = format!("\"text\":\"{}{}\"", "abcdefghij ".repeat(4), "abcdefghij".repeat(6));
    let worse = |page: usize| match page {
        0 => some.clone(),
        1 | 2 => first(50),
        3 => error(),
        7 => first(100),
        _ => text(""),
    };
    let folder = stored(folder, 8, rules, &worse);
    assert_eq!(folder.carat(&format!("{GATE} --fresh --markdown g.md")).code, 1);
    let markdown = folder.read("g.md");
    let line = |rule: &str| markdown.lines().find(|line| line.starts_with(&format!("- **error**: `{rule}`"))).unwrap();
    assert!(line("white_space").ends_with("; worst: `p%01` 9 -> 0, `p%02` 9 -> 0, `p%04` 9 -> 0"), "{markdown}");
    let texts = line("texts");
    assert!(texts.contains("higher on 1") && texts.contains("; worst: `p%01` 1.0000 -> 0.6667"), "{markdown}");
    assert!(!line("macro_f1").contains("worst: "), "its pages are in a table: {markdown}");
    assert!(markdown.contains("\nOn `p%01`, the lines of the gold"), "the page that failed has no text: {markdown}");
    assert!(!markdown.contains("`p%07`"), "{markdown}");
    let folder = stored(folder, 8, "{texts: error, page_f1: off, macro_f1: off, white_space: off}", &worse);
    assert_eq!(folder.carat(&format!("{GATE} --fresh --markdown g.md")).code, 1);
    let markdown = folder.read("g.md");
    assert!(markdown.contains("<code>texts</code> of <code>stored/x</code>: the worst 3 of 6 pages"), "{markdown}");
}

fn error() -> String {
    "\"error\":\"it broke\"".to_owned()
}

#[test]
fn a_terminal_says_the_verdict_first_and_shows_each_page_once() {
    let folder = own_pages();
    check(&folder, ACCEPT, 0, &[]);
    let worse = config("largest-p-parent: {p_only: true}") + "gate: {texts: error, site_f1: off}\n";
    let folder = folder.with("c.yaml", worse);
    let ran = judged(&folder, &format!("{GATE} --fresh"), 1, &[]);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(lines[0], "fell: 2 rules of level error are broken");
    assert!(lines[1..3].iter().all(|line| line.starts_with("error: ")), "{}", ran.stdout);
    let count = |part: &str| ran.stdout.matches(part).count();
    assert_eq!([count("  p3 (p3): "), count("    carat diff "), count("p3 (p3)")], [1, 1, 1], "{}", ran.stdout);
    let row = "largest-p-parent:p_only=true";
    assert!(
        ran.stdout.contains(&format!("\n    page_f1, texts, macro_f1 of {row}\n    carat diff ")),
        "{}",
        ran.stdout
    );
}

#[test]
fn a_page_has_one_short_id_in_every_format() {
    let id = |page: usize| format!("{page}{}", "0123456789abcdef".repeat(3));
    let outputs = |text: &str| {
        let output =
            |page| format!("{{\"id\":\"{}\",\"text\":\"{}\"}}\n", id(page), if page == 2 { text } else { "a text" });
        format!("{{\"system\":\"x\"}}\n{}", (0..8).map(output).collect::<String>())
    };
    let mut folder =
        Folder::new().with("c.yaml", "datasets: [./own]\nstored: [./x.jsonl]\n").with("x.jsonl", outputs("a text"));
    for page in (0..8).map(id) {
        folder = folder.with(&format!("own/html/{page}.html"), "<p>x").with(&format!("own/gold/{page}.txt"), "a text");
    }
    check(&folder, ACCEPT, 0, &[]);
    let folder = folder
        .with("x.jsonl", outputs("another") + "{\"id\":\"new0123456789abcdef\",\"text\":\"a text\"}\n")
        .with("own/html/new0123456789abcdef.html", "<p>x");
    let folder = folder.with("own/gold/new0123456789abcdef.txt", "a text");
    let ran = folder.carat(&format!("{GATE} --fresh --junit g.xml --markdown g.md --annotations always"));
    assert_eq!(ran.code, 1, "{ran:?}");
    for told in [&ran.stdout, &ran.stderr, &folder.read("g.md"), &folder.read("g.xml")] {
        // A line break of an annotation.
        let told = told.replace("%0A", "\n");
        let ids: Vec<&str> =
            told.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| word.starts_with("20123")).collect();
        assert!(!ids.is_empty() && ids.iter().all(|shown| *shown == &id(2)[..16]), "{ids:?} in {told}");
    }
    // A name that is no digest may be told from others by its end alone.
    assert!(ran.stdout.contains("lacks it: new0123456789abcdef;"), "{}", ran.stdout);
    let accepted = folder.carat(ACCEPT).stdout;
    assert!(accepted.contains(&format!("lowered: stored/x on own, {}: ", &id(2)[..16])), "{accepted}");
}
