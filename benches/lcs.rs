//! The exact LCS beside its peer, the crate `rapidfuzz`, and the whole of `shingle4`.
//!
//! `cargo bench --bench lcs`. The texts are those of the corpora that `CARAT_CORPORA` names, else the embedded
//! dataset's golds against the whole texts of its pages. Tokens are ready numbers for both sides; whatever our side
//! makes of them is counted. The rounds alternate in one thread, its CPU time is taken where the system tells it, and
//! the best round of each side counts: read the ratios.
//!
//! Texts that are nearly equal have a short way: its peer is our own full way, on a tenth of the length.

use std::collections::BTreeMap;
use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use carat::algorithms::find;
use carat::algorithms::parameters::Values;
use carat::datasets::Dataset;
use carat::datasets::locate::{EMBEDDED, corpora, locate};
use carat::datasets::manifest::Record;
use carat::scoring::{Gold, Measure};
use carat::text::lcs::Reference;
use carat::text::tokens::{Case, Token, TokenKind, Tokenizer};
use carat::text::words::Segmenter;
use rapidfuzz::distance::lcs_seq::similarity;
use serde_json::Value;

const ROUNDS: usize = 3;

/// A gold text and what is held against it, as texts or as tokens.
struct Group<T> {
    gold: T,
    extractions: Vec<T>,
}

fn main() {
    let benchmark =
        corpora().map(|folder| folder.join("article-extraction-benchmark")).filter(|folder| folder.is_dir());
    let chinese: Vec<Dataset> =
        ["daniel", "chinese-handcrafted"].into_iter().filter_map(|name| locate(name).ok()).collect();
    println!("{:<22} {:>7} {:>12} {:^31} {:^31}", "", "", "", "portable", "with AVX-512, where it is there");
    print!("{:<22} {:>7} {:>12}", "", "pairs", "rapidfuzz/s");
    println!("{}", format!(" {:>9} {:>5} {:>9} {:>5}", "a pair/s", "x", "a gold/s", "x").repeat(2));
    if let Some(folder) = &benchmark {
        let texts = stored_outputs(folder);
        compare("AEB char", &tokenised(&texts, TokenKind::Char));
        compare("AEB w", &tokenised(&texts, TokenKind::W));
    }
    let mut texts: Vec<_> = chinese.iter().flat_map(|dataset| whole_pages(dataset, Some("zh"))).collect();
    let name = if texts.is_empty() { "embedded" } else { "ZH" };
    if texts.is_empty() {
        texts = whole_pages(&locate(EMBEDDED).expect("it is embedded"), None);
    }
    compare(&format!("{name} char"), &tokenised(&texts, TokenKind::Char));
    compare(&format!("{name} word"), &tokenised(&texts, TokenKind::Word));
    for symbols in [60, 3_000] {
        let mut next = random();
        let mut text = || (0..100_000).map(|_| next() % symbols).collect();
        compare(&format!("100 000, {symbols} symbols"), &[Group { gold: text(), extractions: vec![text()] }]);
    }
    compare_near();
    match benchmark {
        Some(folder) => time_shingles(&stored_outputs(&folder)),
        None => {
            println!("no CARAT_CORPORA with the article-extraction-benchmark: shingles of the embedded pages");
            time_shingles(&texts);
        }
    }
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
    let mut files: Vec<_> = fs::read_dir(folder.join("output"))
        .expect("outputs are there")
        .map(|entry| entry.expect("readable").path())
        .collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    let systems: Vec<_> = files.iter().map(|file| bodies(file)).collect();
    let group = |(id, gold)| {
        let extractions = systems.iter().filter_map(|system| system.get(&id).cloned()).collect();
        Group { gold, extractions }
    };
    bodies(&folder.join("ground-truth.json")).into_iter().map(group).collect()
}

/// Each gold with its page's whole visible text.
fn whole_pages(dataset: &Dataset, language: Option<&str>) -> Vec<Group<String>> {
    let algorithm = find("all-text").expect("it is there");
    let setting = algorithm.setting(&Values::new()).expect("it has no parameters");
    let records = dataset.records.iter().filter_map(Result::ok);
    let wanted = records.filter(|record| language.is_none() || record.language.as_deref() == language);
    let group = |record: Arc<Record>| {
        let opened = dataset.open(&record).ok()?;
        let page = Arc::new(opened.page);
        let text = algorithm.choose(std::slice::from_ref(&page), &setting).text(&page);
        Some(Group { gold: opened.gold?, extractions: vec![text] })
    };
    wanted.filter_map(group).collect()
}

fn tokenised(texts: &[Group<String>], kind: TokenKind) -> Vec<Group<Vec<Token>>> {
    let segmenter = Segmenter::default();
    let tokenise = |group: &Group<String>| {
        let mut tokenizer = Tokenizer::new(kind, Case::Keep, &segmenter);
        let gold = tokenizer.tokens(&group.gold);
        Group { gold, extractions: group.extractions.iter().map(|text| tokenizer.tokens(text)).collect() }
    };
    texts.iter().map(tokenise).collect()
}

/// The same numbers each time (xorshift).
fn random() -> impl FnMut() -> u32 {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u32
    }
}

type Lcs<'a> = &'a dyn Fn(&Group<Vec<Token>>) -> usize;
type Prepare<'a> = &'a dyn Fn(&[Token]) -> Reference;

