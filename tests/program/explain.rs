//! `carat explain` as people meet it; the figures are those of the worked pages of each algorithm.

use crate::support::{Folder, check};
use serde_json::{Value as Json, json};

const PAGE_A: &str = "<body><div id=w><div id=nav><a href=1>Home</a> <a href=2>News</a></div>\
    <div id=c><p>aaaaaaaaaa</p><p>bbbbbbbbbb</p></div><div id=foot>cc</div></div></body>";
const PAGE_C: &str = "<body><div id=nav><a href=1>the home</a></div><div id=m><div id=c><p>the aaaa</p>\
    <p>the bbbb</p><p>zzz</p></div><div id=s><p>the q</p></div></div></body>";
const PAGE_E: &str = "<body><div id=w><div id=nav><a href=1>aa</a><a href=2>bb</a>|</div><div id=c>\
    <p>aaaaaaaaaaaa</p><p>xx<a href=3>yy</a>zz</p></div></div>end</body>";

fn pages() -> Folder {
    Folder::new().with("a.html", PAGE_A).with("c.html", PAGE_C).with("e.html", PAGE_E)
}

/// What is told of the node that is called `element`.
fn node(told: &Json, element: &str) -> Json {
    let nodes = told["nodes"].as_array().unwrap();
    nodes.iter().find(|node| node["element"] == element).unwrap_or_else(|| panic!("no {element}")).clone()
}

fn figure(told: &Json, name: &str) -> Json {
    let found = told["figures"].as_array().unwrap().iter().find(|figure| figure["name"] == name);
    found.map_or(Json::Null, |figure| figure["value"].clone())
}

fn explained(folder: &Folder, arguments: &str) -> Json {
    serde_json::from_str(&check(folder, &format!("explain {arguments} --format json"), 0, &[]).stdout).unwrap()
}

#[test]
fn nta_tells_types_coherences_the_list_and_the_start() {
    let folder = pages();
    let told = explained(&folder, "a.html --algorithm nta");
    assert_eq!(figure(&told, "start node"), "div#w");
    assert_eq!(figure(&told, "characters outside links"), 22);
    let list = told["lists"][0]["entries"].as_array().unwrap();
    let listed: Vec<&str> = list.iter().map(|entry| entry["element"].as_str().unwrap()).collect();
    assert_eq!(listed, ["div#c", "div#w", "body"]);
    let (start, content, nav) = (node(&told, "div#w"), node(&told, "div#c"), node(&told, "div#nav"));
    assert_eq!((figure(&start, "coherence"), &start["verdict"]), (json!("3/5"), &json!("entered")));
    assert_eq!((figure(&content, "density"), &content["chosen"]), (json!("20/22"), &json!("all")));
    assert_eq!((figure(&nav, "type"), &nav["verdict"]), (json!("link"), &json!("dropped")));
    let shown = check(&folder, "explain a.html --algorithm nta", 0, &[]).stdout;
    assert!(shown.contains("~   div#w  start node; coherence 0.6 does not reach 0.9"), "{shown}");
    assert!(shown.contains("-     div#nav  a link without text on both sides"), "{shown}");
    assert!(!shown.contains("Home"), "nothing is shown below what is decided:\n{shown}");
    check(&folder, "explain a.html --algorithm nta --all", 0, &["\"Home\""]);
    let kept = explained(&folder, "a.html --algorithm nta:coherence=0.6");
    assert_eq!(node(&kept, "div#w")["verdict"], "chosen");
}

#[test]
fn an_algorithm_that_records_no_reasons_says_so() {
    let folder = pages();
    let told = "bte records no reasons: only its choice is shown.";
    check(&folder, "explain a.html --algorithm bte", 0, &[told, "+ all text of it is chosen"]);
    check(&folder, "explain a.html --algorithm bte --html why.html", 0, &["for this algorithm records no reasons"]);
    let reasoned = check(&folder, "explain a.html --algorithm nta", 0, &[]).stdout;
    assert!(!reasoned.contains("records no reasons"), "{reasoned}");
}

