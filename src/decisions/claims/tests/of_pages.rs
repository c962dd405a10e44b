//! Claims of pages, shares and other systems, on scores made by hand.

use serde_json::json;

use super::{Row, World, better_world, greater, world};
use crate::decisions::claims::Verdict;
use crate::runs::page_facts::{GoldCounts, PageCounts};
use crate::runs::reads_gold::ReadsGold;

#[test]
fn a_figure_is_at_least_so_much_where_all_of_its_interval_is() {
    let at_least =
        |value: f64| json!({"kind": "at_least", "system": "nta", "group": "zh", "measure": ["p", "r"], "value": value});
    let world = better_world(12);
    assert_eq!(world.verdict(at_least(0.9)), Verdict::Holds);
    assert_eq!(world.verdict(at_least(0.95)), Verdict::Fails);
    assert_eq!(world.verdict(at_least(0.91)), Verdict::NotSeparable);
    let told = world.judge(at_least(0.9));
    assert_eq!(told.measured.len(), 2);
    assert!(told.remark.contains("at least 0.9") && told.remark.ends_with("12 pages of 6 sites"), "{}", told.remark);
    // Both measures must be: here only precision is.
    let precise = better_world(12).scored(0, |_| [90, 90, 100]);
    assert_eq!(precise.verdict(at_least(0.95)), Verdict::Fails);
}

#[test]
fn a_system_differs_where_one_of_the_others_is_far_from_it() {
    let rows: [Row<'_>; 3] = [
        ("nta", &[], &|page| 80 + page as u64 % 2),
        ("nta", &[("start", "first")], &|page| 81 - page as u64 % 2),
        ("nta", &[("start", "last")], &|page| 88 + page as u64 % 2 + 4 * (page as u64 / 2 % 2)),
    ];
    let world = world(10, &rows, vec![]);
    let differs = |starts: &[&str], within: f64| {
        let right = starts.iter().map(|start| json!({"system": "nta", "params": {"start": start}}));
        json!({"kind": "differs", "left": "nta", "right": right.collect::<Vec<_>>(), "measure": "f1", "within": within})
    };
    assert_eq!(world.verdict(differs(&["first", "last"], 0.02)), Verdict::Holds);
    assert_eq!(world.verdict(differs(&["first"], 0.02)), Verdict::Fails);
    // A tenth away, which is neither beyond a tenth nor within it.
    assert_eq!(world.verdict(differs(&["first", "last"], 0.1)), Verdict::NotSeparable);
    assert_eq!(world.verdict(differs(&["body"], 0.02)), Verdict::NotTestable);
}

