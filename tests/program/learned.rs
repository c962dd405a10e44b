//! Rows that learn from the gold of other pages: what they see, where they stand, and what is refused.

use crate::support::{Folder, check, units};

const SITES: [&str; 3] = ["a", "b", "c"];

/// Three sites of two pages each with a template of its own, and one alone on its site; `golds` replaces golds by id.
fn folder(golds: &[(&str, &str)]) -> Folder {
    let words = ["quiet", "river", "seven", "barley", "lantern", "window", "harbour", "copper"];
    let mut pages = String::new();
    for (number, site) in SITES.iter().chain(SITES.iter()).chain(&["alone"]).enumerate() {
        let sentence = |from: usize| -> String {
            let words: Vec<&str> = (0..12).map(|word| words[(from + word * (number + 2)) % words.len()]).collect();
            format!("{}, and so on.", words.join(" "))
        };
        let (one, two) = (sentence(number), sentence(number + 3));
        let html = format!(
            "<body><ul class=menu{site}><li><a href=/>Home</a><li><a href=/x>News</a></ul><div class={site}><p>{one}</p><p>{two}</p>\
             <p class=tool>Share</p></div><div class=foot><a href=/c>Contact</a></div></body>"
        );
        let id = format!("{site}{}", number / SITES.len());
        let gold = golds
            .iter()
            .find(|(known, _)| *known == id)
            .map_or(format!("{one}\n{two}"), |(_, gold)| (*gold).to_owned());
        let page = serde_json::json!({
            "id": id, "html": {"text": html}, "gold": {"text": gold}, "site": format!("{site}.example"),
        });
        pages += &format!("{page}\n");
    }
    let manifest = "format: 1\nname: d\nversion: '1'\nlicence: {data: CC0-1.0, pages: CC0-1.0, redistribution: free}\n";
    Folder::new().with("d/dataset.yaml", manifest).with("d/pages.jsonl", pages)
}

/// A dataset of pages of one site, each inline with its gold.
fn dataset(pages: &[(&str, &str, &str)]) -> Folder {
    let record = |(id, html, gold): &(&str, &str, &str)| {
        let page = serde_json::json!({"id": id, "html": {"text": html}, "gold": {"text": gold}, "site": "s.example"});
        format!("{page}\n")
    };
    let manifest = "format: 1\nname: d\nversion: '1'\nlicence: {data: CC0-1.0, pages: CC0-1.0, redistribution: free}\n";
    let list: String = pages.iter().map(record).collect();
    Folder::new().with("d/dataset.yaml", manifest).with("d/pages.jsonl", list)
}

const RUN: &str = "run --dataset ./d --algorithm all-text --algorithm wrapper:learn=true --algorithm fiasco-lite:clean=0.3|0.5 --out o";

/// The digest of what a row extracts of a page.
fn text(folder: &Folder, page: &str, algorithm: &str) -> String {
    let rows = folder.csv("o/scores.csv");
    let of = |row: &&std::collections::BTreeMap<String, String>| row["page"] == page && row["algorithm"] == algorithm;
    rows.iter().find(of).unwrap()["text"].clone()
}

#[test]
fn what_is_learned_is_tried_on_other_pages_and_counted() {
    let folder = folder(&[]);
    let ran = folder.carat(RUN);
    assert_eq!(ran.code, 0, "{ran:?}");
    let rows = folder.json("o/summary.json")["rows"].clone();
    let row = |label: &str| {
        let is = |row: &&serde_json::Value| format!("{} {}", row["algorithm"], row["parameters"]).contains(label);
        rows.as_array().unwrap().iter().find(is).unwrap().clone()
    };
    let wrapper = row("\"learn\":true");
    let counts = ["by_rule", "by_fallback", "uncovered"].map(|key| wrapper["coverage"][key].as_u64().unwrap());
    assert_eq!((counts, wrapper["alone"].as_u64()), ([6, 1, 0], Some(1)));
    assert_eq!(wrapper["reads_gold"], "other_pages");
    assert!(wrapper["system"].as_str().unwrap().contains("reads_gold=other_pages, of the site"));
    for site in SITES {
        let f1 = wrapper["groups"]["site"][format!("{site}.example")]["f1"].as_f64().unwrap();
        assert!((f1 - 1.0).abs() < 1e-9, "{site}: {f1}");
    }
    let fiasco = row("\"clean\":\"0.5\"");
    assert_eq!((fiasco["reads_gold"].as_str(), fiasco["pages"].as_u64()), (Some("other_pages"), Some(7)));
    assert!(fiasco["macro"]["f1"].as_f64() > Some(0.9), "{fiasco}");
    assert!(ran.stdout.contains("(learned)") && ran.stdout.contains("alone: pages with no other"), "{}", ran.stdout);
    let marked = ran.stdout.lines().filter(|line| line.contains(" * ")).collect::<Vec<_>>();
    assert!(marked.len() == 1 && marked[0].contains("all-text"), "{marked:?}");
}

