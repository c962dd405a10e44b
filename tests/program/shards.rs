//! Runs in parts: put together they are the run in one piece, byte for byte, or they are refused in a sentence.

use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::support::{Folder, check, units};

/// Every row that a shard can have: what learns from whole datasets is left out, or learns from sites.
fn allowed() -> String {
    let all = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/configs/everything.yaml")).unwrap();
    let is_allowed = |line: &&str| !line.contains("fiasco-lite") && !line.contains("scores: learned");
    let lines = all.lines().filter(is_allowed).map(|line| match line.trim() {
        "- istm" => "  - istm: {scope: site}\n".to_owned(),
        _ => format!("{line}\n"),
    });
    lines.collect::<String>().replace("  - nta\n", "  - nta\n  - cevc: {alpha: exact}\n")
}

/// Twelve pages of four sites, and a configuration.
fn small() -> Folder {
    let mut folder = Folder::new();
    let mut list = String::new();
    for page in 0..12 {
        let words: String = (0..20 + page).map(|word| format!("word{} ", word * (page + 3) % 41)).collect();
        list += &format!(
            "{{\"id\":\"p{page}\",\"html\":\"html/p{page}.html\",\"gold\":\"gold/p{page}.txt\",\"site\":\"s{}.org\"}}\n",
            page % 4
        );
        folder = folder
            .with(&format!("own/html/p{page}.html"), format!("<div><a href=/>home {page}</a><p>{words}.</div>"))
            .with(&format!("own/gold/p{page}.txt"), format!("{words}.\n"));
    }
    let manifest = "format: 1\nname: own\nversion: '1'\nlicence: {data: CC0-1.0, pages: CC0-1.0, redistribution: free}\n\
                    pages: [pages.jsonl]\n";
    folder.with("own/dataset.yaml", manifest).with("own/pages.jsonl", list).with(
        "run.yaml",
        "datasets: [./own]\nalgorithms: [all-text, 'nta:coherence=0.6..1.0/0.1', 'cevc:alpha=exact']\n",
    )
}

/// The result of a run: its digests, and the bytes of the files that hold its figures.
fn results(folder: &Folder, run: &str) -> Vec<String> {
    let info = folder.json(&format!("{run}/run.json"));
    let mut results: Vec<String> =
        ["result_digest", "line_sum", "plan", "page_list", "work", "notes", "conditions", "failures", "executable"]
            .map(|key| info[key].to_string())
            .to_vec();
    let files = ["summary.json", "scores.csv", "pages.csv", "sweeps.csv"];
    results.extend(files.map(|name| fs::read_to_string(folder.path(&format!("{run}/{name}"))).unwrap_or_default()));
    results
}

/// Runs all shards of `of` below `runs/`; gives their folders.
fn shards(folder: &Folder, run: &str, of: usize) -> Vec<String> {
    let shard = |number: usize| {
        let out = format!("shards/{of}/{number}");
        check(folder, &format!("{run} --shard {number}/{of} --threads {} --out {out}", 1 + number % 2), 0, &["shard "]);
        assert!(folder.path(&format!("{out}/shard.json")).exists());
        for none in ["run.json", "summary.json", "scores.csv", "index.html", "tables"] {
            assert!(!folder.path(&format!("{out}/{none}")).exists(), "{none}");
        }
        out
    };
    (1..=of).map(shard).collect()
}

fn merge(folder: &Folder, runs: &[String], out: &str) -> Vec<String> {
    check(folder, &format!("merge {} --out {out}", runs.join(" ")), 0, &["put together from"]);
    results(folder, out)
}

#[test]
fn whatever_runs_is_the_same_in_parts() {
    let folder = Folder::new().with("allowed.yaml", allowed());
    check(&folder, "run allowed.yaml --out whole", 0, &[]);
    let whole = results(&folder, "whole");
    for of in [2, 3] {
        let shards = shards(&folder, "run allowed.yaml", of);
        assert!(folder.json(&format!("{}/shard.json", shards[0]))["by"] == "site");
        assert_eq!(merge(&folder, &shards, &format!("merged/{of}")), whole, "{of} shards");
    }
}

