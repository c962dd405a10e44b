//! Parsing, beside html5ever with RcDom in the same process: time, allocations, peak memory, and how
//! time grows with nesting and with length.
//!
//! `cargo bench --bench parsing`; the pages are those of `daniel` where `CARAT_CORPORA` names the
//! corpora, else the embedded ones. One thread; both sides take turns, the best of several counts.

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use carat::datasets::locate::{EMBEDDED, corpora, locate};
use carat::page::charset::{decode, for_label};
use carat::page::parse::{Parsed, parse};
use html5ever::tendril::TendrilSink;
use markup5ever_rcdom::RcDom;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const ROUNDS: usize = 7;

fn main() {
    let pages = characters();
    let bytes = pages.iter().map(String::len).sum();
    println!("{} pages, {bytes} bytes of UTF-8; rcdom is html5ever with markup5ever_rcdom\n", pages.len());
    println!("{:<44} {:>10} {:>10} {:>8}", "", "rcdom", "carat", "carat is");
    compare_times(&pages, bytes);
    compare_allocations(&pages, bytes);
    compare_peaks(&pages);
    nest();
    repeat(&pages);
}

fn with_rcdom(page: &str) -> RcDom {
    html5ever::parse_document(RcDom::default(), html5ever::ParseOpts::default()).one(page)
}

fn with_carat(page: &str) -> Parsed {
    parse(page).expect("no page has too many nodes")
}

fn characters() -> Vec<String> {
    let has_daniel = corpora().is_some_and(|folder| folder.join("daniel").is_dir());
    let dataset = locate(if has_daniel { "daniel" } else { EMBEDDED }).expect("the dataset is there");
    let decoded = dataset.records.iter().map(|record| {
        let record = record.expect("the page list is there");
        let bytes = dataset.page_bytes(&record).expect("the page is there");
        decode(&bytes, record.encoding.as_deref().and_then(for_label)).text
    });
    decoded.collect()
}

fn compare_times(pages: &[String], bytes: usize) {
    let every = |parse_one: &dyn Fn(&str)| pages.iter().for_each(|page| parse_one(page));
    let [rcdom, carat] = best_of([&|| every(&|page| drop(black_box(with_rcdom(page)))), &|| {
        every(&|page| drop(black_box(with_carat(page))))
    }]);
    let speed = |time: Duration| bytes as f64 / 1e6 / time.as_secs_f64();
    row("speed, MB/s", speed(rcdom), speed(carat));
}

fn compare_allocations(pages: &[String], bytes: usize) {
    let kilobytes = bytes as f64 / 1000.0;
    let count = |parse_one: &dyn Fn(&str)| {
        let used = measure(|| pages.iter().for_each(|page| parse_one(page)));
        (used.allocations as f64 / kilobytes, used.bytes as f64 / kilobytes)
    };
    let rcdom = count(&|page| drop(with_rcdom(page)));
    let carat = count(&|page| drop(with_carat(page)));
    row("allocations for each KB of page", rcdom.0, carat.0);
    row("bytes allocated for each KB of page", rcdom.1, carat.1);
}

fn compare_peaks(pages: &[String]) {
    let worst = |parse_one: &dyn Fn(&str)| {
        let peaks = pages.iter().map(|page| measure(|| parse_one(page)).peak);
        peaks.max().unwrap_or(0) as f64 / 1e6
    };
    row(
        "peak of live memory on its worst page, MB",
        worst(&|page| drop(with_rcdom(page))),
        worst(&|page| drop(with_carat(page))),
    );
}

/// Nested elements, which cost the tree builder the square of their depth unless the depth is capped.
fn nest() {
    let (shallow, deep) = ("<div>".repeat(10_000), "<div>".repeat(30_000));
    let [ten, thirty] = best_of([&|| drop(black_box(with_carat(&shallow))), &|| drop(black_box(with_carat(&deep)))]);
    let [uncapped] = best_of([&|| drop(black_box(with_rcdom(&deep)))]);
    println!();
    println!("30,000 nested <div>: {:.2} x the time of 10,000", ratio(thirty, ten));
    println!("30,000 nested <div>: {:.4} x the time of rcdom, which has no cap", ratio(thirty, uncapped));
}