#[test]
fn no_page_is_tried_with_what_its_own_gold_taught() {
    let other = folder(&[("a0", "Home News"), ("alone2", "Contact")]);
    let folder = folder(&[]);
    for folder in [&folder, &other] {
        assert_eq!(folder.carat(RUN).code, 0);
    }
    for algorithm in ["wrapper", "fiasco-lite"] {
        for page in ["a0", "alone2"] {
            assert_eq!(text(&folder, page, algorithm), text(&other, page, algorithm), "{algorithm} {page}");
        }
    }
    // The page beside it learns from it, and the other sites do.
    assert_ne!(text(&folder, "a1", "wrapper"), text(&other, "a1", "wrapper"));
    assert_eq!(text(&folder, "b1", "wrapper"), text(&other, "b1", "wrapper"));
}

#[test]
fn threads_and_cuts_change_nothing() {
    let folder = folder(&[]);
    let digest = |threads: &str| {
        assert_eq!(folder.carat(&format!("{RUN} --fresh --threads {threads}")).code, 0);
        folder.json("o/run.json")["result_digest"].clone()
    };
    let one = digest("1");
    assert_eq!(one, digest("3"));
    let first = units::pages(&folder.path("o")).remove(0);
    units::lose(&folder.path("o"), &[&first]);
    std::fs::remove_file(folder.path("o/run.json")).unwrap();
    assert_eq!(folder.carat(RUN).code, 0);
    assert_eq!(one, folder.json("o/run.json")["result_digest"]);
}

#[test]
fn sites_are_put_into_parts_where_there_are_more_than_folds() {
    let texts = |folder: &Folder, folds: &str| -> Vec<String> {
        let ran = folder.carat(&format!("run --dataset ./d --fresh --out o --algorithm fiasco-lite:folds={folds}"));
        assert_eq!(ran.code, 0, "{ran:?}");
        let rows = folder.csv("o/scores.csv");
        rows.iter().filter(|row| row["algorithm"] == "fiasco-lite").map(|row| row["text"].clone()).collect()
    };
    let (folder, menus) = (folder(&[]), folder(&[("b0", "Home News"), ("b1", "Home News")]));
    assert_eq!(texts(&folder, "4"), texts(&folder, "inf"));
    // Of a, alone, b and c the first and the third are in the same part of two, and not of three.
    for (folds, is_seen) in [("2", false), ("3", true)] {
        let [of_a, with_menus] = [&folder, &menus].map(|folder| texts(folder, folds)[0].clone());
        assert_eq!(of_a != with_menus, is_seen, "{folds}");
    }
}

#[test]
fn a_support_vector_machine_learns_as_well() {
    let folder = folder(&[]);
    let run = "run --dataset ./d --bounds none --out o --algorithm fiasco-lite:model=logistic|svm_linear,clean=0|0.5|1";
    assert_eq!(folder.carat(run).code, 0);
    let rows = folder.json("o/summary.json")["rows"].clone();
    let recall_and_f1 = |model: &str, clean: &str| {
        let is = |row: &&serde_json::Value| row["parameters"]["model"] == model && row["parameters"]["clean"] == clean;
        let row = rows.as_array().unwrap().iter().find(is).unwrap().clone();
        ["recall", "f1"].map(|part| row["macro"][part].as_f64().unwrap())
    };
    assert_eq!(rows.as_array().unwrap().len(), 6);
    for model in ["logistic", "svm_linear"] {
        let [recall_of_all, f1_of_all] = recall_and_f1(model, "0");
        assert!(recall_of_all > 0.9999 && recall_and_f1(model, "0.5")[1] > f1_of_all + 0.01, "{model}");
    }
    // No probability is 1, but margins of 1 are.
    assert_eq!(recall_and_f1("logistic", "1"), [0.0, 0.0]);
    assert!(recall_and_f1("svm_linear", "1")[0] > 0.0);
}