#[test]
fn cevc_tells_the_path_and_where_it_ends() {
    let told = explained(&pages(), "c.html --language en --algorithm cevc:alpha=0.78");
    assert_eq!((figure(&told, "valid characters"), figure(&told, "block")), (json!(18), json!("div#m")));
    let path = told["lists"][0]["entries"].as_array().unwrap();
    let shares: Vec<Json> = path.iter().map(|entry| figure(entry, "share of the largest child")).collect();
    assert_eq!(shares, ["18/18", "14/18", "7/14"]);
    let verdicts: Vec<&Json> = path.iter().map(|entry| &entry["verdict"]).collect();
    assert_eq!(verdicts, ["entered", "chosen", "outside"]);
    assert_eq!(path[1]["reason"], "7/9 < alpha 0.78: stops, this is the block");
    assert_eq!(node(&told, "\"zzz\"")["reason"], "holds no stop word");
    assert_eq!(node(&told, "div#nav")["reason"], "beside the path");
    let further = explained(&pages(), "c.html --language en --algorithm cevc");
    assert_eq!(figure(&further, "block"), "div#c");
    assert_eq!(further["text"], "the aaaa\nthe bbbb");
}

#[test]
fn relevance_tells_both_relevances_and_what_fell_when() {
    let told = explained(&pages(), "e.html --algorithm relevance:local_min=10,context_min=15");
    let (nav, wrapper) = (node(&told, "div#nav"), node(&told, "div#w"));
    assert_eq!((figure(&nav, "local relevance"), figure(&nav, "context relevance")), (json!("1/2"), json!("17/2")));
    assert_eq!((figure(&nav, "fell as number"), &nav["verdict"]), (json!(1), &json!("dropped")));
    assert_eq!((figure(&wrapper, "words"), figure(&wrapper, "words left when judged")), (json!(17), json!(16)));
    let shown = check(&pages(), "explain e.html --algorithm relevance:local_min=10,context_min=15", 0, &[]).stdout;
    assert!(shown.contains("p  saved: local relevance 4 < 10, context 16 reaches 15"), "{shown}");
    let none = explained(&pages(), "e.html --algorithm relevance:local_min=10,context=none");
    assert_eq!(figure(&none, "blocks that fell"), 2);
}

const MANIFEST: &str =
    "format: 1\nname: demo\nversion: '1'\nlicence: {data: CC0-1.0, pages: CC0-1.0, redistribution: free}\n";

/// Three pages of one template, with gold, and a run of them in `o`.
fn demo() -> Folder {
    let page = |id: &str, middle: &str| {
        let html =
            format!("<body><div id=h><a href=/>Home</a></div><div id=m>{middle}</div><div id=f>Site 2020</div></body>");
        format!("{}\n", json!({"id": id, "html": {"text": html}, "gold": {"text": "Cats sleep.\nA lot."}}))
    };
    let pages = [
        page("cats", "<p>Cats sleep.</p><p>A lot.</p>"),
        page("dogs", "<p>Dogs bark.</p><h2>Why</h2>"),
        page("fish", "<p>Fish swim.</p>"),
    ];
    Folder::new().with("demo/dataset.yaml", MANIFEST).with("demo/pages.jsonl", pages.concat())
}

#[test]
fn istm_tells_the_reference_and_what_it_has_too() {
    let folder = demo();
    let told = explained(&folder, "./demo cats --algorithm istm");
    assert_eq!((figure(&told, "reference"), figure(&told, "its similarity")), (json!("dogs"), json!("0.9")));
    assert_eq!(figure(&told, "pages of its cluster"), 3);
    assert_eq!(node(&told, "div#h")["verdict"], "dropped");
    assert_eq!((&told["text"], &told["score"]["f1"]), (&json!("Cats sleep.\nA lot."), &json!(1.0)));
    let alone = explained(&folder, "./demo cats --algorithm istm:similarity=1");
    assert_eq!(figure(&alone, "reference"), "none: the page is alone in its cluster");
}

#[test]
fn methods_over_several_pages_tell_what_decides_about_a_text() {
    let folder = demo();
    let told = |algorithm: &str| explained(&folder, &format!("./demo cats --algorithm {algorithm},group=cluster"));
    // Four leaves, of which dogs has three and another one, fish three and no other.
    let dse = told("dse:references=1");
    assert_eq!((figure(&dse, "reference"), figure(&dse, "similarity of its layout")), (json!("fish"), json!("0.75")));
    assert_eq!(dse["text"], "Cats sleep.\nA lot.");
    let text = |told: &Json, text: &str| node(told, &format!("{text:?}"));
    let xiong = told("xiong-like:drop=0.8");
    assert_eq!((figure(&xiong, "reference"), &text(&xiong, "Home")["verdict"]), (json!("fish"), &json!("dropped")));
    let home = text(&told("template-learned:anchor=1"), "Home");
    assert_eq!(home["reason"], "another page has it at the same place");
    assert_eq!(text(&told("sst:importance=0.5"), "Home")["reason"], "it is in noise");
    let cats = text(&told("info-discoverer:block_tags=table_div"), "Cats sleep.");
    assert_eq!((figure(&cats, "distinct words of its block"), &cats["verdict"]), (json!(4), &json!("chosen")));
}

