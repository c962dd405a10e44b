//! The screens in Chromium, by keys and by mouse.

use std::path::Path;

use carat_annotate::document::Document;
use carat_annotate::guidelines::Guidelines;
use carat_annotate::marks::Gold;
use carat_annotate::source::Source;
use carat_annotate::state::Status;
use serde_json::{Value as Json, json};

use crate::browser::{ENTER, Screen};
use crate::support::{Pages, Serving, settings, work};

/// The gold of a page's marks in the log: nodes, spans and text.
fn gold(folder: &Path, pages: &Pages, place: usize) -> (Json, Json, String) {
    let id = &pages.listed()[place].id;
    let labels = Guidelines::built_in().labels;
    let document = Document::new(pages.open(place).unwrap().page).unwrap();
    let state = work(folder, "li").pages[id].clone();
    let labelled = state.marks(&labels).unwrap().labelled(document.len());
    let gold = Gold::of(&document, &labelled, &labels, false);
    if let Some((_, done)) = &state.done {
        assert_eq!(done.gold_sha256, gold.sha256());
    }
    (json!(gold.extent.nodes), json!(gold.extent.spans), gold.text)
}

fn html(body: &str) -> String {
    format!("<!doctype html><meta charset=utf-8>{body}")
}

#[test]
fn the_golden_examples_by_keys_and_by_mouse() {
    let bodies = [
        "<div><h1>题</h1><article><p>甲。</p><aside>广告</aside><p>乙。</p></article></div>",
        "<div><h1>题</h1><article><p>甲。</p><aside>广告</aside><p>乙。</p></article></div>",
        "<p>据<a href=x>新华社</a>报道 <b>三人</b>获救</p><p>更多</p>",
        "<p>北京今日有雨。 责任编辑：李四</p><p>完</p>",
        "<div>2026-11-21 来源：新华网 标题党</div>",
        "<p>A👍🏽B</p>",
        "<table><tr><td>一<br>二<td>三</table><noscript>无</noscript><img alt=图><p style=\"display:none\">藏</p>",
        "<p>&nbsp;</p><p>a <i>b</i>c</p>",
        "<h1>猫</h1><p>睡。</p><p>图：猫</p>",
    ];
    let pages: Vec<(String, String)> =
        bodies.iter().enumerate().map(|(at, body)| (format!("p{at}"), html(body))).collect();
    let pages: Vec<_> = pages.iter().map(|(id, html)| (&**id, &**id, &**html)).collect();
    let pages = Pages::new(&pages);
    let folder = tempfile::tempdir().unwrap();
    let serving = Serving::start(pages.clone(), settings(folder.path(), "li", bodies.len()));
    let Some(screen) = Screen::open(&serving.address, 1280) else { return };
    let found = |place: usize| gold(folder.path(), &pages, place);
    // The second Enter is for text that was not on the screen for half a second, or is unsure.
    let finish = |place: usize| {
        std::thread::sleep(std::time::Duration::from_millis(1_300));
        screen.press(ENTER);
        if screen.said().contains("Enter") {
            screen.press(ENTER);
        }
        if place + 1 < bodies.len() {
            screen.shows(&format!("p{}", place + 1));
        } else {
            screen.says("Every page is done");
        }
    };

    screen.shows("p0");
    screen.press("jp1kjj2");
    finish(0);
    assert_eq!(found(0), (json!([[1, 1], [3, 3]]), json!([]), "甲。\n乙。".to_owned()));

    screen.press("jj2p");
    screen.press("p");
    screen.held("\u{E008}", "1");
    finish(1);
    assert_eq!(found(1), (json!([[0, 3]]), json!([]), "题\n甲。\n广告\n乙。".to_owned()));

    screen.select((0, 0), (3, 2));
    screen.wait("return document.querySelectorAll('.node.in').length === 4");
    screen.press("1");
    finish(2);
    assert_eq!(found(2), (json!([[0, 3]]), json!([]), "据新华社报道 三人".to_owned()));
    let set: Vec<Json> = work(folder.path(), "li").pages["p2"]
        .marks(&Guidelines::built_in().labels)
        .unwrap()
        .changes()
        .iter()
        .map(|change| change.written(&Guidelines::built_in().labels))
        .collect();
    assert_eq!(json!(set), json!([[0, 0, "content"], [1, 1, "content"], [2, 2, "content"], [3, 3, "content"]]));

    screen.press("s");
    screen.wait("return document.querySelector('.piece.in')?.textContent.startsWith('北京')");
    screen.press("1j1");
    finish(3);
    assert_eq!(found(3), (json!([[1, 1]]), json!([[0, 0, 7]]), "北京今日有雨。\n完".to_owned()));

    screen.press("1");
    screen.says("saved");
    screen.select((0, 0), (0, 10));
    screen.wait("return document.querySelector('.piece.in')?.textContent === '2026-11-21'");
    screen.press("rd");
    screen.wait("return document.querySelector('.piece.k-role') !== null");
    // From behind: the agency, 14 to 17 in UTF-16 units.
    screen.select((0, 17), (0, 14));
    screen.wait("return document.querySelector('.piece.in')?.textContent === '新华网'");
    screen.press("rs");
    finish(4);
    assert_eq!(found(4), (json!([]), json!([[0, 10, 13], [0, 16, 19]]), "来源： 标题党".to_owned()));

    screen.select((0, 1), (0, 5));
    screen.wait("return document.querySelector('.piece.in')?.textContent === '👍🏽'");
    screen.press("1");
    finish(5);
    assert_eq!(found(5), (json!([]), json!([[0, 1, 3]]), "👍🏽".to_owned()));

    screen.press("111");
    finish(6);
    assert_eq!(found(6), (json!([[0, 2]]), json!([]), "一\n二\n三".to_owned()));

    // Text by text.
    screen.press("i1");
    screen.says("saved");
    screen.press("ii1");
    finish(7);
    assert_eq!(found(7).0, json!([[0, 0], [2, 2]]));

    screen.press("rt13");
    screen.says("saved");
    finish(8);
    assert_eq!(found(8), (json!([[0, 1]]), json!([]), "猫\n睡。".to_owned()));
    assert_eq!(work(folder.path(), "li").count(Status::Done), bodies.len());
    assert_eq!(screen.console(), json!([]));
}