/// The same with a second dataset: the pages of the first that `change` wants, changed by it.
fn with_another(folder: Folder, name: &str, change: impl Fn(&mut serde_json::Value) -> bool) -> Folder {
    let mut pages: Vec<serde_json::Value> =
        folder.read("d/pages.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    pages.retain_mut(change);
    let pages: String = pages.iter().map(|page| format!("{page}\n")).collect();
    let manifest = folder.read("d/dataset.yaml").replace("name: d", &format!("name: {name}"));
    folder.with(&format!("{name}/dataset.yaml"), manifest).with(&format!("{name}/pages.jsonl"), pages)
}

/// The ids of the pages of which a row was run, with what it extracted.
fn run_texts(folder: &Folder, out: &str) -> std::collections::BTreeMap<String, String> {
    let rows = folder.csv(&format!("{out}/scores.csv"));
    let ran = rows.iter().filter(|row| row["algorithm"] == "fiasco-lite" && row["status"] == "ok");
    ran.map(|row| (row["page"].clone(), row["text"].clone())).collect()
}

#[test]
fn named_datasets_are_learned_from_in_place_of_the_one_that_is_run() {
    // In e menus are content, and its only site is one of d's too; f is d without gold.
    let folder = with_another(folder(&[]), "e", |page| {
        page["gold"]["text"] = "Home News".into();
        page["site"] == "a.example"
    });
    let folder = with_another(folder, "f", |page| page.as_object_mut().unwrap().remove("gold").is_some());
    let train = |train_on: &str, dataset: &str, out: &str| {
        let algorithm = format!("fiasco-lite:train_on={train_on}");
        let ran = folder.carat(&format!("run --dataset ./{dataset} --bounds none --algorithm {algorithm} --out {out}"));
        assert_eq!(ran.code, 0, "{ran:?}");
        ran
    };
    let told = train("./e", "d", "of_e").stdout;
    let row = folder.json("of_e/summary.json")["rows"][0].clone();
    assert_eq!(
        (row["parameters"]["train_on"].as_str(), row["reads_gold"].as_str()),
        (Some("./e"), Some("other_pages"))
    );
    let trained_on = folder.json("of_e/summary.json")["conditions"]["trained_on"].clone();
    assert_eq!((trained_on[0]["name"].as_str(), trained_on[1].is_null()), (Some("e"), true));
    let digest = trained_on[0]["digest"].as_str().unwrap().to_owned();
    assert!(row["system"].as_str().unwrap().contains(&format!("of other sites of e 1 {digest}")), "{row}");
    assert!(told.contains(&format!("train_on e (digest {})", &digest["sha256:".len()..][..12])), "{told}");
    // There is no page of another site for those of a; the others' text is their menu.
    let of_e = run_texts(&folder, "of_e");
    assert_eq!(of_e.keys().collect::<Vec<_>>(), ["alone2", "b0", "b1", "c0", "c1"]);
    assert_eq!(of_e["b0"], of_e["c1"]);
    // Of d and e together, and of d alone, which is what it learns from anyway.
    train("./d+./e", "d", "of_both");
    assert_eq!(run_texts(&folder, "of_both").len(), 7);
    train("./d", "d", "of_d");
    assert_eq!(folder.carat("run --dataset ./d --bounds none --algorithm fiasco-lite --out own").code, 0);
    assert_eq!(run_texts(&folder, "of_d"), run_texts(&folder, "own"));
    // What is run needs no gold then.
    train("./d", "f", "without_gold");
    // Another gold of what was learned from makes another run.
    assert!(train("./e", "d", "of_e").stderr.contains("holds this run already"));
    let changed = folder.read("e/pages.jsonl").replace("Home News", "Contact");
    let folder = folder.with("e/pages.jsonl", changed);
    let again = "run --dataset ./d --bounds none --algorithm fiasco-lite:train_on=./e --out of_e";
    let ran = folder.carat(again);
    assert!(ran.code == 0 && !ran.stderr.contains("holds this run already"), "{ran:?}");
    assert!(!ran.stderr.contains("were there"), "{ran:?}");
    assert_ne!(run_texts(&folder, "of_e")["b0"], of_e["b0"]);
    // Two datasets of one name are two.
    let folder = with_another(folder, "e2", |page| page["site"] != "c.example");
    let named_e = folder.read("e2/dataset.yaml").replace("name: e2", "name: e");
    let folder = folder.with("e2/dataset.yaml", named_e);
    let both = "run --dataset ./d --bounds none --algorithm fiasco-lite:train_on=./e|./e2 --out of_two";
    let told = folder.carat(both).stdout;
    let trained_on = folder.json("of_two/summary.json")["conditions"]["trained_on"].clone();
    assert_eq!((trained_on.as_array().unwrap().len(), told.matches("train_on e (digest").count()), (2, 2), "{told}");
    for (train_on, told) in [
        ("nowhere", "train_on: there is no dataset of this name"),
        ("./f", "train_on: no page of `./f` has a gold text to learn from"),
        ("./e+./e", "train_on: two datasets are named `e`"),
    ] {
        let ran = folder.carat(&format!("run --dataset ./d --algorithm fiasco-lite:train_on={train_on} --out x"));
        assert!(ran.code == 2 && ran.stderr.contains(told), "{train_on}: {ran:?}");
    }
}

#[test]
fn which_links_are_noise_is_learned_from_other_sites() {
    let (folder, menus) =
        (folder(&[]), folder(&[("b0", "Home News"), ("b1", "Home News"), ("c0", "Home News"), ("c1", "Home News")]));
    let run = "run --dataset ./d --bounds none --algorithm all-text --algorithm link-noise:votes=6 \
               --algorithm link-noise:scores=learned --out o";
    let mut texts = Vec::new();
    for folder in [&folder, &menus] {
        let ran = folder.carat(run);
        assert_eq!(ran.code, 0, "{ran:?}");
        assert!(ran.stdout.contains("scores=learned (learned)"), "{}", ran.stdout);
        let rows = folder.csv("o/scores.csv");
        let of = |row: &&std::collections::BTreeMap<String, String>| row["page"] == "a0";
        texts.push(rows.iter().filter(of).map(|row| row["text"].clone()).collect::<Vec<_>>());
    }
    let rows = folder.json("o/summary.json")["rows"].clone();
    assert_eq!((rows[1]["reads_gold"].as_str(), rows[2]["reads_gold"].as_str()), (None, Some("other_pages")));
    assert!(rows[2]["system"].as_str().unwrap().contains("reads_gold=other_pages, of other sites"));
    // Nothing but the word of sharing is left beside the two paragraphs; no link has six features.
    let [all, of_votes, learned] = [0, 1, 2].map(|row| rows[row]["macro"]["f1"].as_f64().unwrap());
    assert!(all == of_votes && learned > all + 0.03, "{rows}");
    assert_eq!(rows[2]["pages"].as_u64(), Some(7));
    // Where the menus of other sites are content, more of the same page is kept.
    assert_eq!(texts[0][0], texts[1][0]);
    assert_ne!(texts[0][2], texts[1][2]);
    assert!(folder.carat(run).stderr.contains("holds this run already"));
    let member = "datasets: [./d]\nalgorithms:\n  - combine: {members: [all-text, {link-noise: {scores: learned}}]}\n";
    let folder = folder.with("m.yaml", member);
    for (arguments, told) in [
        ("run --dataset ./d --algorithm link-noise:scores=votes|learned --out x", "name it by itself"),
        ("run m.yaml --out x", "it is a row of a run"),
    ] {
        let ran = folder.carat(arguments);
        assert!(ran.code == 2 && ran.stderr.contains(told), "{arguments}: {ran:?}");
    }
    // The menu goes, as in the run.
    let says = [
        "the links of 5 pages of 3 sites; a.example is left out",
        "\"Home\"  its block is mostly links that are noise",
    ];
    check(&folder, "explain ./d a0 --algorithm link-noise:scores=learned", 0, &says);
}

#[test]
fn where_there_is_no_other_site_blocks_are_not_run() {
    let folder = folder(&[]);
    let ran = folder.carat(&format!("{RUN} --where site=a.example"));
    assert_eq!(ran.code, 0, "{ran:?}");
    let statuses: Vec<String> = folder
        .csv("o/scores.csv")
        .iter()
        .filter(|row| row["algorithm"] == "fiasco-lite")
        .map(|row| row["status"].clone())
        .collect();
    assert_eq!(statuses, vec!["not_run"; 4]);
}

#[test]
fn learned_rows_are_compared_among_themselves_only() {
    let folder = folder(&[]);
    assert_eq!(folder.carat(&format!("{RUN} --algorithm nonlink-text")).code, 0);
    let all = folder.carat("compare o");
    assert!(all.code == 0 && !all.stdout.contains("fiasco-lite") && !all.stdout.contains("wrapper"), "{all:?}");
    let learned = folder.carat("compare o --row wrapper:learn=true --row fiasco-lite:clean=0.5");
    assert!(learned.code == 0 && learned.stdout.contains("fiasco-lite"), "{learned:?}");
    let mixed = folder.carat("compare o --row all-text --row wrapper:learn=true");
    let told =
        "`wrapper learn=true` learned from the gold of other pages, and `all-text` read none: they are not compared";
    assert!(mixed.code == 2 && mixed.stderr.contains(told), "{mixed:?}");
}

#[test]
fn gates_and_tunings_leave_learned_rows_out() {
    let configuration = "datasets: [./d]\nalgorithms:\n  - all-text\n  - wrapper: {learn: true}\n  - fiasco-lite\n  - link-noise: {scores: learned}\n  - cevc: {alpha: [0.3, 0.5]}\n";
    let folder = folder(&[]).with("c.yaml", configuration);
    assert_eq!(folder.carat("gate c.yaml --baseline b.json --accept").code, 0);
    let baseline = folder.read("b.json");
    assert!(baseline.contains("all-text") && !baseline.contains("wrapper") && !baseline.contains("fiasco"));
    assert!(!baseline.contains("link-noise"), "{baseline}");
    let tuned = folder.carat("tune c.yaml --resamples 100 --out t");
    assert!(!tuned.stdout.contains("fiasco") && !tuned.stdout.contains("wrapper"), "{tuned:?}");
}

#[test]
fn wrong_requests_say_what_to_do() {
    let folder = folder(&[]).with("r.yaml", "format: 1\nrules: [{any: true, include: p}]\n");
    for (algorithm, told) in [
        ("wrapper:learn=false", "`wrapper: {learn: true}`"),
        ("wrapper:rules=r.yaml,gain=0.1", "`gain` belongs to what is learned"),
        ("wrapper:learn=true,train_pages=1.5", "train_pages: expected a whole number"),
        ("wrapper:learn=true,folds=1", "a decimal from 2"),
        ("wrapper:learn=true,fallback=istm", "a fallback chooses on the page alone"),
        ("wrapper:learn=true,fallbak=cevc", "did you mean `fallback`?"),
        ("fiasco-lite:clean=2", "a decimal from 0 to 1"),
        ("fiasco-lite:folds=2.5", "folds: expected a whole number"),
        ("fiasco-lite:clean=exact", "its break points are not known; give a grid"),
        ("combine:members=all-text+fiasco-lite", "fiasco-lite"),
    ] {
        let ran = folder.carat(&format!("run --dataset ./d --algorithm {algorithm} --out x"));
        assert!(ran.code == 2 && ran.stderr.contains(told), "{algorithm}: {ran:?}");
    }
    let twice = "run --dataset ./d --algorithm fiasco-lite --algorithm combine:members=all-text+fiasco-lite --out x";
    let ran = folder.carat(twice);
    assert!(ran.code == 2 && ran.stderr.contains("learns from gold: it cannot be a member"), "{ran:?}");
}

#[test]
fn learned_rules_are_a_file_that_can_be_run() {
    let folder = folder(&[]);
    let ran = folder.carat("wrapper learn ./d --fallback none --out r.yaml");
    assert_eq!(ran.code, 0, "{ran:?}");
    let rules = folder.read("r.yaml");
    assert!(rules.contains("site: \"a.example\"") && rules.contains("exclude: [\"p.tool\"]"), "{rules}");
    let again = folder.carat("wrapper learn ./d --out r.yaml");
    assert!(again.code == 2 && again.stderr.contains("is there already"), "{again:?}");
    assert_eq!(folder.carat("run --dataset ./d --algorithm wrapper:rules=r.yaml --out o").code, 0);
    let row = folder.json("o/summary.json")["rows"][0].clone();
    assert_eq!(row["coverage"]["by_rule"].as_u64(), Some(7));
    assert!(row["macro"]["f1"].as_f64() > Some(0.999), "{row}");
    let wrong = folder.carat("wrapper learn ./d --fallback istm");
    assert!(wrong.code == 2 && wrong.stderr.contains("a fallback chooses on the page alone"), "{wrong:?}");
}

#[test]
fn rules_on_the_pages_that_they_were_learned_from_are_a_bound() {
    let folder = folder(&[]);
    assert_eq!(folder.carat("wrapper learn ./d --out r.yaml").code, 0);
    let run = "run --dataset ./d --algorithm all-text --algorithm wrapper:rules=r.yaml --bounds none --out o --fresh";
    let row = || folder.json("o/summary.json")["rows"][1].clone();
    // The pages that a filter leaves were learned from too.
    for filter in ["", " --where site=a.example"] {
        let ran = folder.carat(&format!("{run}{filter}"));
        assert_eq!(ran.code, 0, "{ran:?}");
        assert_eq!(row()["reads_gold"], "page", "{filter}");
        assert!(row()["system"].as_str().unwrap().contains("reads_gold=page, learned from d (sha256:"), "{}", row());
        let ranked = ran.stdout.lines().find(|line| line.contains(" * ")).unwrap();
        assert!(ranked.contains("all-text") && ran.stdout.contains("(bound)"), "{}", ran.stdout);
        assert!(ran.stdout.contains("its rules were learned from the gold of these very pages"), "{}", ran.stdout);
        assert!(ran.stderr.contains("r.yaml: its rules were learned from the gold of"), "{}", ran.stderr);
    }
    let shown = folder.carat("diff o a0");
    let marked = shown.stdout.lines().find(|line| line.contains("wrapper:rules=r.yaml")).unwrap();
    assert!(marked.contains("(bound)"), "{}", shown.stdout);
    assert!(
        folder.carat(&run.replace(" --fresh", " --where site=a.example")).stderr.contains("holds this run already")
    );
    let compared = folder.carat("compare o --row all-text --row wrapper:rules=r.yaml");
    assert_eq!(compared.code, 2, "{compared:?}");
}

/// What the rules of `r.yaml` read of the gold of a run with these arguments, and what is said of it.
fn reads_of_rules(folder: &Folder, arguments: &str) -> (String, String) {
    let ran = folder.carat(&format!("run {arguments} --algorithm wrapper:rules=r.yaml --bounds none --out o --fresh"));
    assert_eq!(ran.code, 0, "{ran:?}");
    (folder.json("o/summary.json")["rows"][0]["reads_gold"].as_str().unwrap_or("nothing").to_owned(), ran.stderr)
}

#[test]
fn a_page_that_rules_were_learned_from_is_known_wherever_it_stands() {
    // The first page of each site in one, the second in another.
    let folder = with_another(folder(&[]), "e", |page| page["id"].as_str().unwrap().ends_with('0'));
    let folder = with_another(folder, "f", |page| page["id"].as_str().unwrap().ends_with('1'));
    assert_eq!(folder.carat("wrapper learn ./e --out r.yaml").code, 0);
    let rules = folder.read("r.yaml");
    assert!(rules.contains("learned_from:\n  dataset: \"e\"\n  digest: \"sha256:"), "{rules}");
    let bound = |arguments: &str, told: &str| {
        let (reads, said) = reads_of_rules(&folder, arguments);
        assert!(reads == "page" && said.contains(told), "{arguments}: {reads} {said}");
    };
    bound("--dataset ./e", "from the gold of 3 of the 3 pages of e");
    bound("--dataset ./d", "from the gold of 3 of the 7 pages of d");
    bound("--dataset ./d --where site=a.example", "from the gold of 1 of the 2 pages of d");
    bound("--dataset ./d --where id=a0", "from the gold of 1 of the 1 pages of d");
    for arguments in ["--dataset ./f", "--dataset ./d --where id=a1"] {
        let (reads, said) = reads_of_rules(&folder, arguments);
        assert!(reads == "other_pages" && !said.contains("were learned"), "{arguments}: {reads} {said}");
    }
    // Neither another gold nor a page that is dropped for its faults makes it another page.
    let list = folder.read("e/pages.jsonl").replace("\"gold\":{\"text\":\"", "\"gold\":{\"text\":\"Home ");
    let lost = "{\"id\":\"lost\",\"html\":{\"file\":\"lost.html\"},\"gold\":{\"text\":\"x\"},\"site\":\"z\"}\n";
    let folder = folder.with("e/pages.jsonl", list + lost);
    let (reads, _) = reads_of_rules(&folder, "--dataset ./e --keep-going");
    assert_eq!(reads, "page");
    // Of a dataset with that name other pages may be the ones that were learned from, changed.
    let changed = folder.read("e/pages.jsonl").replace("Share", "Tell").replace(lost, "");
    let folder = folder.with("e/pages.jsonl", changed);
    let (reads, said) = reads_of_rules(&folder, "--dataset ./e");
    assert!(reads == "other_pages" && said.contains("learned from other pages of a dataset e than these"), "{said}");
}

#[test]
fn rules_learned_from_some_pages_of_a_site_are_tried_on_the_others() {
    let folder = folder(&[]);
    assert_eq!(folder.carat("wrapper learn ./d --parameters train_pages=1 --out r.yaml").code, 0);
    assert_eq!(reads_of_rules(&folder, "--dataset ./d --where id=b0").0, "page");
    assert_eq!(reads_of_rules(&folder, "--dataset ./d --where id=b1").0, "other_pages");
}

#[test]
fn learned_rules_on_other_pages_are_learned_rows() {
    let folder = with_another(folder(&[]), "e", |page| page["id"].as_str().unwrap().ends_with('0'));
    assert_eq!(folder.carat("wrapper learn ./e --out r.yaml").code, 0);
    let run =
        "run --dataset ./d --where id=a1 --algorithm all-text --algorithm wrapper:rules=r.yaml --bounds none --out o";
    let ran = folder.carat(run);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("(learned)") && !ran.stdout.contains("(bound)"), "{}", ran.stdout);
    let ran = folder.carat("run --dataset ./d --algorithm all-text --algorithm combine:members=all-text+wrapper --algorithm wrapper:rules=r.yaml --out x");
    assert!(ran.code == 2 && ran.stderr.contains("cannot be a member"), "{ran:?}");
    // Rules that a person wrote are gated and stand beside what is tuned; those that were learned are left out, with a word.
    let gated = "datasets: [./d]\nalgorithms:\n  - all-text\n  - cevc: {alpha: [0.3, 0.5]}\n  - wrapper: {rules: [r.yaml, own.yaml]}\n";
    let own = "format: 1\nrules: [{any: true, include: p}]\n";
    let folder = folder.with("g.yaml", gated).with("own.yaml", own);
    let left_out = "left out, for they read gold: wrapper:rules=r.yaml\n";
    for command in ["gate g.yaml --baseline b.json --accept", "tune g.yaml --resamples 100 --out t"] {
        let ran = folder.carat(command);
        assert!(ran.code == 0 && ran.stderr.contains(left_out), "{ran:?}");
    }
    let baseline = folder.read("b.json");
    assert!(
        baseline.contains("all-text") && baseline.contains("rules=own.yaml") && !baseline.contains("r.yaml\""),
        "{baseline}"
    );
    // Where a person has made the rules their own, they are rules like others.
    let rules = folder.read("r.yaml");
    let folder = folder.with("r.yaml", rules.split("\nlearned_from:").next().unwrap());
    assert_eq!(folder.carat(run).code, 0);
    assert!(folder.json("o/summary.json")["rows"][1]["reads_gold"].is_null());
}