#[test]
fn every_algorithm_tells_what_it_chose_with_the_share_of_the_gold() {
    let folder = demo();
    for name in carat::algorithms::names() {
        check(&folder, &format!("explain ./demo cats --algorithm {name}"), 0, &["all text of it is chosen"]);
    }
    let shown = check(&folder, "explain ./demo ca --algorithm nonlink-text", 0, &[]).stdout;
    assert!(shown.contains("+   div#m  chosen  (characters in the gold 15/15)"), "{shown}");
    assert!(shown.contains("-   div#h  not chosen  (characters in the gold 0/4)"), "{shown}");
}

#[test]
fn a_page_of_a_run_is_scored_as_there() {
    let folder = demo();
    check(&folder, "run --dataset ./demo --algorithm nta --tokens word --out o", 0, &[]);
    check(&folder, "explain o cats --algorithm all-text", 0, &["cats of demo: all-text", "tokens word"]);
    check(&folder, "explain o cats --dataset demo --algorithm cevc:alpha=0.8", 0, &["cevc:alpha=0.8"]);
}

/// Pages of two sites with a template each, and one alone on its site.
fn sites() -> Folder {
    let page = |id: &str, site: &str, text: &str| {
        let html = format!(
            "<body><div id=h><a href=/>Home</a></div><div class=m><h1>{text} in the long summer</h1><p>{text} sleep, all day long.</p><p class=tool>Share \
             it</p></div></body>"
        );
        let gold = format!("{text} in the long summer\n{text} sleep, all day long.");
        format!("{}\n", json!({"id": id, "html": {"text": html}, "gold": {"text": gold}, "site": site}))
    };
    let pages = [("cats", "a"), ("dogs", "a"), ("fish", "b"), ("frogs", "b"), ("toads", "c")];
    Folder::new()
        .with("demo/dataset.yaml", MANIFEST)
        .with("demo/pages.jsonl", pages.map(|(id, site)| page(id, site, id)).concat())
}

#[test]
fn learned_templates_tell_their_selectors_and_what_each_did() {
    let folder = sites();
    let told = explained(&folder, "./demo cats --algorithm wrapper:learn=true");
    assert_eq!(figure(&told, "decided by"), "the learned template");
    assert_eq!(figure(&told, "learned template"), "of 1 other pages of the site");
    assert_eq!(figure(&told, "its mean F1 on them"), "1.000000000");
    assert_eq!(figure(&told, "included"), "`div.m`: 1 element, 40 characters given");
    assert_eq!(figure(&told, "excluded"), "`p.tool`: 1 element, 7 characters taken out");
    let (content, tool) = (node(&told, "div.m"), node(&told, "p.tool"));
    assert_eq!((&content["verdict"], &content["reason"]), (&json!("entered"), &json!("included by `div.m`")));
    assert_eq!((&tool["verdict"], figure(&tool, "characters taken out")), (&json!("dropped"), json!(7)));
    assert_eq!(
        (&told["text"], &told["score"]["f1"]),
        (&json!("cats in the long summer\ncats sleep, all day long."), &json!(1.0))
    );
    assert_eq!(told["parameters"]["exclusion"], "nearest");
    // As in the run.
    check(
        &folder,
        "run --dataset ./demo --algorithm wrapper:learn=true --algorithm fiasco-lite --bounds none --out o",
        0,
        &[],
    );
    let text = |page: &str, algorithm: &str| {
        let ran = check(&folder, &format!("diff o {page} --algorithm {algorithm} --format json"), 0, &[]);
        serde_json::from_str::<Json>(&ran.stdout).unwrap()["rows"][0]["extraction"].clone()
    };
    for page in ["cats", "dogs", "fish", "toads"] {
        for algorithm in ["wrapper:learn=true", "fiasco-lite"] {
            let told = explained(&folder, &format!("o {page} --algorithm {algorithm}"));
            assert_eq!(told["text"], text(page, algorithm), "{page} {algorithm}");
        }
    }
    let alone = explained(&folder, "./demo toads --algorithm wrapper:learn=true,fallback=nonlink-text");
    assert_eq!(figure(&alone, "decided by"), "the fallback nonlink-text");
    assert_eq!(figure(&alone, "learned template"), "none: there is no other page of the site with gold to learn from");
    assert_eq!(node(&alone, "div#h")["verdict"], "dropped");
}

