//! The measures over tokens, on the stored outputs of article-extraction-benchmark, and the tables of made pages.
//!
//! `CARAT_CORPORA=FOLDER cargo bench -p carat-core --bench measures`. Tokens are ready for all sides; whatever our side
//! makes of a gold is counted, once per gold. The crate `rapidfuzz` is the peer of `edit` and `lcs`: the sums of both sides
//! are compared. CPU time is taken where the system tells it, and the best round of each side counts.
//!
//! With `-- --pairs FILE`, the pairs are also written, as JSON lines, for `examples/studies/measures_peer.py`. That program
//! times what others use in Python. `--every N` takes every Nth page only.

use std::collections::BTreeMap;
use std::fs;
use std::hint::black_box;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use carat_core::scoring::{Comparison, Counts, Gold, Measure, Units};
use carat_core::structure::{Document, Structure, compare};
use carat_core::text::normalise_lines;
use carat_core::text::tokens::{Token, Tokenizer};
use carat_core::text::words::Segmenter;
use rapidfuzz::distance::{lcs_seq, levenshtein};
use serde_json::{Value, json};

const ROUNDS: usize = 3;

const RULES: [&str; 12] = [
    "edit scalar", "edit ws", "lcs char", "lcs ws", "rouge:5 jieba", "rouge:2 ws", "shingle:4 w", "set ws", "bag w",
    "difflib ws", "difflib char", "lsum ws",
];

/// A gold and what is held against it, as texts or as tokens.
struct Group<T> {
    gold: T,
    extractions: Vec<T>,
}

fn main() {
    let Some(corpora) = std::env::var_os("CARAT_CORPORA").map(PathBuf::from) else {
        return println!("skipped: CARAT_CORPORA names no folder of corpora");
    };
    let folder = corpora.join("article-extraction-benchmark");
    if !folder.is_dir() {
        return println!("skipped: there is no article-extraction-benchmark in {}", corpora.display());
    }
    let every = option("--every").map_or(1, |number| number.parse().expect("it is a number from 1 on"));
    let texts: Vec<_> = stored_outputs(&folder).into_iter().step_by(every).collect();
    let made = made_tables(&corpora.join("figures-measures.json"));
    if let Some(file) = option("--pairs") {
        write_pairs(Path::new(&file), &texts, &made).expect("the file can be written");
    }
    println!("{:<16} {:>7} {:>12} {:>12} {:>12} {:>7}", "", "pairs", "matched", "us per pair", "rapidfuzz", "x");
    for rule in RULES {
        let rule = Comparison::read(rule, Comparison::default()).expect("it is a rule");
        time_rule(rule, &tokenised(&texts, rule));
    }
    time_tables(&made);
}

/// The value of an option.
fn option(name: &str) -> Option<String> {
    std::env::args().skip_while(|argument| argument != name).nth(1)
}