#[test]
fn what_subtracting_excludes_is_learned_and_written() {
    // So deep that only its class tells the end from what stands before it; and text in what is too much has that class too.
    let nested = |html: &str| format!("<div><div><div><div>{html}</div></div></div></div>");
    let page = |words: &str| {
        let before = "<p>Contact us about all of this and more of it, or call the number below, whatever the hour of the day may be</p>";
        let (before, end) = (nested(before), nested(&format!("<p class=x>{words} it ends</p>")));
        format!(
            "<body><div class=m>{words} and so on<div class=tool>Share <p class=x>this on the web</p></div></div>{before}{end}</body>"
        )
    };
    let gold = |words: &str| format!("{words} and so on\n{words} it ends");
    let texts = ["quiet river", "seven lanterns"].map(|words| (page(words), gold(words)));
    let folder = dataset(&[("p0", &texts[0].0, &texts[0].1), ("p1", &texts[1].0, &texts[1].1)]);
    let f1 = |exclusion: &str| {
        let learn =
            format!("wrapper learn ./d --parameters exclusion={exclusion},max_exclude=1 --out {exclusion}.yaml");
        assert_eq!(folder.carat(&learn).code, 0);
        let run = format!(
            "run --dataset ./d --algorithm wrapper:rules={exclusion}.yaml --algorithm \
             wrapper:learn=true,max_exclude=1,exclusion={exclusion} --bounds none --out {exclusion}"
        );
        assert_eq!(folder.carat(&run).code, 0);
        let rows = folder.json(&format!("{exclusion}/summary.json"))["rows"].clone();
        [0, 1].map(|row| rows[row]["macro"]["f1"].as_f64().unwrap())
    };
    let (nearest, subtracted) = (f1("nearest"), f1("subtracted"));
    assert!(!folder.read("nearest.yaml").contains("exclusion:"));
    assert!(folder.read("subtracted.yaml").contains("exclusion: subtracted\n"));
    assert_eq!(subtracted, [1.0, 1.0]);
    assert!(nearest.iter().all(|f1| *f1 < 0.999), "{nearest:?}");
    let wrong = folder.carat("wrapper learn ./d --parameters exclusion=near");
    assert!(wrong.code == 2 && wrong.stderr.contains("`near`"), "{wrong:?}");
    let several = folder.carat("wrapper learn ./d --parameters train_pages=1|2");
    assert!(several.code == 2 && several.stderr.contains("one value for each parameter"), "{several:?}");
}