#[test]
fn rules_tell_which_of_them_decided() {
    let rules = "format: 1\nfallback: none\nrules:\n  - {site: a, include: ['.absent']}\n  - {site: a, include: [p, {selector: p, pick: first}], exclude: .tool}\n";
    let folder = sites().with("r.yaml", rules);
    let told = explained(&folder, "./demo cats --algorithm wrapper:rules=r.yaml");
    assert_eq!(figure(&told, "decided by"), "the rule at r.yaml:5");
    assert_eq!(figure(&told, "chose nothing"), "the rule at r.yaml:4");
    let shown = check(&folder, "explain ./demo cats --algorithm wrapper:rules=r.yaml", 0, &[]).stdout;
    assert!(shown.contains("included: `p` (the first): 1 element, 21 characters given"), "{shown}");
    assert!(shown.contains("-     p.tool  included by `p`; excluded by `.tool`"), "{shown}");
    let none = explained(&folder, "./demo fish --algorithm wrapper:rules=r.yaml");
    assert_eq!((figure(&none, "decided by"), &none["text"]), (json!("nothing: there is no fallback"), &json!("")));
    check(
        &folder.with("a.html", PAGE_A),
        "explain a.html --algorithm wrapper:rules=r.yaml",
        3,
        &["a.html is a single page"],
    );
}

