//! Files of one's own as they happen to be called: frames of saved pages, golds that are misnamed, hosts, percent-escapes.

use std::collections::BTreeSet;

use crate::support::{Folder, check};

const RUN: &str = "--algorithm all-text --bounds none --out o";

/// Pages with these names, without their ending, each with the text of its gold.
fn pages(names: &[&str]) -> Folder {
    names.iter().enumerate().fold(Folder::new(), |folder, (number, name)| {
        folder.with(&format!("own/{name}.html"), format!("<title>t</title><p>the text of page {number}</p>"))
    })
}

/// The ids of the pages of a run, with the sizes of their golds.
fn golds(folder: &Folder) -> Vec<(String, String)> {
    folder.csv("o/pages.csv").into_iter().map(|page| (page["page"].clone(), page["gold"].clone())).collect()
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(one, other)| ((*one).to_owned(), (*other).to_owned())).collect()
}

#[test]
fn frames_of_saved_pages_are_left_out_of_a_run_and_of_a_new_dataset() {
    let folder =
        pages(&["a", "b", "a_files/frame", "a_files/x/ad", "my_files/c"]).with("own/a_files/style.css", "p {}");
    let told = "2 frames in NAME_files/ beside NAME.html left out, such as a_files/frame.html";
    check(&folder, &format!("run --dataset ./own {RUN}"), 0, &[told]);
    assert_eq!(golds(&folder), pairs(&[("a", ""), ("b", ""), ("c", "")]), "no page is beside my_files");
    check(&folder, "dataset new ./new --from ./own", 0, &[told, "new: 3 pages"]);
}

#[test]
fn a_new_dataset_tells_of_golds_that_it_does_not_take() {
    let folder = pages(&["a", "b"])
        .with("own/gold/a.txt", "x")
        .with("own/gold/other.txt", "x")
        .with("own/urls.tsv", "a.html\thttp//x\n");
    let told = "note: 1 text has the name of a page, such as gold/a.txt, and it is not taken, for gold of this dataset is still \
                to be made; `carat dataset export ./own --out DIR` keeps golds";
    let list = "passed over: urls.tsv:1: `http//x` is no address of http or https";
    check(&folder, "dataset new ./new --from ./own", 0, &[told, list, "new: 2 pages"]);
}

#[test]
fn a_folder_that_is_not_meant_is_told_from_the_one_that_is() {
    let folder = pages(&["html/a", "html/b"]).with("own/gold/a.txt", "the text of page 0");
    let told = "gold/ lies beside this folder: if golds are there, name the folder that holds both, ./own";
    check(&folder, "run --dataset ./own/html --algorithm all-text --algorithm nta --bounds none --out h", 0, &[told]);
    let ran = check(&folder, &format!("run --dataset ./own {RUN}"), 0, &[]);
    assert!(!ran.stderr.contains("lies beside"), "{ran:?}");
    let ran = folder.carat("run --dataset ./o --algorithm all-text --out p");
    assert!(ran.code > 0 && ran.stderr.contains("`./o`: this is the folder of a run"), "{ran:?}");
    let ran = folder.carat("run o");
    assert!(ran.code == 2 && ran.stderr.contains("o is the folder of a run, and a configuration is a file"), "{ran:?}");
}

#[test]
fn golds_with_another_ending_are_told_and_a_glob_of_golds_knows_no_capitals() {
    let folder = pages(&["a", "b"]).with("own/gold/a.md", "x").with("own/gold/b.txt", "x");
    let told = "1 file in gold/ has the name of a page without gold and is not read, such as gold/a.md, for golds end in .txt: \
                gold_glob='gold/*' reads every file, and gold_kind=markdown says that they are no plain text";
    check(&folder, &format!("run --dataset ./own {RUN}"), 0, &[told]);
    let ran = check(&folder, "run --dataset ./own,gold_glob=gold/* --algorithm all-text --bounds none --out p", 0, &[]);
    assert!(!ran.stderr.contains("without gold"), "{ran:?}");
    let capitals = pages(&["a"]).with("own/golds/A.txt", "the text of page 0");
    check(&capitals, &format!("run --dataset ./own,gold_glob=golds/*.txt {RUN}"), 0, &[]);
    assert_eq!(golds(&capitals), pairs(&[("a", "14")]));
}