#[test]
fn what_is_learned_together_is_what_is_learned_alone() {
    let folder = Folder::new();
    let texts = |parameters: &str| {
        let run = format!(
            "run --dataset portals --where site=workbench.example --algorithm wrapper:learn=true,{parameters} --bounds none --out o --fresh"
        );
        assert_eq!(folder.carat(&run).code, 0);
        let mut of_setting: std::collections::BTreeMap<String, Vec<String>> = std::collections::BTreeMap::new();
        for row in folder.csv("o/scores.csv") {
            of_setting.entry(row["parameters"].clone()).or_default().push(row["text"].clone());
        }
        of_setting
    };
    let together = texts("train_pages=1|2|inf,max_exclude=0|6");
    assert_eq!(together.len(), 6);
    let alone = [("1", "0"), ("1", "6"), ("2", "0"), ("2", "6"), ("inf", "0"), ("inf", "6")].map(|(pages, exclude)| {
        texts(&format!("train_pages={pages},max_exclude={exclude}")).into_values().next().unwrap()
    });
    assert_eq!(together.into_values().collect::<Vec<_>>(), alone);
    assert_ne!(alone[0], alone[4]);
}

#[test]
fn a_fallback_is_one_however_it_is_written_and_faults_name_its_place() {
    let configuration = |fallback: &str| {
        format!(
            "datasets: [./d]\nalgorithms:\n  - all-text\n  - wrapper:\n      learn: true\n      fallback: {fallback}\nbounds: []\n"
        )
    };
    let folder = folder(&[]);
    for (fallback, told) in [
        ("cevcc", "did you mean `cevc`?"),
        ("{cevcc: {alpha: 0.5}}", "did you mean `cevc`?"),
        ("{cevc: {alhpa: 0.5}}", "did you mean `alpha`?"),
        ("cevc:alhpa=0.5", "did you mean `alpha`?"),
        ("cevc:alpha", "`alpha` needs a value"),
        ("{cevc: {alpha: [0.3, 0.5]}}", "one value for each parameter of `cevc` is needed"),
        ("istm", "a fallback chooses on the page alone"),
        ("wrapper", "would lead back to rules"),
        ("{cevc: {}, nta: {}}", "expected one algorithm"),
    ] {
        std::fs::write(folder.path("c.yaml"), configuration(fallback)).unwrap();
        let ran = folder.carat("run c.yaml --out x");
        assert!(ran.code == 2 && ran.stderr.contains(told) && ran.stderr.contains("c.yaml:6:"), "{fallback}: {ran:?}");
    }
    // The default of `alpha` is 0.5, that of `density` is not 0.3.
    let twice = "datasets: [./d]\nalgorithms:\n  - wrapper: {learn: true, fallback: cevc}\n  - wrapper: {learn: true, fallback: {cevc: {alpha: 0.50}}}\n  \
                 - wrapper: {learn: true, fallback: {nta: {density: 0.3, coherence: 0.8}}}\n  - wrapper:learn=true,fallback=nta:coherence=0.80;density=0.30\nbounds: []\n";
    std::fs::write(folder.path("c.yaml"), twice).unwrap();
    let ran = folder.carat("run c.yaml --out o");
    assert_eq!(ran.code, 0, "{ran:?}");
    let summary = folder.json("o/summary.json");
    let rows = summary["rows"].as_array().unwrap();
    let fallbacks: Vec<&str> = rows.iter().map(|row| row["parameters"]["fallback"].as_str().unwrap()).collect();
    assert_eq!(fallbacks, ["cevc", "nta:coherence=0.8;density=0.3"]);
    // What is stored makes the same run again.
    assert!(folder.carat("run o/run.yaml --out o").stderr.contains("holds this run already"));
}

