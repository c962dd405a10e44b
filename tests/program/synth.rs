//! Made pages: the same on any number of threads, with exact gold, and with as much noise as was asked for.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use crate::support::{Folder, check};
use carat::algorithms::features::links::{Anchor, Links};
use carat::algorithms::features::visible::VisibleText;
use carat::algorithms::find;
use carat::algorithms::parameters::Values;
use carat::datasets::Opened;
use carat::datasets::synth::Synthetic;
use carat::text::chars;

const RECIPE: &str = "\
name: mine
version: '1'
seed: 5
pages: {dials: {links: 0.4}}
sites:
  - {id: a, family: 7, language: en, name: The Paper, site: paper.example, url: 'http://{domain}/{date}/{number}', texts: [en/en-news-5], count: 7, copies: 3}
  - {id: b, family: 2, language: zh, name: 报, site: bao.example, url: 'http://{domain}/{number}', texts: [zh/zh-news-6]}
";

/// The pages of the built-in recipe with these dials turned.
fn opened(recipe: &str, turned: &[(&str, &str)]) -> Vec<Opened> {
    let turned: BTreeMap<String, String> =
        turned.iter().map(|(dial, amount)| ((*dial).to_owned(), (*amount).to_owned())).collect();
    let dataset = Synthetic::read(Path::new(recipe), &turned).unwrap().dataset();
    dataset.records.iter().map(|record| dataset.open(&record.unwrap()).unwrap()).collect()
}

fn all_text(opened: Opened) -> String {
    let all_text = find("all-text").unwrap();
    let pages = [Arc::new(opened.page)];
    all_text.choose(&pages, &all_text.setting(&Values::new()).unwrap()).text(&pages[0])
}

#[test]
fn the_same_pages_twice_and_on_any_number_of_threads() {
    let folder = Folder::new().with("mine.yaml", RECIPE);
    let digest = |out: &str, threads: &str| {
        let printed =
            check(&folder, &format!("dataset synth mine.yaml --out {out} --threads {threads}"), 0, &["27 pages"]);
        printed.stdout.lines().find(|line| line.starts_with("sha256:")).unwrap().to_owned()
    };
    let first = digest("one", "1");
    assert_eq!(digest("two", "2"), first);
    assert_eq!(digest("again", "1"), first);
    check(&folder, "run --dataset ./one --algorithm all-text --out r", 0, &["mine", "27 pages"]);
    check(&folder, "dataset synth mine.yaml --out one", 2, &["one holds a dataset already"]);
}

#[test]
fn wrong_requests_say_what_to_do() {
    let folder = Folder::new();
    let recipe = |from: &str, to: &str| std::fs::write(folder.path("mine.yaml"), RECIPE.replace(from, to)).unwrap();
    for (from, to, told) in [
        ("family: 7", "family: 70", "there is no page family 70"),
        ("links: 0.4", "link: 0.4", "did you mean `links`"),
        ("links: 0.4", "links: 1.4", "from 0 to 1"),
        ("en/en-news-5", "en/en-news-50", "did you mean `en/en-news-5`"),
        ("count: 7", "cuont: 7", "cuont"),
    ] {
        recipe(from, to);
        check(&folder, "dataset synth mine.yaml --out x", 3, &[told]);
    }
    check(&folder, "dataset synth no-such --out x", 2, &["`portals`, `robustness`, which are built in"]);
    check(&folder, "dataset synth portals --out x --set links", 2, &["expected DIAL=AMOUNT"]);
    check(&folder, "dataset synth portals --out x --set lnks=1", 2, &["did you mean `links`"]);
    let run = |dataset: &str, told: &str| {
        check(&folder, &format!("run --dataset {dataset} --algorithm all-text --out x"), 2, &[told]);
    };
    run("synth:robustness,links=0..1/0", "the step is 0");
    run("synth:robustness,links=0|1,hidden=0|1", "one dial is swept at a time");
    run("synth:robustness,links=exact", "expected an amount or from..to/step");
    run("synth:robustness,links", "expected DIAL=AMOUNT");
    run("synth:robustness,depth=9000", "from 0 to 400");
    run("synth:robustnes", "`robustness`, which are built in");
}

#[test]
fn a_swept_dial_is_a_figure_and_a_table() {
    let configuration = "datasets: ['synth:mine.yaml,links=0..0.8/0.4']\nalgorithms: [all-text, nta]\n";
    let folder = Folder::new().with("c.yaml", configuration).with("mine.yaml", RECIPE);
    let printed = check(&folder, "run c.yaml --out r", 0, &["mine: F1 over links", "27 pages per amount"]).stdout;
    let figure = |amount: &str| {
        let line = printed.lines().find(|line| line.trim_start().starts_with(amount)).unwrap();
        line.split_whitespace().last().unwrap().parse::<f64>().unwrap()
    };
    assert!(figure("0.0") > figure("0.4") && figure("0.4") > figure("0.8"), "{printed}");
    let csv = folder.read("r/figures/mine-links.csv");
    assert_eq!(csv.lines().count(), 4, "{csv}");
    assert!(folder.path("r/figures/mine-links.svg").exists());
    assert!(!folder.path("r/figures/mine.links-0.4-algorithms.svg").exists());
    let again = check(&folder, "run r/run.yaml --out again", 0, &[]).stdout;
    assert_eq!(again.lines().next(), printed.lines().next());
}

