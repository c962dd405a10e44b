//! Pages that came, went or changed since the baseline was made.

use super::*;

#[test]
fn pages_that_are_added_are_told_and_the_others_are_judged() {
    let folder = own_pages();
    check(&folder, ACCEPT, 0, &[]);
    let folder = folder
        .with("own/html/new.html", "<div><p>the text of another page</p></div>")
        .with("own/gold/new.txt", "the text of another page");
    let says = [
        "passed",
        "0/8/0",
        "1 page of own is not judged, because the baseline lacks it: new; to take in new pages once this passes: ",
        "carat gate c.yaml --baseline b.json --accept",
    ];
    judged(&folder, &format!("{GATE} --fresh"), 0, &says);
    assert_eq!(json(&folder, GATE)["grown"], serde_json::json!([{"dataset": "own", "pages": ["new"]}]));
    let worse = folder.with("c.yaml", config("all-text"));
    judged(&worse, &format!("{GATE} --fresh"), 2, &["row own.largest-p-parent is in the baseline and not in the run"]);
    // Whoever adds a page cannot hide behind it that another got worse.
    let all = ["p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7"];
    let folder = own_pages().with("c.yaml", OUTPUTS).with("out.jsonl", outputs(&all, ""));
    check(&folder, ACCEPT, 0, &[]);
    let folder = folder
        .with("own/html/p8.html", "<p>the text of page 8</p>")
        .with("own/gold/p8.txt", "the text of page 8")
        .with("out.jsonl", outputs(&[&all[..], &["p8"]].concat(), "p5"));
    let says = ["fell", "page_f1 of stored/worker on own: 1 page of 8 is", "because the baseline lacks it: p8"];
    judged(&folder, &format!("{GATE} --fresh"), 1, &says);
}

#[test]
fn a_page_is_known_again_by_its_bytes_where_ids_became_paths() {
    let folder = own_pages();
    check(&folder, ACCEPT, 0, &[]);
    let folder = folder.with("own/html/more/p1.html", "<p>one more</p>").with("own/gold/more/p1.txt", "one more");
    let says = [
        "passed: no rule is broken (1 row)",
        "0/8/0",
        "1 page of own is not judged, because the baseline lacks it: html~more~p1.html; to take in",
        "8 pages of own have other ids than in the baseline, and the same bytes and gold, by which each is judged all the same: p0 \
         is ",
    ];
    let ran = judged(&folder, &format!("{GATE} --fresh"), 0, &says);
    assert!(ran.stderr.contains("ids are paths, with / as ~, for names of pages repeat"), "{ran:?}");
    let renamed = &json(&folder, GATE)["renamed"][0];
    assert_eq!((&renamed["dataset"], &renamed["pages"][1][0]), (&"own".into(), &"p1".into()));
    // A page that got worse is judged under its new id.
    let folder = folder.with("c.yaml", config("largest-p-parent: {p_only: true}"));
    judged(&folder, &format!("{GATE} --fresh"), 1, &["page_f1 of largest-p-parent:p_only=true on own: 1 page of 8 is"]);
    let accepted = judged(&folder, ACCEPT, 0, &["gated from now on: 1 page of", "lowered: "]);
    assert!(!accepted.stdout.contains("no longer gated"), "{accepted:?}");
    judged(&folder, GATE, 0, &["passed", "0/9/0"]);
}

#[test]
fn pages_that_changed_are_told_in_every_format_and_the_others_are_judged() {
    let judge = format!("{GATE} --fresh --junit g.xml --markdown g.md --annotations always");
    let folder = own_pages();
    check(&folder, ACCEPT, 0, &[]);
    // Another gold of the same length, a longer one, and another page; beside a page that came.
    let folder = folder
        .with("own/gold/p1.txt", "the text of page 7\n")
        .with("own/gold/p3.txt", "another gold")
        .with("own/html/p5.html", "<div><p>little</p></div>")
        .with("own/html/p8.html", "<div><p>the text of another page</p></div>")
        .with("own/gold/p8.txt", "the text of another page");
    let changed = "3 pages of own are not as in the baseline: the page or its gold changed: p1, p3, p5";
    let says = [
        "cannot judge: 3 pages of the baseline changed; on the others no rule of level error is broken\n",
        &format!("\n  {changed}\n"),
        "1 page of own is not judged, because the baseline lacks it: p8\n",
        "if that is meant, make the baseline anew: carat gate c.yaml --baseline b.json --accept\n",
    ];
    let ran = judged(&folder, &judge, 2, &says);
    assert!(!ran.stdout.contains("keeps no digests"), "{ran:?}");
    assert!(ran.stderr.contains(&format!("::error title=carat gate cannot judge::{changed}\n")), "{ran:?}");
    let marked = changed.replace("of own", "of `own`").replace("p1, p3, p5", "`p1`, `p3`, `p5`");
    assert!(folder.read("g.md").contains(&format!("\n- {marked}\n")), "{}", folder.read("g.md"));
    let xml = folder.read("g.xml");
    assert!(xml.contains(&format!("name=\"changed pages\"><error message=\"{changed}\">")), "{xml}");
    let pages = serde_json::json!([{"dataset": "own", "pages": ["p1", "p3", "p5"]}]);
    assert_eq!(json(&folder, GATE)["changed"], pages);
    // Of other tokens every gold has another number: then it is not known which gold changed.
    let other = folder.with("c.yaml", config("largest-p-parent\ntokens: word"));
    let ran = judged(&other, &format!("{GATE} --fresh"), 2, &["tokens: char in the baseline, word now"]);
    assert!(!ran.stdout.contains("another length"), "{ran:?}");
}

