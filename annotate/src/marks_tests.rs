//! The golden examples of marks, and marks against a slow reading of the rules.

use proptest::prelude::*;
use serde_json::{Value as Json, json};

use crate::document::tests::document;
use crate::document::{Document, Run};
use crate::guidelines::{Guidelines, Labels};
use crate::marks::{Change, Gold, Marks};

/// Each action: what is set, and the runs in which all goes first.
fn gold_of(html: &str, actions: &[(Json, &[Run])], unsure_in: bool) -> (Document, Gold, bool) {
    let (document, labels) = (document(html), Guidelines::built_in().labels);
    let mut marks = Marks::default();
    for (set, inside) in actions {
        let changes: Vec<_> =
            set.as_array().unwrap().iter().map(|entry| Change::read(entry, &labels).unwrap()).collect();
        changes.iter().for_each(|change| change.check(&document).unwrap());
        marks.apply(&changes, inside);
    }
    let labelled = marks.labelled(document.len());
    let gold = Gold::of(&document, &labelled, &labels, unsure_in);
    let is_unsure = labelled.has(crate::guidelines::UNSURE, &document);
    (document, gold, is_unsure)
}

/// `nodes`, `spans` and text of the gold after one action.
fn after(html: &str, set: Json) -> (Json, Json, String) {
    let (_, gold, _) = gold_of(html, &[(set, &[])], false);
    (json!(gold.extent.nodes), json!(gold.extent.spans), gold.text)
}

const ARTICLE: &str = "<div><h1>题</h1><article><p>甲。</p><aside>广告</aside><p>乙。</p></article></div>";
const RAIN: &str = "<p>北京今日有雨。 责任编辑：李四</p><p>完</p>";
const BYLINE: &str = "<div>2026-11-21 来源：新华网 标题党</div>";

#[test]
fn an_aside_in_an_article_is_left_out() {
    let (document, gold, _) = gold_of(ARTICLE, &[(json!([[1, 3, "content"], [2, 2, "not"]]), &[])], false);
    assert_eq!((gold.extent.nodes, gold.text.as_str()), (vec![[1, 1], [3, 3]], "甲。\n乙。"));
    assert_eq!(document.text_sha256, "2eb089d0804ffde9bf4706b2292837171cf32bc348edf79c7f3f4c0a3a662a74");
}

#[test]
fn the_smaller_run_decides_unless_it_is_taken_away() {
    let first = (json!([[2, 2, "not"]]), &[][..]);
    let (_, gold, _) = gold_of(ARTICLE, &[first.clone(), (json!([[0, 3, "content"]]), &[])], false);
    assert_eq!((gold.extent.nodes, gold.text.as_str()), (vec![[0, 1], [3, 3]], "题\n甲。\n乙。"));
    let (_, gold, _) = gold_of(ARTICLE, &[first, (json!([[0, 3, "content"]]), &[[0, 3]])], false);
    assert_eq!((gold.extent.nodes, gold.text.as_str()), (vec![[0, 3]], "题\n甲。\n广告\n乙。"));
}

#[test]
fn a_selection_is_the_fewest_targets() {
    let html = "<p>据<a href=x>新华社</a>报道 <b>三人</b>获救</p><p>更多</p>";
    // Without the last text node of the paragraph, no element holds the run.
    assert_eq!(document(html).cover([0, 3]), [[0, 0], [1, 1], [2, 2], [3, 3]]);
    assert_eq!(document(html).cover([0, 4]), [[0, 4]]);
    let set = json!([[0, 0, "content"], [1, 1, "content"], [2, 2, "content"], [3, 3, "content"]]);
    assert_eq!(after(html, set), (json!([[0, 3]]), json!([]), "据新华社报道 三人".to_owned()));
}

#[test]
fn pieces_become_spans() {
    let (document, gold, _) = gold_of(RAIN, &[(json!([[0, 0, 7, "content"], [1, 1, "content"]]), &[])], false);
    assert_eq!(gold.extent.nodes, [[1, 1]]);
    assert_eq!(gold.extent.spans, [[0, 0, 7]]);
    assert_eq!(gold.text, "北京今日有雨。\n完");
    assert_eq!(document.text_sha256, "9074868cf37a9e16483b0ec9a48cd671ddf01e2c80cdcdf2715e5a5f20491fd7");
    let written = gold.json(&document, [16, 16]);
    assert_eq!(
        written.to_string(),
        format!(
            r#"{{"text":"北京今日有雨。\n完","nodes":[[1,1]],"spans":[[0,0,7]],"text_sha256":"{}","f1":[16,16]}}"#,
            document.text_sha256
        )
    );
}