/// Prints a bed's row.
///
/// # Panics
/// Where the two sides disagree.
fn compare(name: &str, bed: &[Group<Vec<Token>>]) {
    let sum = |lcs: Lcs| bed.iter().map(lcs).sum::<usize>();
    let theirs = |group: &Group<Vec<Token>>| {
        let pair = |text: &Vec<Token>| similarity(group.gold.iter().copied(), text.iter().copied());
        group.extractions.iter().map(pair).sum()
    };
    let each = |group: &Group<Vec<Token>>, prepare: Prepare| {
        group.extractions.iter().map(|text| prepare(&group.gold).lcs(text)).sum()
    };
    let shared = |group: &Group<Vec<Token>>, prepare: Prepare| {
        let reference = prepare(&group.gold);
        group.extractions.iter().map(|text| reference.lcs(text)).sum()
    };
    let portable = |gold: &[Token]| Reference::new(gold).portable();
    let ours: [Lcs; 4] = [
        &|group| each(group, &portable),
        &|group| shared(group, &portable),
        &|group| each(group, &Reference::new),
        &|group| shared(group, &Reference::new),
    ];
    let (mut best, mut bests) = (Duration::MAX, [Duration::MAX; 4]);
    for _ in 0..ROUNDS {
        let (expected, time) = measure(|| sum(&theirs));
        best = best.min(time);
        for (best, lcs) in bests.iter_mut().zip(ours) {
            let (found, time) = measure(|| sum(lcs));
            assert_eq!(found, expected, "{name}: the sum of all LCS");
            *best = time.min(*best);
        }
    }
    let pairs: usize = bed.iter().map(|group| group.extractions.len()).sum();
    let speed = |time: Duration| pairs as f64 / time.as_secs_f64();
    print!("{name:<22} {pairs:>7} {:>12.1}", speed(best));
    for time in bests {
        print!(" {:>9.1} {:>5.2}", speed(time), speed(time) / speed(best));
    }
    println!();
}

/// Prints what a long text and an edited one take: on a tenth of the length the full way and the short one, on the whole
/// length the short one.
///
/// # Panics
/// Where the two ways disagree.
fn compare_near() {
    const LENGTH: usize = 5_000_000;
    let text = prose(LENGTH);
    println!("{:<22} {:>12} {:>12} {:>7} {:>12}", "nearly equal", "500 000 full", "short", "x", "5 000 000");
    for (name, edits) in EDITS {
        let time = |length: usize, prepare: Prepare| {
            let reference = prepare(&text[..length]);
            let other = edits(&text[..length]);
            measure(|| reference.lcs(&other))
        };
        let (expected, full) = time(LENGTH / 10, &|gold| Reference::new(gold).full());
        let (found, short) = time(LENGTH / 10, &Reference::new);
        assert_eq!(found, expected, "{name}");
        let long = time(LENGTH, &Reference::new).1;
        let ratio = full.as_secs_f64() / short.as_secs_f64();
        println!("{name:<22} {full:>12.2?} {short:>12.2?} {ratio:>7.1} {long:>12.2?}");
    }
}

/// Letters in words, some of which come often.
fn prose(length: usize) -> Vec<Token> {
    let mut next = random();
    let words: Vec<Vec<Token>> = (0..20_000)
        .map(|_| (0..2 + next() % 8).map(|_| (next() % 26).min(next() % 26)).chain([26]).collect())
        .collect();
    let mut text = Vec::new();
    while text.len() < length {
        let most = 1 + next() % words.len() as u32;
        let most = 1 + next() % most;
        text.extend(&words[(next() % most) as usize]);
    }
    text.truncate(length);
    text
}

/// What is done to a text.
type Edit = fn(&[Token]) -> Vec<Token>;

/// One token in fifty, here and there or in twenty pieces.
const EDITS: [(&str, Edit); 5] = [
    ("2 % replaced", |text| edited(text, &[|other, _| vec![other]])),
    ("2 % removed", |text| edited(text, &[|_, _| vec![]])),
    ("2 % inserted", |text| edited(text, &[|other, token| vec![other, token]])),
    ("2 % all three", |text| edited(text, &[|other, _| vec![other], |_, _| vec![], |other, token| vec![other, token]])),
    ("2 % in 20 cuts", |text| {
        text.chunks(text.len() / 20).flat_map(|part| &part[part.len() / 50..]).copied().collect()
    }),
];

/// One token in fifty becomes what one of `kinds` makes of it and of another of the text's.
fn edited(text: &[Token], kinds: &[fn(Token, Token) -> Vec<Token>]) -> Vec<Token> {
    let mut next = random();
    let edit = |&token: &Token| {
        if !next().is_multiple_of(50) {
            return vec![token];
        }
        let kind = kinds[next() as usize % kinds.len()];
        kind(text[next() as usize % text.len()], token)
    };
    text.iter().flat_map(edit).collect()
}

/// Tokenising and counting of every pair, each gold prepared once.
fn time_shingles(texts: &[Group<String>]) {
    let segmenter = Segmenter::default();
    let mut best = [Duration::MAX; 2];
    for _ in 0..ROUNDS {
        best[0] = best[0].min(measure(|| tokenised(texts, TokenKind::W)).1);
        let whole = || {
            let matched = |group: &Group<String>| -> u64 {
                let mut tokenizer = Tokenizer::new(TokenKind::W, Case::Keep, &segmenter);
                let gold = Gold::new(Measure::Shingle(4), &tokenizer.tokens(&group.gold).into());
                group.extractions.iter().map(|text| gold.counts(&tokenizer.tokens(text).into()).matched).sum()
            };
            texts.iter().map(matched).sum::<u64>()
        };
        best[1] = best[1].min(measure(whole).1);
    }
    let pairs: usize = texts.iter().map(|group| group.extractions.len()).sum();
    println!("shingle4 of {pairs} pairs over w: {:.0?}, of which tokenising {:.0?}", best[1], best[0]);
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