#[test]
fn gold_is_in_its_page_whatever_the_noise() {
    for (dial, amount) in [
        ("links", "0.9"),
        ("notices", "0.7"),
        ("comments", "5"),
        ("related", "0.5"),
        ("captions", "6"),
        ("breaks", "1"),
        ("breaks", "0.5"),
        ("single", "1"),
        ("single", "0.5"),
        ("form", "1"),
        ("depth", "100"),
        ("minified", "1"),
        ("hidden", "2"),
        ("pictures", "200"),
        ("siblings", "3"),
    ] {
        for opened in opened("robustness", &[(dial, amount)]) {
            let gold = opened.gold.clone().unwrap();
            let text = all_text(opened);
            let mut lines = text.lines();
            for line in gold.lines() {
                assert!(lines.any(|of_page| of_page == line), "{dial}={amount}: `{line}` is no line of its page");
            }
        }
    }
}

/// The mean over pages of `measure`, with a dial at `amount`.
fn mean(dial: &str, amount: &str, measure: impl Fn(&Opened) -> f64) -> f64 {
    let pages = opened("robustness", &[(dial, amount)]);
    pages.iter().map(measure).sum::<f64>() / pages.len() as f64
}

fn link_share(opened: &Opened) -> f64 {
    let (tree, body) = (&opened.page.tree, opened.page.tree.body().unwrap());
    let visible = opened.page.view::<VisibleText>();
    let links = Links::of(&opened.page, Anchor::default());
    f64::from(links.chars(tree, body)) / f64::from(visible.chars(tree, body))
}

/// Text of the page that is neither content nor link, in characters a character of content.
fn other_text(opened: &Opened) -> f64 {
    let (tree, body) = (&opened.page.tree, opened.page.tree.body().unwrap());
    let visible = f64::from(opened.page.view::<VisibleText>().chars(tree, body));
    let gold = chars(opened.gold.as_ref().unwrap()) as f64;
    (visible * (1.0 - link_share(opened)) - gold) / gold
}

#[test]
fn dials_do_what_they_say() {
    let elements = |name: &'static str| {
        move |opened: &Opened| {
            let tree = &opened.page.tree;
            tree.ids().filter(|&id| tree.is_element(id) && &**tree.name(id) == name).count() as f64
        }
    };
    for (amount, share) in [("0.2", 0.2), ("0.5", 0.5), ("0.8", 0.8)] {
        let found = mean("links", amount, link_share);
        assert!((found - share).abs() < 0.07, "links={amount}: {found}");
    }
    // Names and dates of comments come on top, and more text gets more notices.
    for (dial, amount, more) in [("comments", "2", 2.0..3.5), ("hidden", "2", 2.0..2.8), ("notices", "0.5", 0.9..3.0)] {
        let (none, some) = (mean(dial, "0", other_text), mean(dial, amount, other_text));
        assert!(more.contains(&(some - none)), "{dial}={amount}: {none} to {some}");
    }
    let (none, some) = (mean("related", "0", link_share), mean("related", "0.5", link_share));
    assert!((0.1..0.4).contains(&(some - none)), "related=0.5: {none} to {some}");
    let captions = mean("captions", "4", elements("img")) - mean("captions", "0", elements("img"));
    assert!((captions - 4.0).abs() < 1e-9, "{captions}");
    let depth = |opened: &Opened| opened.page.tree.depth() as f64;
    assert!(mean("depth", "40", depth) - mean("depth", "0", depth) > 30.0);
    let in_form = |opened: &Opened| {
        let tree = &opened.page.tree;
        let is_form = |&id: &carat::page::tree::NodeId| tree.is_element(id) && &**tree.name(id) == "form";
        let visible = opened.page.view::<VisibleText>();
        let most = tree.ids().filter(is_form).map(|id| visible.chars(tree, id)).max().unwrap_or_default();
        f64::from(most) / f64::from(visible.chars(tree, tree.body().unwrap()))
    };
    assert!(mean("form", "0", in_form) < 0.1 && mean("form", "1", in_form) > 0.9);
    assert!(mean("pictures", "100", elements("img")) - mean("pictures", "0", elements("img")) > 99.0);
    assert!(mean("single", "1", |opened| opened.gold.as_ref().unwrap().lines().count() as f64) < 6.0);
    assert!(mean("breaks", "1", elements("p")) < mean("breaks", "0", elements("p")));
    let bytes = |opened: &Opened| opened.page.facts.bytes as f64;
    assert!(mean("minified", "1", bytes) < mean("minified", "0", bytes));
    let spoilt = |opened: &Opened| f64::from(u8::from(opened.page.facts.encoding != "UTF-8"));
    assert_eq!((mean("charset", "0", spoilt), mean("charset", "1", spoilt)), (0.0, 1.0));
    let sites = |amount: &str| {
        let turned = BTreeMap::from([("siblings".to_owned(), amount.to_owned())]);
        let dataset = Synthetic::read(Path::new("robustness"), &turned).unwrap().dataset();
        let sites: std::collections::BTreeSet<_> =
            dataset.records.iter().map(|record| record.unwrap().site.clone()).collect();
        (dataset.records.len(), sites.len())
    };
    assert_eq!((sites("3"), sites("12")), ((48, 16), (48, 4)));
}