/// A world of `nta` and `readability`, with comments on every other site.
fn commented(nta: impl Fn(bool) -> u64, readability: u64) -> World {
    let is_commented = |page: usize| page / 2 % 2 == 1;
    let rows: [Row<'_>; 2] =
        [("nta", &[], &|page| nta(is_commented(page)) + page as u64 % 2), ("readability-arc90", &[], &|_| readability)];
    let counts = |page| PageCounts { in_comments: if is_commented(page) { 7 } else { 0 }, ..PageCounts::default() };
    world(16, &rows, vec![]).counted(counts)
}

#[test]
fn what_is_said_of_some_pages_is_held_against_the_others_and_another_system() {
    let form = || {
        let pages = json!({"fact": "comment_chars", "from": 1});
        json!({"kind": "conditional", "system": "nta", "right": "readability", "measure": "p", "pages": pages})
    };
    let holds = commented(|comments| if comments { 60 } else { 90 }, 80).judge(form());
    assert_eq!((holds.verdict, holds.measured.len()), (Verdict::Holds, 2), "{}", holds.figures());
    let first = &holds.measured[0].what;
    assert_eq!(first, "P of nta [characters of comments below 1] less nta [characters of comments from 1]");
    assert!(holds.remark.contains("16 pages of 8 sites"), "{}", holds.remark);
    // Lower than on the other pages, but not than the other system; and the other way round.
    assert_eq!(commented(|comments| if comments { 85 } else { 90 }, 80).verdict(form()), Verdict::Fails);
    assert_eq!(commented(|comments| if comments { 60 } else { 40 }, 80).verdict(form()), Verdict::Fails);
    let none = commented(|_| 60, 80).counted(|_| PageCounts::default()).judge(form());
    assert_eq!(
        (none.verdict, none.figures().as_str()),
        (Verdict::NotTestable, "d has no page with characters of comments from 1")
    );
}

#[test]
fn pages_of_a_claim_are_those_of_which_so_much_was_counted() {
    let gold = |text| PageCounts { gold: Some(GoldCounts { text, ..GoldCounts::default() }), ..PageCounts::default() };
    let rows: [Row<'_>; 2] =
        [("nta", &[], &|page| if page < 16 { 90 + page as u64 % 2 } else { 70 }), ("cevc", &[], &|_| 80)];
    // Golds are the longer, the later the page; the last one was not counted.
    let mut world = world(16, &rows, vec![]).counted(|page| gold(page as u64));
    world.facts.last_entry().unwrap().get_mut().counts = None;
    let side = |bound: &str| json!({"system": "nta", "pages": {"fact": "gold_chars", bound: "median"}});
    let told = world.judge(greater(side("below"), side("from"), "mean"));
    assert_eq!(told.verdict, Verdict::Holds);
    assert!(
        told.remark.contains("of 15 pages of 8 sites against") && told.remark.contains("of 16 pages"),
        "{}",
        told.remark
    );
    assert_eq!(world.verdict(greater(side("from"), side("below"), "mean")), Verdict::Fails);
    // Pages of the whole form are those of each side.
    let among = |below: f64| {
        let mut form = greater(json!("nta"), json!("cevc"), "mean");
        form["pages"] = json!({"fact": "gold_chars", "below": below});
        world.verdict(form)
    };
    assert_eq!([among(16.0), among(1.0)], [Verdict::Holds, Verdict::NotSeparable]);
    assert_eq!(among(0.0), Verdict::NotTestable);
    let form = |below: u64| json!({"kind": "difference", "left": "nta", "right": "cevc", "measure": "f1", "value": 0.1, "tolerance": 0.03, "pages": {"fact": "gold_chars", "below": below}});
    assert_eq!([world.verdict(form(16)), world.verdict(form(31))], [Verdict::Holds, Verdict::Fails]);
}

#[test]
fn a_page_is_given_whole_or_not_at_all() {
    let rows: [Row<'_>; 2] = [("all-text", &[], &|_| 0), ("info-discoverer", &[], &|_| 0)];
    let form = || json!({"kind": "share_of_pages", "system": "info-discoverer", "predicate": "whole_or_nothing", "at_least": 1.0, "pages": {"fact": "table_chars", "below": 1}});
    let of = |extracted: fn(usize) -> u64| {
        let world =
            world(4, &rows, vec![]).scored(0, |_| [50, 200, 50]).scored(1, move |page| [0, extracted(page), 50]);
        world.counted(|page| PageCounts { in_tables: u64::from(page == 3), ..PageCounts::default() }).judge(form())
    };
    // A page with a table is not meant.
    let holds = of(|page| [200, 0, 200, 150, 0, 0, 200, 200][page]);
    assert_eq!((holds.verdict, holds.measured[0].value), (Verdict::Holds, 1.0), "{}", holds.figures());
    let fails = of(|page| if page == 5 { 150 } else { 0 });
    assert_eq!(fails.verdict, Verdict::Fails);
    assert!(fails.figures().ends_with("1 of 7 pages with a part of the text (p05)"), "{}", fails.figures());
}

#[test]
fn shares_of_text_are_of_all_pages_together_and_of_links_of_each() {
    let rows: [Row<'_>; 2] = [("all-text", &[], &|_| 0), ("table-ratio", &[], &|_| 0)];
    // Every second page of a site is nine times as long, and half of it is kept; the short ones are kept whole.
    let long = |page: usize| page % 2 == 1;
    let world = world(8, &rows, vec![])
        .scored(0, |page| [50, if long(page) { 900 } else { 100 }, 50])
        .scored(1, |page| [50, if long(page) { 450 } else { 100 }, 50]);
    let kept = |value: f64| json!({"kind": "value", "system": "table-ratio", "measure": "kept", "value": value, "tolerance": 0.02});
    assert!((world.judge(kept(0.55)).measured[0].value - 0.55).abs() < 1e-9);
    assert_eq!([world.verdict(kept(0.55)), world.verdict(kept(0.75))], [Verdict::Holds, Verdict::Fails]);
    let links = |page: usize| {
        let (on_page, in_links) = if long(page) { (1000, 100) } else { (10, 0) };
        PageCounts { gold: Some(GoldCounts { on_page, in_links, ..GoldCounts::default() }), ..PageCounts::default() }
    };
    let world = world.counted(links);
    let share = |value: f64| json!({"kind": "value", "system": "gold", "measure": "link_share", "group": "zh-news", "value": value, "tolerance": 0.01});
    let told = world.judge(share(0.05));
    assert_eq!((told.verdict, told.measured[0].what.as_str()), (Verdict::Holds, "gold on zh-news link share"));
    assert_eq!(world.verdict(share(0.09)), Verdict::Fails);
}

#[test]
fn rows_that_read_gold_are_judged_and_marked_and_ensembles_go_by_their_names() {
    let rows: [Row<'_>; 3] = [
        ("wrapper", &[("learn", "true")], &|page| 90 + page as u64 % 2),
        ("lqf>cetd", &[("members", "lqf+cetd")], &|page| 80 - page as u64 % 2),
        ("cetd", &[], &|page| 60 + page as u64 % 2),
    ];
    let world = world(10, &rows, vec![]);
    let judged =
        world.judge(greater(json!({"system": "wrapper", "params": {"learn": "true"}}), json!("lqf>cetd"), "mean"));
    assert_eq!(judged.verdict, Verdict::Holds);
    assert_eq!(judged.reads_gold, Some(ReadsGold::OtherPages));
    let first = &judged.measured[0].what;
    assert_eq!(first, "P of wrapper learn=true (reads_gold=other_pages) less lqf>cetd");
    let other = world.judge(greater(json!("lqf>cetd"), json!("cetd"), "mean"));
    assert_eq!((other.verdict, other.reads_gold), (Verdict::Holds, None));
}