/// The benchmark's golds with the stored outputs of all its systems.
fn stored_outputs(folder: &Path) -> Vec<Group<String>> {
    let bodies = |file: &Path| -> BTreeMap<String, String> {
        let text = fs::read_to_string(file).expect("the file is there");
        let mut json: Value = serde_json::from_str(&text).expect("it is JSON");
        let pages = if json["output"].is_object() { json["output"].take() } else { json };
        let body = |page: &Value| page["articleBody"].as_str().unwrap_or_default().to_owned();
        pages.as_object().expect("pages by id").iter().map(|(id, page)| (id.clone(), body(page))).collect()
    };
    let files = fs::read_dir(folder.join("output")).expect("outputs are there");
    let mut files: Vec<PathBuf> = files.map(|entry| entry.expect("readable").path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    let systems: Vec<_> = files.iter().map(|file| bodies(file)).collect();
    let group = |(id, gold)| {
        let extractions = systems.iter().filter_map(|system| system.get(&id).cloned()).collect();
        Group { gold, extractions }
    };
    bodies(&folder.join("ground-truth.json")).into_iter().map(group).collect()
}

/// The made pages whose gold and extraction have tables.
fn made_tables(file: &Path) -> Vec<[Document; 2]> {
    let Ok(text) = fs::read_to_string(file) else { return Vec::new() };
    let figures: Value = serde_json::from_str(&text).expect("it is JSON");
    let document = |page: &Value, side: &str| {
        let kind = page[format!("{side}_kind")].as_str().and_then(|kind| kind.parse().ok());
        Document::new(kind.expect("it has a kind"), page[side].as_str().expect("it is a text"))
    };
    let pages = figures["made"].as_array().into_iter().flatten();
    let pairs = pages.map(|page| ["extraction", "gold"].map(|side| document(page, side)));
    pairs.filter(|pair| pair.iter().all(|document| !document.tables().is_empty())).collect()
}

/// A line per gold: `gold` and `extractions`; then a line per pair of tables: the rows of `gold` and `extraction`, whose cells
/// are text, columns, rows.
fn write_pairs(file: &Path, texts: &[Group<String>], made: &[[Document; 2]]) -> std::io::Result<()> {
    let mut file = BufWriter::new(fs::File::create(file)?);
    for Group { gold, extractions } in texts {
        writeln!(file, "{}", json!({ "gold": gold, "extractions": extractions }))?;
    }
    let rows = |document: &Document| -> Value {
        let rows = document.tables().iter().map(|table| {
            let cell = |cell: &carat_core::structure::Cell| json!([cell.text, cell.colspan, cell.rowspan]);
            table.rows.iter().map(|row| row.iter().map(cell).collect::<Value>()).collect::<Value>()
        });
        rows.collect()
    };
    for [extraction, gold] in made {
        writeln!(file, "{}", json!({ "gold_tables": rows(gold), "extraction_tables": rows(extraction) }))?;
    }
    file.flush()
}

fn tokenised(texts: &[Group<String>], rule: Comparison) -> Vec<Group<Units>> {
    let segmenter = Segmenter::default();
    let tokenise = |group: &Group<String>| {
        let mut tokenizer = Tokenizer::new(rule.tokens, rule.case, &segmenter);
        let mut units = |text: &String| match rule.tokens.reads_as_it_stands() {
            true => Units::of(text, rule.measure.reads_lines(), &mut tokenizer),
            false => Units::of(&normalise_lines(text), rule.measure.reads_lines(), &mut tokenizer),
        };
        Group { gold: units(&group.gold), extractions: group.extractions.iter().map(units).collect() }
    };
    texts.iter().map(tokenise).collect()
}

type Matched = fn(&[Token], &[Token]) -> usize;

/// The function of `rapidfuzz` that counts the matches of a measure.
fn peer(measure: Measure) -> Option<Matched> {
    match measure {
        Measure::Lcs => Some(|gold, text| lcs_seq::similarity(gold.iter().copied(), text.iter().copied())),
        Measure::Edit => Some(|gold, text| {
            let distance = levenshtein::distance(gold.iter().copied(), text.iter().copied());
            gold.len().max(text.len()) - distance
        }),
        _ => None,
    }
}

/// Prints the row of a rule.
///
/// # Panics
/// Where the two sides disagree.
fn time_rule(rule: Comparison, bed: &[Group<Units>]) {
    let ours = || {
        let matched = |group: &Group<Units>| -> u64 {
            let gold = Gold::new(rule.measure, &group.gold);
            group.extractions.iter().map(|text| gold.counts(text).matched).sum()
        };
        bed.iter().map(matched).sum::<u64>()
    };
    let theirs = peer(rule.measure).map(|peer| {
        move || {
            let matched = |group: &Group<Units>| -> usize {
                group.extractions.iter().map(|text| peer(&group.gold.tokens, &text.tokens)).sum()
            };
            bed.iter().map(matched).sum::<usize>() as u64
        }
    });
    let (mut best, mut of_peer, mut matched) = (Duration::MAX, Duration::MAX, 0);
    for _ in 0..ROUNDS {
        let (found, time) = measure(ours);
        (best, matched) = (best.min(time), found);
        if let Some(theirs) = theirs {
            let (expected, time) = measure(theirs);
            assert_eq!(found, expected, "{rule}: the sum of all matched tokens");
            of_peer = of_peer.min(time);
        }
    }
    let pairs: usize = bed.iter().map(|group| group.extractions.len()).sum();
    let each = |time: Duration| time.as_secs_f64() * 1e6 / pairs as f64;
    print!("{:<16} {pairs:>7} {matched:>12} {:>12.2}", rule.to_string(), each(best));
    match theirs {
        Some(_) => println!(" {:>12.2} {:>7.2}", each(of_peer), each(of_peer) / each(best)),
        None => println!(),
    }
}

/// Prints the row of the tables.
fn time_tables(made: &[[Document; 2]]) {
    if made.is_empty() {
        return println!("no figures-measures.json: tables are not timed");
    }
    let all = || {
        let matched =
            |[extraction, gold]: &[Document; 2]| compare(Structure::Tables, extraction, gold).expect("they are small");
        made.iter()
            .filter_map(matched)
            .map(|measured| measured.counts)
            .map(|Counts { matched, .. }| matched)
            .sum::<u64>()
    };
    let (matched, best) = (0..ROUNDS).map(|_| measure(all)).min_by_key(|(_, time)| *time).expect("there are rounds");
    let each = best.as_secs_f64() * 1e6 / made.len() as f64;
    println!("{:<16} {:>7} {matched:>12} {each:>12.2}", "tables", made.len());
}

/// The result of `work` and the time of one call, from as many calls as a fifth of a second takes.
fn measure<T>(work: impl Fn() -> T) -> (T, Duration) {
    let (start, mut calls) = (thread_time(), 0);
    loop {
        let result = black_box(work());
        calls += 1;
        let time = thread_time() - start;
        if time > Duration::from_millis(200) {
            return (result, time / calls);
        }
    }
}

/// CPU time of this thread where the system tells it, else the time of the clock.
fn thread_time() -> Duration {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let start = START.get_or_init(Instant::now);
    let told = fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|line| line.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(|| start.elapsed(), Duration::from_nanos)
}