/// A page of middling length written once, ten times and a hundred times behind one another.
fn repeat(pages: &[String]) {
    let mut by_length: Vec<&String> = pages.iter().collect();
    by_length.sort_by_key(|page| page.len());
    let page = by_length[by_length.len() / 2];
    let (ten, hundred) = (page.repeat(10), page.repeat(100));
    let times = best_of([&|| drop(black_box(with_carat(page))), &|| drop(black_box(with_carat(&ten))), &|| {
        drop(black_box(with_carat(&hundred)))
    }]);
    println!(
        "a page of {} bytes: 10 times it {:.1} x, 100 times it {:.1} x the time",
        page.len(),
        ratio(times[1], times[0]),
        ratio(times[2], times[0])
    );
}

fn row(what: &str, rcdom: f64, carat: f64) {
    println!("{what:<44} {rcdom:>10.2} {carat:>10.2} {:>6.2} x", carat / rcdom);
}

fn ratio(one: Duration, other: Duration) -> f64 {
    one.as_secs_f64() / other.as_secs_f64()
}

/// The least time of each of several works that take turns.
fn best_of<const WORKS: usize>(works: [&dyn Fn(); WORKS]) -> [Duration; WORKS] {
    let mut best = [Duration::MAX; WORKS];
    for _ in 0..ROUNDS {
        for (best, work) in best.iter_mut().zip(works) {
            *best = time_of(work).min(*best);
        }
    }
    best
}

/// Time on the processor as Linux accounts it; its clock ticks in milliseconds, so short works are
/// repeated. Elsewhere the time that passes.
fn time_of(work: &dyn Fn()) -> Duration {
    const LONG_ENOUGH: Duration = Duration::from_millis(200);
    let start = now();
    for repetitions in 1.. {
        work();
        let spent = now() - start;
        if spent >= LONG_ENOUGH {
            return spent / repetitions;
        }
    }
    unreachable!("the clock goes on")
}

fn now() -> Duration {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let accounted = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = accounted.and_then(|line| line.split(' ').next()?.parse().ok());
    match nanoseconds {
        Some(nanoseconds) => Duration::from_nanos(nanoseconds),
        None => START.get_or_init(Instant::now).elapsed(),
    }
}

/// What a work asked of the allocator.
struct Used {
    /// Allocations, and those that grew.
    allocations: usize,
    /// Bytes asked for; a reallocation counts with its growth.
    bytes: usize,
    /// The most bytes that were live at once, above those live at the start.
    peak: usize,
}

fn measure(work: impl FnOnce()) -> Used {
    for counter in [&ALLOCATIONS, &BYTES, &LIVE, &PEAK] {
        counter.store(0, Relaxed);
    }
    COUNTS.store(true, Relaxed);
    work();
    COUNTS.store(false, Relaxed);
    Used { allocations: ALLOCATIONS.load(Relaxed), bytes: BYTES.load(Relaxed), peak: PEAK.load(Relaxed) }
}

/// The system's allocator; while it counts, no other thread may work.
struct Counting;

static COUNTS: AtomicBool = AtomicBool::new(false);
static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);
static BYTES: AtomicUsize = AtomicUsize::new(0);
static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

fn count(asked: usize, given_back: usize) {
    if !COUNTS.load(Relaxed) {
        return;
    }
    if asked > 0 {
        ALLOCATIONS.fetch_add(1, Relaxed);
    }
    BYTES.fetch_add(asked.saturating_sub(given_back), Relaxed);
    let live = (LIVE.load(Relaxed) + asked).saturating_sub(given_back);
    LIVE.store(live, Relaxed);
    PEAK.fetch_max(live, Relaxed);
}

#[expect(unsafe_code, reason = "an allocator can be counted only from inside; every call is handed on as it came")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), 0);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        count(0, layout.size());
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size, layout.size());
        unsafe { System.realloc(place, layout, size) }
    }
}