#[test]
fn options_that_a_list_of_yaml_parts_from_their_folder_are_told() {
    let parted = "datasets: [./own,allow_orphans=true]\nalgorithms: [all-text]\n";
    let folder = pages(&["a"]).with("own/gold/a.txt", "x").with("c.yaml", parted);
    let ran = folder.carat("run c.yaml");
    let told = "this is an option, and stands behind the name of a dataset: \"./pages,allow_orphans=true\"";
    let stderr: String = ran.stderr.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ");
    assert!(ran.code == 2 && stderr.contains(told), "{ran:?}");
    let quoted = parted.replace("./own,allow_orphans=true", "\"./own,allow_orphans=true\"");
    check(&folder.with("c.yaml", quoted), "run c.yaml --out o", 0, &[]);
}

#[test]
fn a_gold_of_no_page_is_told_with_the_page_that_may_be_meant() {
    let folder = pages(&["article1", "article2", "other"]).with("own/gold/article2.txt", "x");
    let misnamed = folder.with("own/gold/artcile1.txt", "y");
    let told = "gold/artcile1.txt is the gold of no page (nearest page: `article1`); rename it, remove it, or";
    check(&misnamed, &format!("run --dataset ./own {RUN}"), 3, &[told]);
    let dropped = "gold/artcile1.txt: dropped, there is no page of that name (nearest page: `article1`)";
    check(&misnamed, &format!("run --dataset ./own,allow_orphans=true {RUN}"), 0, &[dropped]);
    for (gold, page, near) in
        [("a_gold", "a", "a"), ("sports_1", "sports_1.shtml", "sports_1.shtml"), ("gold-b", "b", "b")]
    {
        let told = format!("gold/{gold}.txt is the gold of no page (nearest page: `{near}`);");
        let named = pages(&[page, "c", "sports_2"]).with(&format!("own/gold/{gold}.txt"), "y");
        check(&named.with("own/gold/c.txt", "x"), &format!("run --dataset ./own {RUN}"), 3, &[&told]);
    }
    let several = misnamed.with("own/gold/zwei.txt", "z");
    let told = ["gold/artcile1.txt is the gold of no page (nearest page: `article1`), and so is gold/zwei.txt; rename"];
    check(&several, &format!("run --dataset ./own {RUN}"), 3, &told);
    let many = several.with("own/gold/drei.txt", "z").with("own/gold/vier.txt", "z").with("own/gold/x5.txt", "z");
    let told =
        "(nearest page: `article1`), and so are 4 others (gold/drei.txt, gold/vier.txt, gold/x5.txt, ..); rename";
    check(&many, &format!("run --dataset ./own {RUN}"), 3, &[told]);
    let misnamed = many;
    let table = "id,gold\nart1cle1,y\nsomething of another kind,z\n";
    let ran = misnamed.with("golds.csv", table).carat("dataset check ./own,gold_table=golds.csv");
    assert!(ran.stdout.contains("`art1cle1` is the gold of no page (nearest page: `article1`);"), "{ran:?}");
    assert!(ran.stdout.contains("`something of another kind` is the gold of no page;"), "{ran:?}");
}