#[test]
fn shards_merge_to_the_whole_run_in_any_order_twice_and_nested() {
    let folder = small();
    check(&folder, "run run.yaml --out whole", 0, &[]);
    let whole = results(&folder, "whole");
    assert!(!whole.contains(&String::new()), "every file is there");
    let mut sums = Vec::new();
    for of in [1, 2, 3, 7, 64] {
        let mut shards = shards(&folder, "run run.yaml", of);
        let infos: Vec<_> = shards.iter().map(|shard| folder.json(&format!("{shard}/shard.json"))).collect();
        assert_eq!(infos.iter().map(|info| info["pages"].as_u64().unwrap()).sum::<u64>(), 12);
        assert!(infos.iter().all(|info| info["by"] == "page"));
        sums.push(sum(infos.iter().map(|info| info["line_sum"].as_str().unwrap())));
        assert_eq!(merge(&folder, &shards, &format!("merged/{of}")), whole, "{of} shards");
        shards.reverse();
        assert_eq!(merge(&folder, &shards, &format!("merged/{of}-reversed")), whole, "{of} shards");
        // The same bytes each time, in a folder where a merged run is already.
        assert_eq!(merge(&folder, &shards, &format!("merged/{of}")), whole);
    }
    let expected = folder.json("whole/run.json")["line_sum"].as_str().unwrap().to_owned();
    assert!(sums.iter().all(|sum| *sum == expected), "{sums:?} {expected}");
    // Runs put together of runs that were put together, of shards that were given twice, and of a whole run.
    let three: Vec<String> = (1..=3).map(|number| format!("shards/3/{number}")).collect();
    let told = "; 5 pages came twice, and are the same";
    let doubled = units::pages(&folder.path("shards/3/1")).len();
    let told = told.replace("5 pages", &format!("{doubled} pages"));
    let twice = format!("merge {0} {1} {2} {0} --out merged/twice", three[0], three[1], three[2]);
    let ran = check(&folder, &twice, 0, &["put together from 4 folders"]);
    assert!(doubled < 2 || ran.stderr.contains(&told), "{ran:?}");
    assert_eq!(results(&folder, "merged/twice"), whole);
    let nested = ["merged/2".to_owned(), "shards/7/3".to_owned(), "whole".to_owned()];
    assert_eq!(merge(&folder, &nested, "merged/nested"), whole);
    check(&folder, "report merged/nested", 0, &[]);
    check(&folder, "compare merged/nested whole", 0, &[]);
    check(&folder, "diff merged/nested p3", 0, &[]);
    // A merged run is a run: it is whole, it is gone on with, and what it was made of is left alone.
    let parts = || [1, 2].map(|number| fs::read(folder.path(&format!("shards/2/{number}/units/00000.heads"))).unwrap());
    let before = parts();
    check(&folder, "run run.yaml --out merged/2", 0, &["holds this run already"]);
    units::lose(&folder.path("merged/2-reversed"), &["p1"]);
    check(&folder, "run run.yaml --out merged/2-reversed", 0, &["1 unit of merged/2-reversed is missing or damaged"]);
    assert_eq!(results(&folder, "merged/2-reversed")[0], whole[0]);
    assert!(parts() == before);
}