#[test]
fn the_header_counts_pages_that_are_done_and_those_that_are_faulty() {
    let pages: Vec<(String, String)> = (0..5).map(|at| (format!("p{at}"), html("<p>甲。</p><p>乙。</p>"))).collect();
    let pages: Vec<_> = pages.iter().map(|(id, html)| (&**id, &**id, &**html)).collect();
    let folder = tempfile::tempdir().unwrap();
    let serving = Serving::start(Pages::new(&pages), settings(folder.path(), "li", pages.len()));
    let post = |page: usize, events: Json| {
        let path = format!("/api/pages/p{page}");
        let seq = serving.get(&path).json()["seq"].clone();
        let answer = serving.post(&format!("{path}/log"), &json!({"seq": seq, "events": events}));
        assert_eq!(answer.status, 200, "{}", answer.body);
    };
    let done = json!([{"do": "mark", "set": [[0, 1, "content"]], "via": "key"}, {"do": "done"}]);
    post(0, done.clone());
    let Some(screen) = Screen::open(&serving.address, 1280) else { return };
    screen.wait("return document.getElementById('where').textContent.endsWith('· 1 done of 5')");
    post(1, done.clone());
    post(2, done);
    (3..5).for_each(|page| post(page, json!([{"do": "skip", "fault": "no_text"}])));
    screen.go("about:blank");
    screen.go(&serving.address);
    screen.wait("return document.getElementById('where').textContent.endsWith('· 3 done, 2 faulty of 5')");
    screen.click("#b-language");
    screen.wait("return document.getElementById('where').textContent.endsWith('· 共 5 页，完成 3，有问题 2')");
    screen.wait("return document.getElementById('progress').value === 5");
}