#[test]
fn golds_of_two_encodings_are_told_with_one_way_out() {
    // "中文" and "两", which is no GBK in UTF-8.
    let of_gbk = pages(&["a", "b"]).with("own/gold/a.txt", b"\xd6\xd0\xce\xc4");
    let folder = of_gbk.with("own/gold/b.txt", "两");
    let one = "gold `gold/a.txt` is not valid UTF-8; golds of one folder have one encoding: save this file as UTF-8, or state";
    check(&folder, &format!("run --dataset ./own {RUN}"), 3, &[one, "if every gold has that one"]);
    let stated = format!("run --dataset ./own,gold_encoding=gbk {RUN}");
    let other =
        "gold `gold/b.txt` is not valid GBK; golds of one folder have one encoding: save every gold as UTF-8 and leave";
    check(&folder, &stated, 3, &[other]);
    // Some texts in UTF-8 are others in GBK, and no error tells it.
    let folder = folder.with("own/gold/b.txt", "中文");
    check(&folder, &stated, 0, &["1 of 2 golds are UTF-8 by their bytes, such as gold/b.txt, and read as gbk"]);
    let saved = folder.with("own/gold/a.txt", "中文");
    let ran = check(&saved, &format!("run --dataset ./own --fresh {RUN}"), 0, &[]);
    assert!(!ran.stderr.contains("by their bytes"), "{ran:?}");
}