#[test]
fn learned_rows_are_timed_with_their_learning_told_apart() {
    let folder = folder(&[]);
    let rows = "--algorithm wrapper:learn=true --algorithm fiasco-lite";
    let ran = folder.carat(&format!("run --dataset ./d --algorithm all-text --algorithm cevc {rows} --time --out o"));
    assert_eq!(ran.code, 0, "{ran:?}");
    let times = folder.csv("o/times.csv");
    let learning = |name: &str| {
        let row = times.iter().find(|row| row["algorithm"] == name).unwrap();
        assert_eq!(row["pages"], "7");
        row["learning"].parse::<f64>().ok()
    };
    assert_eq!((learning("all-text"), learning("cevc")), (None, None));
    assert!(learning("wrapper") > Some(0.0) && learning("fiasco-lite") > Some(0.0), "{times:?}");
    let figure = folder.csv("o/figures/d-time.csv");
    let front = |name: &str| figure.iter().find(|row| row["algorithm"] == name).unwrap()["front"].clone();
    assert_eq!([front("wrapper"), front("fiasco-lite")], ["false", "false"]);
    assert!(figure.iter().any(|row| row["front"] == "true"));
}

#[test]
fn pages_that_nobody_wrote_to_be_read_are_learned_from_all_the_same() {
    let classes: String = (0..20_000).map(|class| format!(" c{class}x")).collect();
    let pages = [
        String::new(),
        "<frameset><frame></frameset>".to_owned(),
        "\0\u{FFFD}&#0;".to_owned(),
        format!("{}x", "<div class=a>".repeat(20_000)),
        (0..20_000).map(|page| format!("<p id=i{}y class=k{}z>x", page % 999, page % 998)).collect(),
        format!("<div class='{classes}'>{}</div>", "<p>x<i>y</i></p>".repeat(5_000)),
        "<table><tr><td>x".repeat(3_000),
        (0..10_000).map(|tag| format!("<t{}>x</t{}>", tag % 900, tag % 900)).collect(),
        "<h1 itemprop='\"] > x'>x</h1><p class='\\ { :is( ,'>x".to_owned(),
    ];
    let record = |(number, html): (usize, &String)| {
        let page = serde_json::json!({
            "id": format!("p{number}"), "html": {"text": html}, "gold": {"text": "x\nx y"}, "site": format!("s{}", number % 2),
        });
        format!("{page}\n")
    };
    let manifest = "format: 1\nname: d\nversion: '1'\nlicence: {data: CC0-1.0, pages: CC0-1.0, redistribution: free}\n";
    let list: String = pages.iter().enumerate().map(record).collect();
    let folder = Folder::new().with("d/dataset.yaml", manifest).with("d/pages.jsonl", list);
    let ran =
        folder.carat("run --dataset ./d --algorithm wrapper:learn=true --algorithm fiasco-lite --bounds none --out o");
    assert_eq!(ran.code, 0, "{ran:?}");
    let rows = folder.csv("o/scores.csv");
    assert_eq!(rows.len(), 2 * pages.len());
    rows.iter().for_each(|row| assert_eq!(row["status"], "ok", "{row:?}"));
    assert_eq!(folder.carat("wrapper learn ./d").code, 0);
}

#[test]
fn pages_without_gold_are_company_for_algorithms_of_a_site() {
    let manifest = "format: 1\nname: d\nversion: '1'\nlicence: {data: CC0-1.0, pages: CC0-1.0, redistribution: free}\n";
    let pages = r#"{"id":"a","html":{"text":"<div>Home</div><p>Cats sleep"},"gold":{"text":"Cats sleep"},"site":"s"}
{"id":"b","html":{"text":"<div>Home</div><p>Cats bark"},"site":"s"}
{"id":"c","html":{"text":"<p>Birds sing"},"gold":{"text":"Birds sing"},"site":"t"}
"#;
    let folder = Folder::new().with("d/dataset.yaml", manifest).with("d/pages.jsonl", pages);
    let run = "run --dataset ./d --algorithm layout --algorithm wrapper:learn=true --bounds none --out o";
    check(&folder, run, 0, &[]);
    let rows = folder.json("o/summary.json")["rows"].clone();
    // For a template there is nothing to learn from on either site.
    assert_eq!([&rows[0]["alone"], &rows[1]["alone"]], [1, 2], "{rows}");
}