#[test]
fn learned_blocks_tell_how_likely_each_is_and_its_numbers() {
    let folder = sites();
    let told = explained(&folder, "./demo cats --algorithm fiasco-lite:clean=0.35");
    assert_eq!(
        (figure(&told, "blocks"), figure(&told, "learned from")),
        (json!(4), json!("the blocks of 3 pages of 2 sites; a is left out"))
    );
    let (text, home) = (node(&told, "\"cats sleep, all day long.\""), node(&told, "\"Home\""));
    let likely = |node: &Json| figure(node, "how likely it is content").as_str().unwrap().parse::<f64>().unwrap();
    assert!(likely(&text) > 0.5 && likely(&home) < 0.35, "{text} {home}");
    assert_eq!((figure(&text, "is p"), figure(&home, "share of links")), (json!("1.0000"), json!("1.0000")));
    assert_eq!((&text["verdict"], &home["reason"]), (&json!("chosen"), &json!("its block is below clean 0.35")));
    check(&folder, "explain ./demo cats --algorithm fiasco-lite:clean=0.35 --html f.html", 0, &[]);
    let sweep = data(&folder.read("f.html"))["sweeps"][0].clone();
    let values: Vec<&str> =
        sweep["steps"].as_array().unwrap().iter().map(|step| step["values"].as_str().unwrap()).collect();
    assert_eq!(values, ["0.1", "0.2", "0.3", "0.35", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9"]);
    assert_eq!((&sweep["parameter"], &sweep["current"]), (&json!("clean"), &json!(3)));
    check(&folder, "explain ./demo cats --algorithm wrapper:learn=true --html w.html", 0, &[]);
    assert_eq!(data(&folder.read("w.html"))["figures"][0][1], "the learned template");
    // Of a, b and c the first and the third are in one part of two.
    let told = explained(&folder, "./demo cats --algorithm fiasco-lite:folds=2");
    let from = "the blocks of 2 pages of 1 site; a is left out, and with it c";
    assert_eq!(figure(&told, "learned from"), from);
    // A site that only a page without gold stands on is none that anything is learned of.
    let silent = json!({"id": "silent", "html": {"text": "<p>x"}, "site": "s"}).to_string();
    let folder = folder.with("more/dataset.yaml", MANIFEST.replace("demo", "more"));
    let folder = {
        let pages = folder.read("demo/pages.jsonl") + &silent + "\n";
        folder.with("more/pages.jsonl", pages)
    };
    let told = explained(&folder, "./more cats --algorithm fiasco-lite");
    assert_eq!(figure(&told, "learned from"), "the blocks of 3 pages of 2 sites; a is left out");
    let told = explained(&folder, "./demo cats --algorithm fiasco-lite:train_on=./more");
    assert_eq!(figure(&told, "learned from"), "the blocks of ./more: 3 pages of 2 sites; a is left out");
    // In no fold is a page without gold, which is not the fault of its site.
    let told = explained(&folder, "./more silent --algorithm wrapper:learn=true");
    assert_eq!(figure(&told, "learned template"), "none: the page has no gold, and is in no fold of its site");
    // Of one site there is nothing to learn from.
    check(&folder, "run --dataset ./demo --where site=a --algorithm fiasco-lite --bounds none --out one", 0, &[]);
    check(&folder, "explain one cats --algorithm fiasco-lite", 3, &["no other site with gold to learn from"]);
}

#[test]
fn learned_links_tell_how_likely_each_is_noise_and_its_features() {
    let folder = sites();
    let told = explained(&folder, "./demo cats --algorithm link-noise:scores=learned");
    assert_eq!(figure(&told, "learned from"), "the links of 3 pages of 2 sites; a is left out");
    let home = node(&told, "\"Home\"");
    let likely = figure(&home, "how likely its link is noise (1/2 is enough)");
    assert!(likely.as_str().unwrap().parse::<f64>().unwrap() > 0.5, "{home}");
    assert_eq!((figure(&home, "is short"), figure(&home, "leads to no document")), (json!("yes"), json!("no")));
    assert_eq!(home["verdict"], "dropped");
    let text = node(&told, "\"cats sleep, all day long.\"");
    assert_eq!((&text["verdict"], figure(&text, "is short")), (&json!("chosen"), Json::Null));
}

#[test]
fn what_cannot_be_explained_is_told() {
    let folder = demo().with("a.html", PAGE_A);
    check(&folder, "explain ./demo --algorithm nta", 2, &["name one of the 3 pages by its id: cats, dogs, fish"]);
    check(&folder, "explain ./demo cast --algorithm nta", 2, &["`cast`; did you mean `cats`?"]);
    check(&folder, "explain a.html cats --algorithm nta", 2, &["is a single page"]);
    check(&folder, "explain ./demo cats --dataset other --algorithm nta", 2, &["has no dataset `other`"]);
    check(&folder, "explain ./demo cats --algorithm ntaa", 2, &["did you mean `nta`?"]);
    check(&folder, "explain ./demo cats --algorithm nta:density=0.3|0.5", 2, &["one value for each parameter"]);
    check(&folder, "explain ./demo cats --language en --algorithm nta", 2, &["are for files"]);
    check(
        &folder,
        "explain ./demo cats --algorithm external/mine",
        2,
        &["carat diff RUN PAGE --algorithm external/mine"],
    );
    check(&folder, "explain nowhere cats --algorithm nta", 2, &["no dataset of this name"]);
}

/// What the page's scripts read.
fn data(html: &str) -> Json {
    let (_, rest) = html.split_once("<script type=\"application/json\" id=\"data\">").unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

#[test]
fn the_slider_steps_through_the_exact_break_points() {
    let folder = demo().with("a.html", PAGE_A);
    check(&folder, "explain a.html --algorithm nta --html nta.html", 0, &[]);
    let told = data(&folder.read("nta.html"));
    let sweep = &told["sweeps"][0];
    assert_eq!((&sweep["parameter"], &sweep["exact"]), (&json!("coherence"), &json!(true)));
    let values: Vec<&Json> = sweep["steps"].as_array().unwrap().iter().map(|step| &step["values"]).collect();
    assert_eq!(values, ["[0, 0.6]", "(0.6, 1]"]);
    assert_eq!(sweep["current"], 1);
    // Up to 3/5 all five texts are chosen; above it those of the two links go.
    let changed: Vec<usize> =
        sweep["steps"].as_array().unwrap().iter().map(|step| step["changed"].as_array().unwrap().len()).collect();
    assert_eq!(changed, [5, 2]);
    check(&folder, "explain ./demo cats --algorithm istm --html istm.html --lang zh", 0, &[]);
    let told = data(&folder.read("istm.html"));
    assert_eq!(told["sweeps"][0]["exact"], false);
    assert_eq!(told["sweeps"][0]["steps"][0]["score"][2], "1.0000");
}

#[test]
fn what_a_page_holds_is_no_markup_in_its_explanation() {
    let page = "<body><p id='</script><script>window.struck=1</script>' class='<!--<script>' onclick='struck=1'>\
        &lt;/script>&lt;script>window.struck=1&lt;/script></p><script>window.struck=1</script>\
        <img src=x onerror='window.struck=1'><a href='javascript:struck=1'>the link</a>\u{202e}";
    let folder = Folder::new().with("evil.html", page);
    for algorithm in ["nta", "cevc", "relevance", "all-text"] {
        check(&folder, &format!("explain evil.html --algorithm {algorithm} --html shown.html"), 0, &[]);
        let html = folder.read("shown.html");
        assert!(html.contains("Content-Security-Policy\" content=\"default-src &#x27;none&#x27;"));
        assert_eq!(html.matches("<script").count(), 3, "labels, data and one script");
        assert!(!html.contains("<!--") && !html.contains("<img") && !html.contains("href="), "{algorithm}");
        let shown = check(&folder, &format!("explain evil.html --algorithm {algorithm} --all"), 0, &[]).stdout;
        assert!(!shown.contains('\u{202e}'), "{algorithm}");
    }
}