/// The sum modulo 2^256 of numbers in hexadecimal.
fn sum<'s>(numbers: impl Iterator<Item = &'s str>) -> String {
    let mut total = [0u8; 32];
    for number in numbers {
        let mut carry = 0u16;
        for place in (0..32).rev() {
            let digit = u8::from_str_radix(&number[2 * place..2 * place + 2], 16).unwrap();
            let added = u16::from(total[place]) + u16::from(digit) + carry;
            total[place] = added as u8;
            carry = added >> 8;
        }
    }
    total.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn a_shard_that_was_killed_is_gone_on_with() {
    let folder = small();
    check(&folder, "run run.yaml --out whole", 0, &[]);
    let others = ["shards/1", "shards/3"];
    check(&folder, "run run.yaml --shard 1/3 --out shards/1", 0, &[]);
    check(&folder, "run run.yaml --shard 3/3 --out shards/3", 0, &[]);
    for moment in 0..20 {
        let mut command = Command::new(env!("CARGO_BIN_EXE_carat"));
        command.current_dir(folder.path(".")).args(["run", "run.yaml", "--shard", "2/3", "--out", "shards/2"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(5 * moment));
        let _ = child.kill();
        child.wait().unwrap();
        if folder.path("shards/2/shard.json").exists() {
            break;
        }
        if folder.path("shards/2/run.yaml").exists() {
            let told = "shards/2 holds no finished shard or run; the command that began it goes on with it";
            check(&folder, &format!("merge {} shards/2 --out merged", others.join(" ")), 3, &[told]);
        }
    }
    check(&folder, "run run.yaml --shard 2/3 --out shards/2", 0, &["shard"]);
    check(&folder, "run run.yaml --shard 2/3 --out shards/2", 0, &["holds this shard already"]);
    let all: Vec<String> = (1..=3).map(|number| format!("shards/{number}")).collect();
    assert_eq!(merge(&folder, &all, "merged"), results(&folder, "whole"));
}

#[test]
fn what_is_not_of_one_run_is_refused_in_a_sentence() {
    let folder = small();
    let all = shards(&folder, "run run.yaml", 3);
    let [one, two, three] = &all[..] else { panic!("{all:?}") };
    let refused =
        |runs: &str, code: i32, told: &[&str]| check(&folder, &format!("merge {runs} --out merged"), code, told);
    refused("none", 2, &["none is no folder of a run"]);
    refused(&format!("{one} {three}"), 3, &[" missing: shard 2 of 3 is not given; --partial goes on"]);
    refused(one, 3, &["shards 2, 3 of 3 are not given"]);
    check(&folder, &format!("merge {one} {two} {three} --out {one}"), 2, &["is one of the runs that are put together"]);
    check(&folder, &format!("report {one}"), 3, &["the folder holds a shard of a run: put all shards together"]);
    check(&folder, &format!("run run.yaml --shard 2/3 --out {one}"), 2, &["holds shard 1/3 of this run, not 2/3"]);
    // Another plan, another N, another way to part the pages, another program.
    check(&folder, "run run.yaml --tokens word --shard 2/3 --out word", 0, &[]);
    let told = "word was made from another configuration than shards/3/1: under `tokens` it says `tokens: word`";
    refused(&format!("{one} word {three}"), 2, &[told]);
    check(&folder, "run run.yaml --shard 2/4 --out four", 0, &[]);
    let told = "four is shard 2/4 by page, and shards/3/1 is shard 1/3 by page: shards of one run have one N";
    refused(&format!("{one} four"), 3, &[told]);
    check(&folder, "run run.yaml --no-texts --shard 2/3 --out textless", 0, &[]);
    refused(&format!("{one} textless"), 2, &["textless was run with --no-texts, and shards/3/1 was not"]);
    let stated = |name: &str, change: &dyn Fn(&mut serde_json::Value)| reseal(&folder, name, change);
    stated(two, &|info| info["carat"] = "9.9.9".into());
    refused(&all.join(" "), 2, &["shards/3/2 was made by another program than shards/3/1: by carat 9.9.9"]);
    stated(two, &|info| info["carat"] = env!("CARGO_PKG_VERSION").into());
    stated(two, &|info| info["executable"] = "ab".repeat(32).into());
    refused(&all.join(" "), 2, &["; --same-version accepts other builds of one version"]);
}

/// Writes `shard.json` of a shard again with a change, as a stranger would who means harm.
fn reseal(folder: &Folder, shard: &str, change: &dyn Fn(&mut serde_json::Value)) {
    let path = format!("{shard}/shard.json");
    let mut info = folder.json(&path);
    info.as_object_mut().unwrap().remove("sha256");
    change(&mut info);
    let json = serde_json::to_string_pretty(&info).unwrap();
    let lines = format!("{},\n", json.strip_suffix("\n}").unwrap());
    let digest = carat::formats::digest::sha256(lines.as_bytes());
    fs::write(folder.path(&path), format!("{lines}  \"sha256\": \"{digest}\"\n}}\n")).unwrap();
}

#[test]
fn pages_that_are_missing_changed_doubled_or_foreign_are_told() {
    let folder = small();
    let all = shards(&folder, "run run.yaml", 2);
    let merging = format!("merge {} --out merged", all.join(" "));
    // A damaged shard is made again by its command.
    let pages = units::pages(&folder.path(&all[1]));
    units::lose(&folder.path(&all[1]), &[&pages[1]]);
    check(&folder, &merging, 3, &["shards/2/2/units/00000.heads is not as it was written; the command that made"]);
    check(&folder, "run run.yaml --shard 2/2 --out shards/2/2", 0, &["1 unit was not as it was written"]);
    check(&folder, &merging, 0, &[]);
    let whole = results(&folder, "merged");
    // A shard that says it is another holds pages that are not of it.
    reseal(&folder, &all[1], &|info| info["shard"] = 1.into());
    check(&folder, &merging, 3, &["shards/2/2 is shard 1/2 and holds page", "which is of shard 2"]);
    reseal(&folder, &all[1], &|info| info["shard"] = 2.into());
    // shard.json that was changed without care.
    let json = folder.read("shards/2/2/shard.json");
    fs::write(folder.path("shards/2/2/shard.json"), json.replace("\"pages\": ", "\"pages\": 1")).unwrap();
    check(&folder, &merging, 3, &["shards/2/2/shard.json: is not as the shard left it"]);
    fs::write(folder.path("shards/2/2/shard.json"), json).unwrap();
    check(&folder, &merging, 0, &[]);
    assert_eq!(results(&folder, "merged"), whole);
    // Some of the pages: it says so, and is not compared.
    let told = ["--partial goes on without them"];
    check(&folder, "merge shards/2/1 --out part", 3, &told);
    let ran = check(&folder, "merge shards/2/1 --partial --out part", 0, &["note: this run lacks"]);
    let refused = check(&folder, "verify part", 3, &[]);
    assert!(refused.stderr.contains("neither compared nor verified; merge it again with all shards"), "{refused:?}");
    assert!(ran.stderr.contains("because 1 of 2 shards was not given: 2; its figures are those of a part"), "{ran:?}");
    let missing = &folder.json("part/run.json")["missing"];
    assert_eq!((missing["pages"].as_u64().unwrap() as usize, &missing["shards"][0]), (pages.len(), &2.into()));
    let refused = "neither compared nor verified; merge it again with all shards";
    check(&folder, "compare part", 3, &[refused]);
    check(&folder, "compare merged part", 3, &[refused]);
    check(&folder, "history add history.jsonl part", 3, &[refused]);
    check(&folder, "site part --out site", 3, &[refused]);
    // Every table that a person reads says it above all figures.
    let lacks = format!("this run lacks {} pages, because 1 of 2 shards was not given: 2", pages.len());
    let ran = check(&folder, "report part", 0, &[]);
    assert!(ran.stdout.starts_with(&lacks), "{ran:?}");
    let ran = check(&folder, "report part --format md", 0, &[]);
    assert!(ran.stdout.starts_with(&format!("**{lacks}")), "{ran:?}");
    assert!(folder.read("part/tables/rows.md").starts_with(&format!("**{lacks}")));
    // Each table and figure says it of itself: they are shown alone.
    let own = format!("this run lacks {} pages", pages.len());
    for file in ["tables/compact.tex", "tables/rows.tex", "figures/own-algorithms.svg"] {
        assert!(folder.read(&format!("part/{file}")).contains(&own), "{file}");
        assert!(!folder.read(&format!("merged/{file}")).contains("this run lacks"), "{file}");
    }
    let index = folder.read("part/index.html");
    let (above, _) = index.split_once("<main>").unwrap();
    assert!(above.contains(&format!("<p id=\"partial\" role=\"note\"><strong>{lacks}")), "{above}");
    check(&folder, "report part --lang zh", 0, &["本次运行缺"]);
    for whole in ["merged/index.html", "merged/tables/rows.md"] {
        assert!(!folder.read(whole).contains("this run lacks"), "{whole}");
    }
    // The gate runs what is missing before it judges.
    fs::write(folder.path("gate.yaml"), folder.read("run.yaml").replace(", 'cevc:alpha=exact'", "") + "bounds: []\n")
        .unwrap();
    check(&folder, "run gate.yaml --shard 1/2 --out gated/1", 0, &[]);
    check(&folder, "merge gated/1 --partial --out gated/part", 0, &[]);
    check(&folder, "gate gate.yaml --baseline baseline.json --accept --out gated/part", 0, &["12 pages"]);
    assert!(folder.json("gated/part/run.json").get("missing").is_none());
    // A page that was changed between two shards.
    let held = units::pages(&folder.path("shards/2/1"));
    let page = &held[0];
    fs::write(folder.path(&format!("own/html/{page}.html")), "<p>another page").unwrap();
    check(&folder, "run run.yaml --out later", 0, &[]);
    let told =
        format!("page `{page}` of own is not the same in shards/2/1 and later: its bytes or its gold were others");
    check(&folder, "merge shards/2/1 shards/2/2 later --out changed", 3, &[&told]);
    // Another page list.
    let list = folder.read("own/pages.jsonl");
    fs::write(folder.path("own/pages.jsonl"), list.lines().skip(1).map(|line| format!("{line}\n")).collect::<String>())
        .unwrap();
    check(&folder, &merging, 3, &["the page list was changed since shards/2/1 was made over it"]);
    check(&folder, "run run.yaml --shard 2/2 --out fewer", 0, &[]);
    check(
        &folder,
        "merge shards/2/1 fewer --out fewer-merged",
        3,
        &["fewer was made over another page list than shards/2/1"],
    );
}

#[test]
fn rows_that_need_whole_datasets_are_refused() {
    let folder = small();
    let refused = |algorithm: &str, told: &str| {
        check(&folder, &format!("run --dataset ./own --algorithm {algorithm} --shard 1/2"), 2, &[told]);
    };
    let because = "learns from all pages of a dataset, and a shard has only some of them";
    refused("istm", &format!("`istm` {because}: give it scope=site, or run without --shard"));
    refused("dse:group=cluster", &format!("`dse` {because}: give it group=site, or run without --shard"));
    refused("fiasco-lite", &format!("`fiasco-lite` {because}: leave it out, or run without --shard"));
    refused("link-noise:scores=learned", &format!("`link-noise` {because}"));
    check(&folder, "run run.yaml --shard 1/2 --time", 2, &["times of shards cannot be put together"]);
    check(&folder, "run run.yaml --shard 1/2 --measure lcs,bag", 2, &["a shard is of a run by one measure"]);
    check(&folder, "run run.yaml --shard 3/2", 2, &["expected I/N, such as 3/8, with I from 1 to N"]);
    let ran =
        check(&folder, "run --dataset ./own --algorithm dse --shard 1/2 --dry-run", 0, &["shard    1/2 by site: "]);
    assert!(ran.stdout.contains(" of 12 pages\n"), "{ran:?}");
    // What learns from another dataset needs no page of this one.
    check(
        &folder,
        "run --dataset ./own --algorithm fiasco-lite:train_on=portals --shard 1/2 --dry-run",
        0,
        &["by page"],
    );
}

#[test]
fn pages_of_odd_names_are_run_in_parts() {
    let mut folder = Folder::new();
    let long = "z".repeat(200);
    let ids = ["é", "e\u{301}", "A", "a", "x y", "長い名前", long.as_str()];
    for id in ids {
        folder = folder
            .with(&format!("own/html/{id}.html"), format!("<p>{id} text"))
            .with(&format!("own/gold/{id}.txt"), "text");
    }
    folder = folder.with("run.yaml", "datasets: [./own]\nalgorithms: [all-text, nta]\n");
    check(&folder, "run run.yaml --out whole", 0, &[]);
    let all = shards(&folder, "run run.yaml", 3);
    assert_eq!(merge(&folder, &all, "merged"), results(&folder, "whole"));
}