#[test]
fn hosts_of_private_networks_are_sites() {
    let hosts = ["wiki.corp", "www.news.example", "192.168.0.1", "localhost:8000"];
    let mut names: Vec<String> = hosts.iter().flat_map(|host| [format!("{host}/1"), format!("{host}/2")]).collect();
    names.extend(["http%3A%2F%2Fintranet%2Fa", "http___intranet_b"].map(str::to_owned));
    let folder = pages(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let folder = names.iter().fold(folder, |folder, name| folder.with(&format!("own/{name}.txt"), "the text"));
    check(
        &folder,
        &format!("run --dataset ./own {RUN}"),
        0,
        &["hosts in the names of the 10 pages: 5 (site_from=none"],
    );
    let sites: BTreeSet<String> = folder.csv("o/scores.csv").into_iter().map(|score| score["site"].clone()).collect();
    let expected = ["192.168.0.1", "intranet", "localhost", "news.example", "wiki.corp"];
    assert!(sites.iter().eq(expected), "{sites:?}");
}

/// A sentence whose language is plain.
const GERMAN: &str = "Der Bundestag hat am Donnerstag über das neue Gesetz beraten, das nächstes Jahr in Kraft tritt.";

#[test]
fn sites_are_those_of_the_addresses_that_pages_state_as_in_a_new_dataset() {
    let canonical = |name: &str, address: &str| {
        (format!("own/{name}.html"), format!("<link rel=canonical href={address}><p>{name}"))
    };
    let pages = [
        canonical("a", "https://www.x.example/a"),
        canonical("b", "https://x.example/b"),
        canonical("c", "https://y.example/c"),
    ];
    let folder = pages
        .into_iter()
        .fold(Folder::new(), |folder, (path, page)| folder.with(&path, page).with(&path.replace(".html", ".txt"), "a"));
    let folder = folder
        .with("own/d.html", "<p>d")
        .with("own/d.txt", "d")
        .with("own/e.html", format!("<p>{GERMAN}"))
        .with("own/e.txt", "e");
    let sites = |list: &str| -> BTreeSet<(String, String)> {
        folder.csv(list).into_iter().map(|score| (score["page"].clone(), score["site"].clone())).collect()
    };
    let told = [
        "sites are the domains of the addresses stated in 3 pages: 2 (site_from=none",
        "2 pages have no site, so each counts",
        "d.html begins with no host, and the page states no address",
    ];
    check(&folder, &format!("run --dataset ./own {RUN}"), 0, &told);
    let expected = [("a", "x.example"), ("b", "x.example"), ("c", "y.example"), ("d", "d"), ("e", "e")];
    assert_eq!(sites("o/scores.csv"), pairs(&expected).into_iter().collect());
    check(&folder, "report o --by language", 0, &["4 pages without a language, in no group"]);
    check(&folder, "run --dataset ./own,site_from=none --algorithm all-text --bounds none --out n", 0, &[]);
    assert!(sites("n/scores.csv").iter().all(|(page, site)| page == site));
    check(&folder, "dataset new ./new --from ./own", 0, &[]);
    check(&folder, "run --dataset ./new --algorithm all-text --algorithm nta --bounds none --out m", 0, &[]);
    check(&folder, "report m --by site", 0, &["new: 2 pages without a site, in no group"]);
    let list = folder.read("new/pages.jsonl");
    let addresses = list
        .lines()
        .filter_map(|line| line.split_once("\"url\":\""))
        .map(|(_, rest)| rest.split('"').next().unwrap_or_default());
    assert_eq!(
        addresses.collect::<Vec<_>>(),
        ["https://www.x.example/a", "https://x.example/b", "https://y.example/c"]
    );
}

#[test]
fn unknown_sites_are_told_in_one_sentence_by_runs_and_by_checks() {
    let told = "3 pages have no site, so each counts as one: if several are of one site, intervals are too narrow and tests too \
                sure (";
    let folder = pages(&["wiki.corp/1", "intranet/2", "intranet/3"]);
    let run = format!(
        "{told}site_from=parent_dir takes the names of folders, site_from=stem_prefix:_ what stands before _ in each name)"
    );
    check(
        &folder,
        &format!("run --dataset ./own {RUN}"),
        0,
        &[&format!("{run}; the name of intranet/2.html begins with no host")],
    );
    let checked = |dataset: &str| folder.carat(&format!("dataset check {dataset}")).stdout;
    assert!(checked("./own").contains(&run) && checked("./own").contains("warn   unknown-sites: 1, "));
    for stated in ["none", "parent_dir"] {
        assert!(!checked(&format!("./own,site_from={stated}")).contains("unknown-sites"), "{stated}");
    }
    assert!(checked("./own,site_from=host").contains("2 pages have no site, so each counts as one"));
    let manifest =
        "format: 1\nname: listed\nversion: '1'\nlicence: {data: CC0-1.0, pages: CC0-1.0, redistribution: free}\n";
    let page = |id: &str| format!("{}\n", serde_json::json!({"id": id, "html": {"text": format!("<p>{id}")}}));
    let folder = Folder::new().with("set/pages.jsonl", ["a", "b", "c"].map(page).concat());
    let folder = folder.with("set/dataset.yaml", manifest);
    let listed = folder.carat("dataset check ./set");
    assert!(listed.stdout.contains(&format!("{told}the `site` or the `url` of each page says it)")), "{listed:?}");
    let stated = folder.with("set/dataset.yaml", format!("{manifest}site_rule: page\n")).carat("dataset check ./set");
    assert!(!stated.stdout.contains("unknown-sites"), "{stated:?}");
}

#[test]
fn files_among_pages_and_golds_that_no_page_names_are_told() {
    let manifest =
        "format: 1\nname: listed\nversion: '1'\nlicence: {data: CC0-1.0, pages: CC0-1.0, redistribution: free}\n";
    let page = |id: &str| format!("{{\"id\":\"{id}\",\"html\":\"pages/{id}.html\",\"gold\":\"gold/{id}.txt\"}}\n");
    let folder = ["a", "b"].into_iter().fold(Folder::new().with("set/dataset.yaml", manifest), |folder, id| {
        folder.with(&format!("set/pages/{id}.html"), format!("<p>{id}")).with(&format!("set/gold/{id}.txt"), id)
    });
    let folder = folder.with("set/pages.jsonl", ["a", "b"].map(page).concat()).with("set/guidelines.md", "as marked");
    let clean = folder.carat("dataset check ./set");
    assert!(!clean.stdout.contains("stray-file"), "{clean:?}");
    let folder = folder.with("set/pages/c.html", "<p>c").with("set/gold/c.txt", "c").with("set/gold/.a.txt.swp", "");
    let told = folder.carat("dataset check ./set");
    let says = "2 files beside pages or golds are named by no page, such as `gold/c.txt`: no run reads them";
    assert!(told.stdout.contains("warn   stray-file: 1, ") && told.stdout.contains(says), "{told:?}");
    // Pages that are left out for a fault have files all the same.
    let folder =
        folder.with("set/pages.jsonl", ["a", "b"].map(page).concat() + "{\"id\":\"c\",\"html\":\"pages/c.html\",");
    let left = folder.carat("dataset check ./set");
    assert!(left.stdout.contains("load-fault") && !left.stdout.contains("stray-file"), "{left:?}");
}

#[test]
fn percent_escapes_in_names_stand_for_their_characters() {
    let folder = pages(&["a%20b", "c d", "%E4%B8%AD", "100%"]);
    let golds_of = [("a b", "1"), ("c%20d", "22"), ("中", "333"), ("100%", "4444")];
    let folder =
        golds_of.into_iter().fold(folder, |folder, (name, gold)| folder.with(&format!("own/gold/{name}.txt"), gold));
    check(&folder, &format!("run --dataset ./own {RUN}"), 0, &[]);
    assert_eq!(golds(&folder), pairs(&[("100%25", "4"), ("a%20b", "1"), ("c%20d", "2"), ("中", "3")]));
    let glob = folder.carat("dataset check ./own,gold_glob=gold/*.txt");
    assert!(glob.stdout.contains("4 pages, 4 with gold"), "{glob:?}");
    let paths = pages(&["x/e%20f", "y/e%20f"]).with("own/gold/x/e f.txt", "55555").with("own/gold/y/e%20f.txt", "y");
    check(&paths, &format!("run --dataset ./own {RUN}"), 0, &["ids are paths"]);
    assert_eq!(golds(&paths), pairs(&[("x~e%20f.html", "5"), ("y~e%20f.html", "1")]));
    let alike = pages(&["a b", "a%20b"]);
    let told = "a b.html and a%20b.html have the same id; rename one of them";
    check(&alike, &format!("run --dataset ./own {RUN}"), 3, &[told]);
}

#[test]
fn a_path_that_lies_beside_the_configuration_is_told() {
    let configuration = |datasets: &str, stored: &str| {
        pages(&["a"])
            .with("sub/pages/a.html", "<p>a")
            .with("sub/out/a.txt", "a")
            .with("sub/mine.yaml", format!("datasets: [{datasets}]\nstored: [{stored}]\nalgorithms: [all-text]\n"))
    };
    let beside = "it lies beside the configuration, whose paths are of the current folder: write ";
    let cases = [("./pages", "", "pages"), ("'folder:pages,language=zh'", "", "pages"), ("./own", "./out", "out")];
    for (datasets, stored, told) in cases {
        let ran = configuration(datasets, stored).carat("run sub/mine.yaml --out o");
        assert!(ran.code == 2 && ran.stderr.contains("sub/mine.yaml:"), "{ran:?}");
        // The sentence is broken where the lines of the frame end.
        let one_line = |text: &str| text.replace('│', "").split_whitespace().collect::<String>();
        let words = one_line(&ran.stderr);
        assert!(words.contains(&one_line(&format!("{beside}`sub/{told}`"))), "{datasets} {stored}: {words}");
    }
    let ran = check(&configuration("./nowhere", ""), "run sub/mine.yaml --out o", 2, &["of the current folder"]);
    assert!(!ran.stderr.contains("beside"), "{ran:?}");
}

#[test]
fn languages_are_found_where_names_tell_the_sites_too() {
    let text = "渡轮十点离开港口，天色已经很晚，码头上没有几个人。".repeat(4);
    let folder = ["one.example", "two.example"].into_iter().fold(Folder::new(), |folder, host| {
        folder.with(&format!("own/{host}/a.html"), format!("<p>{text}</p>")).with(&format!("own/{host}/a.txt"), &text)
    });
    let told = [
        "sites are the domains of the hosts in the names of the 2 pages: 2",
        "languages as the texts of the pages seem to be in: zh 2 (",
    ];
    check(&folder, &format!("run --dataset ./own {RUN}"), 0, &told);
}