#[test]
fn a_piece_overrides_its_node() {
    let set = json!([[0, 0, "content"], [0, 0, 10, "date"], [0, 13, 16, "source"]]);
    let (document, gold, _) = gold_of(BYLINE, &[(set, &[])], false);
    assert_eq!(gold.extent.spans, [[0, 10, 13], [0, 16, 19]]);
    assert_eq!(gold.text, "来源： 标题党");
    let roles = &gold.json(&document, [6, 6])["roles"];
    assert_eq!(*roles, json!({"date": [[0, 0, 10]], "source": [[0, 13, 16]]}));
}

#[test]
fn roles_that_are_gold_are_gold() {
    let set = json!([[0, 0, 10, "title"], [0, 13, 16, "title"]]);
    assert_eq!(after(BYLINE, set), (json!([]), json!([[0, 0, 10], [0, 13, 16]]), "2026-11-21 新华网".to_owned()));
    // The hand and its skin colour are two characters.
    let emoji = after("<p>A👍🏽B</p>", json!([[0, 1, 3, "content"]]));
    assert_eq!(emoji, (json!([]), json!([[0, 1, 3]]), "👍🏽".to_owned()));
}

#[test]
fn cells_are_lines_and_hidden_text_is_text() {
    let html =
        "<table><tr><td>一<br>二<td>三</table><noscript>无</noscript><img alt=图><p style=\"display:none\">藏</p>";
    assert_eq!(after(html, json!([[0, 2, "content"]])), (json!([[0, 2]]), json!([]), "一\n二\n三".to_owned()));
    assert_eq!(document(html).text(3), "藏");
}

#[test]
fn blank_text_is_no_target() {
    let html = "<p>&nbsp;</p><p>a <i>b</i>c</p>";
    let set = json!([[0, 0, "content"], [2, 2, "content"]]);
    assert_eq!(after(html, set), (json!([[0, 0], [2, 2]]), json!([]), "a c".to_owned()));
    assert_eq!(after(html, json!([])), (json!([]), json!([]), String::new()));
}

#[test]
fn unsure_is_written_only_where_it_is_decided() {
    let html = "<h1>猫</h1><p>睡。</p><p>图：猫</p>";
    let set = json!([[0, 0, "title"], [1, 1, "content"], [2, 2, "unsure"]]);
    let (document, gold, is_unsure) = gold_of(html, &[(set.clone(), &[])], false);
    assert!(is_unsure);
    let written = gold.json(&document, [6, 6]);
    assert_eq!((&written["nodes"], &written["roles"]), (&json!([[0, 1]]), &json!({"title": [[0, 0]]})));
    assert_eq!(gold.text, "猫\n睡。");
    let (_, gold, _) = gold_of(html, &[(set, &[])], true);
    assert_eq!(gold.extent.nodes, [[0, 2]]);
}

#[test]
fn a_later_piece_takes_its_part() {
    let (_, gold, _) = gold_of(
        BYLINE,
        &[(json!([[0, 2, 12, "content"]]), &[]), (json!([[0, 5, 8, "not"]]), &[]), (json!([[0, 3, 4, null]]), &[])],
        false,
    );
    assert_eq!(gold.extent.spans, [[0, 2, 3], [0, 4, 5], [0, 8, 12]]);
}

#[test]
fn all_pieces_of_a_node_are_the_node() {
    let set = json!([[0, 0, 7, "content"], [0, 7, 14, "title"], [1, 1, "content"]]);
    let (_, gold, _) = gold_of(RAIN, &[(set, &[])], false);
    assert_eq!((gold.extent.nodes, gold.extent.spans), (vec![[0, 1]], vec![]));
    assert_eq!(gold.roles["title"].spans, [[0, 7, 14]]);
}

