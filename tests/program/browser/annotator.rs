//! Gold by keys alone: the fewest marks and keys that make the gold of made pages, and a scripted person who presses them.

use std::collections::{HashMap, VecDeque};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use super::driver::Browser;
use crate::support::{Folder, check};

const ENTER: char = '\u{E007}';
const SHIFT: char = '\u{E008}';

type Run = [usize; 2];

/// The server of the screen; ended when dropped.
struct Serving {
    child: Child,
    address: String,
    token: String,
}

impl Serving {
    fn begin(folder: &Folder, arguments: &str) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_carat"))
            .args(arguments.split(' '))
            .current_dir(folder.path("."))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut address = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut address).unwrap();
        let address = address.trim().to_owned();
        let token = address.split_once("#t=").unwrap().1.to_owned();
        Serving { child, address, token }
    }

    fn get(&self, path: &str) -> Json {
        let host = self.address.strip_prefix("http://").unwrap().split('/').next().unwrap();
        let mut stream = TcpStream::connect(host).unwrap();
        let fields = format!("Host: {host}\r\nAuthorization: Bearer {}\r\nConnection: close", self.token);
        write!(stream, "GET /api/{path} HTTP/1.1\r\n{fields}\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A page as the screen moves over it.
struct Screen {
    targets: Vec<Run>,
    lines: Vec<Run>,
    line_of: Vec<usize>,
    /// True of lines of 40 characters or more.
    is_long: Vec<bool>,
    is_gold: Vec<bool>,
}

/// A mark of the fewest: a run, and true if it is content.
type Mark = (Run, bool);

impl Screen {
    fn of(page: &Json, gold: &Json) -> Self {
        let runs = |name: &Json| -> Vec<Run> { serde_json::from_value(name.clone()).unwrap() };
        let chars: Vec<usize> = serde_json::from_value(page["chars"].clone()).unwrap();
        let lines = runs(&page["lines"]);
        let is_long = lines.iter().map(|&[a, b]| chars[a..=b].iter().sum::<usize>() >= 40).collect();
        let mut line_of = vec![0; chars.len()];
        lines.iter().enumerate().for_each(|(line, &[a, b])| line_of[a..=b].fill(line));
        let mut is_gold = vec![false; chars.len()];
        runs(gold).iter().for_each(|&[a, b]| is_gold[a..=b].fill(true));
        Screen { targets: runs(&page["targets"]), lines, line_of, is_long, is_gold }
    }

    /// The fewest marks that make the gold within the target at `place`, where the text around it is not gold, and where it is; and
    /// the place behind it.
    fn fewest(&self, place: usize) -> ([Vec<Mark>; 2], usize) {
        let run @ [first, last] = self.targets[place];
        let (mut sums, mut next) = ([Vec::new(), Vec::new()], place + 1);
        if self.targets.get(next).is_none_or(|inner| inner[1] > last) {
            let wrong = usize::from(!self.is_gold[first]);
            sums[wrong].push((run, wrong == 0));
            return (sums, next);
        }
        while self.targets.get(next).is_some_and(|inner| inner[1] <= last) {
            let (found, behind) = self.fewest(next);
            sums.iter_mut().zip(found).for_each(|(sum, more)| sum.extend(more));
            next = behind;
        }
        let best = |inherited: usize| match &sums {
            sums if sums[inherited].len() <= 1 + sums[1 - inherited].len() => sums[inherited].clone(),
            sums => [&[(run, inherited == 0)][..], &sums[1 - inherited][..]].concat(),
        };
        ([best(0), best(1)], next)
    }

    fn marks(&self) -> Vec<Mark> {
        let (mut marks, mut place) = (Vec::new(), 0);
        while place < self.targets.len() {
            let ([found, _], next) = self.fewest(place);
            marks.extend(found);
            place = next;
        }
        marks.sort_unstable();
        marks
    }

    /// The choice that a key makes of another.
    fn step(&self, [first, last]: Run, key: char) -> Option<Run> {
        let [top, bottom] = [first, last].map(|node| self.line_of[node]);
        let line = |line: usize| self.lines.get(line).copied();
        match key {
            'j' => line(bottom + 1),
            'k' => line(top.checked_sub(1)?),
            'l' => line((bottom + 1..self.lines.len()).find(|&line| self.is_long[line])?),
            'h' => line((0..top).rev().find(|&line| self.is_long[line])?),
            'p' => {
                let holds = |run: &&Run| run[0] <= first && last <= run[1] && **run != [first, last];
                self.targets.iter().filter(holds).min_by_key(|run| run[1] - run[0]).copied()
            }
            'J' => Some([self.lines[top][0], line(bottom + 1)?[1]]),
            _ => Some([self.lines[top][0], line(bottom.checked_sub(1).filter(|bottom| *bottom >= top)?)?[1]]),
        }
    }

    /// The fewest keys from one choice to another.
    fn way(&self, from: Run, to: Run) -> Option<String> {
        let mut known = HashMap::from([(from, String::new())]);
        let mut open = VecDeque::from([from]);
        while let Some(choice) = open.pop_front() {
            let keys = known[&choice].clone();
            if choice == to {
                return Some(keys);
            }
            for key in "jklhpJK".chars() {
                let Some(next) = self.step(choice, key).filter(|next| !known.contains_key(next)) else { continue };
                known.insert(next, format!("{keys}{key}"));
                open.push_back(next);
            }
        }
        None
    }

    /// The fewest targets that make up a run.
    fn cover(&self, [first, last]: Run) -> Vec<Run> {
        let (mut cover, mut node) = (Vec::new(), first);
        while node <= last {
            let fits = self.targets.iter().filter(|run| run[0] == node && run[1] <= last);
            let run = *fits.max_by_key(|run| run[1]).unwrap();
            cover.push(run);
            node = run[1] + 1;
        }
        cover
    }

    /// The keys that make the gold. Marks side by side are made at once where the screen marks a choice by them.
    fn keys(&self) -> String {
        let (mut keys, mut at, all) = (String::new(), self.lines[0], self.marks());
        let mut marks = &all[..];
        while let Some(&([first, _], label)) = marks.first() {
            let together = (1..=marks.len()).rev().find_map(|count| {
                let group = &marks[..count];
                let run = [first, group[count - 1].0[1]];
                let is_one = group.iter().all(|mark| mark.1 == label)
                    && self.cover(run).iter().eq(group.iter().map(|mark| &mark.0));
                Some((count, run, self.way(at, run)?)).filter(|_| is_one)
            });
            let (count, run, way) = together.unwrap();
            keys += &format!("{way}{}", if label { '1' } else { '2' });
            at = self.lines.get(self.line_of[run[1]] + 1).copied().unwrap_or(run);
            marks = &marks[count..];
        }
        keys
    }
}

/// The embedded pages with their gold nodes, and these by page; two pages whose gold no nodes give are left out.
fn portals() -> (Folder, HashMap<String, Json>) {
    let folder = Folder::new();
    check(&folder, "dataset export portals --out portals", 0, &[]);
    check(&folder, "dataset annotate ./portals --from-gold --out nodes", 0, &[]);
    let lines = folder.read("nodes/pages.jsonl");
    let records = lines.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
    let exact = records.filter(|record| {
        let f1 = &record["gold"]["f1"];
        f1.is_array() && f1[0] == f1[1]
    });
    let golds = exact.map(|record| (record["id"].as_str().unwrap().to_owned(), record["gold"]["nodes"].clone()));
    (folder, golds.collect())
}

fn median_and_ninth_decile(mut counts: Vec<usize>) -> [usize; 2] {
    counts.sort_unstable();
    [counts[counts.len() / 2], counts[counts.len() * 9 / 10]]
}

#[test]
fn a_page_of_portals_needs_few_marks() {
    let (folder, golds) = portals();
    let serving = Serving::begin(&folder, "annotate ./nodes --by li --prefill none");
    let marks = |(id, gold): (&String, &Json)| Screen::of(&serving.get(&format!("pages/{id}")), gold).marks().len();
    let [median, most] = median_and_ninth_decile(golds.iter().map(marks).collect());
    println!("fewest marks on {} pages: median {median}, ninth decile {most}", golds.len());
    assert!(golds.len() > 140 && median <= 3 && most <= 8, "{median} {most}");
}

/// Presses keys, one after the other; a capital letter with Shift.
fn press(browser: &Browser, keys: &str) {
    let key = |key: char| {
        let of = |kind: &str, key: char| json!({"type": kind, "value": key.to_string()});
        let plain = [of("keyDown", key), of("keyUp", key)];
        match key.is_ascii_uppercase() {
            true => [&[of("keyDown", SHIFT)][..], &plain[..], &[of("keyUp", SHIFT)][..]].concat(),
            false => plain.to_vec(),
        }
    };
    let actions: Vec<Json> = keys.chars().flat_map(key).collect();
    let body = json!({"actions": [{"type": "key", "id": "keys", "actions": actions}]});
    browser.post(&format!("/session/{}/actions", browser.session), &body);
}

fn wait(browser: &Browser, script: &str) {
    let begun = Instant::now();
    while browser.ask(script) != json!(true) {
        assert!(begun.elapsed() < Duration::from_secs(60), "never true: {script}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn keys_alone_make_the_gold_of_twenty_pages() {
    const PAGES: usize = 20;
    let (folder, golds) = portals();
    let profile = tempfile::tempdir().unwrap();
    let Some(browser) = Browser::open(profile.path()) else { return };
    let serving = Serving::begin(&folder, &format!("annotate ./nodes --by li --prefill none --sample {PAGES}"));
    browser.post(&format!("/session/{}/url", browser.session), &json!({"url": serving.address}));
    let listed = serving.get("pages")["pages"].clone();
    let ids: Vec<&str> = listed.as_array().unwrap().iter().map(|page| page["id"].as_str().unwrap()).collect();
    let mut counts = Vec::new();
    for (place, id) in ids.iter().enumerate() {
        wait(&browser, &format!("return document.body.dataset.page === '{id}'"));
        let keys = Screen::of(&serving.get(&format!("pages/{id}")), &golds[*id]).keys();
        press(&browser, &keys);
        // Once more where text was never on the screen.
        let is_done = |serving: &Serving| serving.get("pages")["pages"][place]["status"] == "done";
        let mut enters = 0;
        while !is_done(&serving) {
            press(&browser, &ENTER.to_string());
            enters += 1;
            assert!(enters <= 3, "{id}");
            let told = "const said = document.getElementById('said').textContent; return said.length > 0";
            wait(&browser, told);
            std::thread::sleep(Duration::from_millis(300));
        }
        counts.push(keys.len() + enters);
    }
    let [median, most] = median_and_ninth_decile(counts);
    println!("keys per page on {PAGES} pages: median {median}, ninth decile {most}");
    assert!(median <= 25, "{median}");
    drop(serving);
    check(&folder, "annotate ./nodes --write", 0, &["20 pages written", "F1 of the two 1.0000"]);
    let written = folder.read("nodes/pages.jsonl");
    let records: Vec<Json> = written.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of_li: Vec<&Json> = records.iter().filter(|record| record["x-annotation"]["by"] == json!(["li"])).collect();
    assert_eq!(of_li.len(), PAGES);
    of_li.iter().for_each(|record| assert_eq!(record["gold"]["nodes"], golds[record["id"].as_str().unwrap()]));
}