#[test]
fn a_page_list_that_says_something_else_is_told_apart_from_pages_that_changed() {
    let folder = stored(Folder::new(), 8, "{}", &|_| first(100));
    check(&folder, ACCEPT, 0, &[]);
    let list = folder.read("demo/pages.jsonl").replace("s03.org", "s04.org");
    let folder = folder.with("demo/pages.jsonl", list);
    let says = [
        "cannot judge: the page list of the dataset demo changed since the baseline was made\n",
        "the page list says something else of pages of demo than it did, such as an id, an encoding or a site; no page and no gold",
    ];
    judged(&folder, &format!("{GATE} --fresh"), 2, &says);
}

#[test]
fn pages_that_are_removed_are_told_in_every_format_and_the_others_are_judged() {
    let judge = format!("{GATE} --fresh --junit g.xml --markdown g.md --annotations always");
    let all = ["p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7"];
    let left = ["p0", "p1", "p3", "p4", "p5", "p7"];
    let folder = own_pages().with("c.yaml", OUTPUTS).with("out.jsonl", outputs(&all, ""));
    check(&folder, ACCEPT, 0, &[]);
    let folder = folder.with("out.jsonl", outputs(&left, ""));
    std::fs::remove_file(folder.path("own/html/p6.html")).unwrap();
    std::fs::remove_file(folder.path("own/gold/p6.txt")).unwrap();
    // A page whose gold is removed is no longer scored either.
    std::fs::remove_file(folder.path("own/gold/p2.txt")).unwrap();
    let lost = "2 pages of own are in the baseline and not in the run, or without gold there: p2, p6";
    let says = [
        "cannot judge: the run lacks 2 pages of the baseline; on the others no rule of level error is broken\n",
        &format!("\n  {lost}\n"),
        "own           6       6 ",
        "0/6/0",
        "if that is meant, make the baseline anew: carat gate c.yaml --baseline b.json --accept\n",
    ];
    let ran = judged(&folder, &judge, 2, &says);
    assert!(ran.stderr.contains(&format!("::error title=carat gate cannot judge::{lost}\n")), "{ran:?}");
    let marked = lost.replace("of own", "of `own`").replace("p2, p6", "`p2`, `p6`");
    let markdown = folder.read("g.md");
    assert!(markdown.contains(&format!("\n- {marked}\n")) && markdown.contains("| 0/6/0 |"), "{markdown}");
    let counts = |xml: &str| {
        let document = Document::parse(xml).unwrap();
        let root = document.root_element();
        ["errors", "failures", "tests"].map(|name| root.attribute(name).unwrap().parse::<usize>().unwrap())
    };
    let xml = folder.read("g.xml");
    assert_eq!(counts(&xml), [1, 0, 9], "the rules on the other pages are cases too: {xml}");
    assert!(xml.contains(&format!("name=\"lost pages\"><error message=\"{lost}\">")), "{xml}");
    assert_eq!(json(&folder, GATE)["lost"], serde_json::json!([{"dataset": "own", "pages": ["p2", "p6"]}]));
    // Nobody hides behind a page that is gone, or one that is new, that another got worse.
    let folder = folder
        .with("own/html/p8.html", "<p>the text of page 8</p>")
        .with("own/gold/p8.txt", "the text of page 8")
        .with("out.jsonl", outputs(&[&left[..], &["p8"]].concat(), "p5"));
    let says = [
        "fell: 1 rule of level error is broken, and the run lacks 2 pages of the baseline\n",
        lost,
        "page_f1 of stored/worker on own: 1 page of 6 is",
        "1 page of own is not judged, because the baseline lacks it: p8\n",
    ];
    let ran = judged(&folder, &judge, 1, &says);
    assert!(
        ran.stderr.contains("note: own: 8 pages have no site"),
        "what is known of the data is told here too: {ran:?}"
    );
    assert_eq!(counts(&folder.read("g.xml")), [1, 1, 9]);
    // Once they are accepted the next gate is of the pages that there are.
    let says = [
        "no longer gated: stored/worker on own, p2 (F1 1.0000)\n",
        "no longer gated: stored/worker on own, p6 (F1 1.0000)\n",
        "gated from now on: 1 page of stored/worker on own: p8\n",
    ];
    judged(&folder, ACCEPT, 0, &says);
    judged(&folder, GATE, 0, &["passed: no rule is broken", "0/7/0"]);
}