#[test]
fn what_the_page_does_not_have_is_refused() {
    let (document, labels) = (document(ARTICLE), Guidelines::built_in().labels);
    let told = |entry: Json| Change::read(&entry, &labels).and_then(|change| change.check(&document)).unwrap_err();
    assert_eq!(told(json!([1, 2, "content"])), "[1,2] is the text of no element");
    assert_eq!(told(json!([0, 9, "content"])), "[0,9] is the text of no element");
    assert!(told(json!([1, 1, 3, "content"])).contains("no piece"));
    assert!(told(json!([1, 0, 2, "content"])).contains("[1,1]"));
    assert!(told(json!([7, 0, 1, "content"])).contains("no text node 7"));
    assert!(told(json!([0, 0, "headline"])).contains("headline"));
    for entry in [json!([]), json!(["content"]), json!([0, "content"]), json!([0, 0, 0, 0, null]), json!([-1, 0, null])]
    {
        assert!(told(entry).contains("is no mark"));
    }
}

/// The label of a character by the rules, one after the other.
fn slow_label(marks: &[(Vec<Change>, Vec<Run>)], node: u32, at: u32) -> Option<u8> {
    let mut runs: Vec<(Run, u8)> = Vec::new();
    let mut piece: Option<u8> = None;
    for (set, inside) in marks {
        for run in inside {
            runs.retain(|(other, _)| other == run || other[0] < run[0] || other[1] > run[1]);
            if run[0] <= node && node <= run[1] {
                piece = None;
            }
        }
        for change in set {
            match *change {
                Change::Run(run, label) => {
                    runs.retain(|(other, _)| *other != run);
                    runs.extend(label.map(|label| (run, label)));
                }
                Change::Piece(of, from, to, label) if of == node && from <= at && at < to => piece = label,
                Change::Piece(..) => {}
            }
        }
    }
    let holding = runs.iter().filter(|([first, last], _)| *first <= node && node <= *last);
    piece.or(holding.min_by_key(|([first, last], _)| last - first).map(|(_, label)| *label))
}

fn action(document: &Document, numbers: (usize, u8, u32, bool), labels: &Labels) -> (Vec<Change>, Vec<Run>) {
    let (place, label, cut, deep) = numbers;
    let label = (label < labels.len() as u8).then_some(label);
    let run = document.targets[place % document.targets.len()];
    let chars = document.chars[run[0] as usize];
    if cut > 0 && run[0] == run[1] && chars > 1 {
        let from = cut % chars;
        let to = if from == 0 { chars - 1 } else { chars };
        return (vec![Change::Piece(run[0], from, to, label)], vec![]);
    }
    (vec![Change::Run(run, label)], if deep { vec![run] } else { vec![] })
}

proptest! {
    #[test]
    fn labels_and_gold_follow_the_rules(
        numbers in prop::collection::vec((0usize..40, 0u8..11, 0u32..6, any::<bool>()), 0..25)
    ) {
        let html = "<div>ab<p>c de<b>fg</b>h</p><ul><li>一二三<li><i>四 五</i> 六</ul></div><p>end of it</p>";
        let (document, labels) = (document(html), Guidelines::built_in().labels);
        let actions: Vec<_> = numbers.into_iter().map(|numbers| action(&document, numbers, &labels)).collect();
        let mut marks = Marks::default();
        for (set, inside) in &actions {
            prop_assert!(set.iter().all(|change| change.check(&document).is_ok()));
            marks.apply(set, inside);
        }
        let labelled = marks.labelled(document.len());
        let gold = Gold::of(&document, &labelled, &labels, false);
        let parts = gold.extent.parts(&document);
        for node in 0..document.len() as u32 {
            for at in 0..document.chars[node as usize] {
                let expected = slow_label(&actions, node, at);
                let parts_of_node = labelled.parts(node, document.chars[node as usize]);
                let found = parts_of_node.iter().find(|part| part.0 <= at && at < part.1).unwrap().2;
                prop_assert_eq!(found, expected);
                let is_gold = parts.iter().any(|&(of, from, to)| of == node && from <= at && at < to);
                prop_assert_eq!(is_gold, expected.is_some_and(|label| labels.is_gold(label)));
            }
        }
        // The same marks made at once are the same marks.
        let mut again = Marks::default();
        again.apply(&marks.changes(), &[]);
        prop_assert_eq!(&again, &marks);
        // The gold's characters stand in the page in this order.
        let dense = carat_core::text::chars(&gold.text) as u64;
        prop_assert_eq!(dense, gold.chars);
    }
}
