use tempfile::TempDir;

use super::*;
use crate::datasets::Halt;
use crate::datasets::manifest::Details;
use crate::runs::configuration::{AlgorithmRequest, Configuration, NamedRequest};
use crate::runs::execute::execute;

fn plan(algorithm: &str) -> Plan {
    let configuration = Configuration {
        datasets: vec![NamedRequest::from_argument("portals")],
        algorithms: vec![AlgorithmRequest::from_argument(algorithm).unwrap()],
        ..Configuration::default()
    };
    Plan::new(configuration).unwrap()
}

/// The units of a run in `folder`, and how many of its pages they hold.
fn held(folder: &Path, plan: &Plan, executable: &str, texts: bool) -> usize {
    let units = Units::new(folder, plan, executable, texts).unwrap();
    let dataset = &plan.datasets[0];
    dataset.records.iter().filter(|record| units.holds(dataset, record.as_ref().unwrap()).unwrap()).count()
}

fn change_records(plan: &mut Plan, change: impl Fn(&mut Vec<Record>)) {
    let records = &mut plan.datasets[0].records;
    let mut changed: Vec<Record> = records.iter().map(|record| Record::clone(&record.unwrap())).collect();
    change(&mut changed);
    *records = changed.into();
}

fn write(folder: &Path, plan: &Plan) -> Vec<(Record, PageOutcome)> {
    let units = Units::new(folder, plan, "program", true).unwrap();
    let written = std::sync::Mutex::new(Vec::new());
    let write = |unit: &crate::runs::execute::Unit<'_>| {
        let (dataset, record) = unit.page();
        let (outcome, texts) = unit.run()?;
        written.lock().unwrap().push((record.clone(), outcome.clone()));
        units.write(dataset, record, &outcome, &texts).unwrap();
        Ok::<_, Halt>(())
    };
    execute(plan, &write).unwrap();
    written.into_inner().unwrap()
}

#[test]
fn what_is_written_reads_back() {
    let (folder, plan) = (tempfile::tempdir().unwrap(), plan("nta:coherence=exact"));
    let units = Units::new(folder.path(), &plan, "program", true).unwrap();
    for (record, outcome) in write(folder.path(), &plan) {
        assert_eq!(units.read(&plan.datasets[0], &record).unwrap(), outcome);
    }
}

#[test]
fn units_are_of_one_configuration_and_program() {
    let (folder, nta) = (tempfile::tempdir().unwrap(), plan("nta"));
    let pages = write(folder.path(), &nta).len();
    assert_eq!(held(folder.path(), &nta, "program", true), pages);
    assert_eq!(held(folder.path(), &nta, "another program", true), 0);
    assert_eq!(held(folder.path(), &nta, "program", false), 0);
    assert_eq!(held(folder.path(), &plan("nta:coherence=0.8"), "program", true), 0);
    let held_by = |change: &dyn Fn(&mut Plan)| {
        let mut other = plan("nta");
        change(&mut other);
        held(folder.path(), &other, "program", true)
    };
    assert_eq!(held_by(&|_| ()), pages);
    assert_eq!(held_by(&|plan| plan.configuration.comparison.measure = crate::scoring::Measure::Bag), 0);
    assert_eq!(held_by(&|plan| plan.configuration.comparison.tokens = crate::text::tokens::TokenKind::W), 0);
    assert_eq!(held_by(&|plan| plan.configuration.comparison.case = crate::text::tokens::Case::Fold), 0);
    assert_eq!(held_by(&|plan| plan.datasets[0].manifest.annotations = Some(Default::default())), 0);
    assert_eq!(held_by(&|plan| plan.datasets[0].manifest.name = "other".to_owned()), 0);
    assert_eq!(held(folder.path(), &plan("nta:density=exact"), "program", true), 0);
    for change in [
        (|record| record.language = Some("fr".to_owned())) as fn(&mut Record),
        |record| record.site = Some("elsewhere.org".to_owned()),
        |record| record.encoding = Some("utf-16le".to_owned()),
        |record| record.gold = None,
        |record| {
            record.details =
                Some(Box::new(Details { url: Some("https://elsewhere.org/".to_owned()), ..Details::default() }))
        },
    ] {
        let change = |records: &mut Vec<Record>| change(&mut records[0]);
        assert_eq!(held_by(&|plan| change_records(plan, change)), pages - 1);
    }
    // What a group algorithm says of one page depends on the others.
    let groups = tempfile::tempdir().unwrap();
    let mut unrepeated = plan("unrepeated-text");
    write(groups.path(), &unrepeated);
    assert_eq!(held(groups.path(), &unrepeated, "program", true), pages);
    change_records(&mut unrepeated, |records| drop(records.pop()));
    assert_eq!(held(groups.path(), &unrepeated, "program", true), 0);
}

/// Three small pages with their outcomes, and the units of them in a folder.
struct Small {
    pages: TempDir,
    run: TempDir,
    plan: Plan,
    outcomes: Vec<(Record, PageOutcome, Texts)>,
}

/// A folder that waits for no disk, where the system has one: thousands of runs are written into it.
fn folder_in_memory() -> TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

impl Small {
    fn new() -> Self {
        let pages = tempfile::tempdir().unwrap();
        for (name, text) in [("a", "one"), ("b", "two"), ("c", "three")] {
            let files =
                [(format!("html/{name}.html"), format!("<p>{text}")), (format!("gold/{name}.txt"), text.to_owned())];
            for (path, content) in files {
                let path = pages.path().join(path);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, content).unwrap();
            }
        }
        let configuration = Configuration {
            datasets: vec![NamedRequest::from_argument(pages.path().to_str().unwrap())],
            algorithms: vec![AlgorithmRequest::from_argument("all-text").unwrap()],
            ..Configuration::default()
        };
        Self::of(pages, Plan::new(configuration).unwrap())
    }

    /// The same of the pages of a plan.
    fn of(pages: TempDir, plan: Plan) -> Self {
        let outcomes = std::sync::Mutex::new(Vec::new());
        let unit = |unit: &crate::runs::execute::Unit<'_>| {
            let (outcome, texts) = unit.run()?;
            outcomes.lock().unwrap().push((unit.page().1.clone(), outcome, texts));
            Ok::<_, Halt>(())
        };
        execute(&plan, &unit).unwrap();
        let mut outcomes = outcomes.into_inner().unwrap();
        outcomes.sort_by(|a, b| a.0.id.cmp(&b.0.id));
        let small = Small { pages, run: folder_in_memory(), plan, outcomes };
        small.write_missing(&small.units("program"));
        small
    }

    fn units(&self, executable: &str) -> Units {
        Units::new(self.run.path(), &self.plan, executable, true).unwrap()
    }

    fn file(&self, name: &str) -> PathBuf {
        self.run.path().join("units").join(name)
    }

    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.run.path().join("units")).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Writes the units that are not there; gives the number of those that were.
    fn write_missing(&self, units: &Units) -> usize {
        let dataset = &self.plan.datasets[0];
        let mut held = 0;
        for (record, outcome, texts) in &self.outcomes {
            if units.holds(dataset, record).unwrap() {
                held += 1;
            } else {
                units.write(dataset, record, outcome, texts).unwrap();
            }
        }
        units.finish().unwrap();
        units.tidy(&self.plan).unwrap();
        held
    }

    /// Goes on with the run. Gives the number of units that were there and of those that were known to be lost, and if
    /// anything was wrong.
    fn go_on(&self) -> (usize, usize, bool) {
        let units = self.units("program");
        let faults = units.faults().unwrap();
        let held = self.write_missing(&units);
        self.assert_whole();
        (held, faults.as_ref().map_or(0, |faults| faults.lost), faults.is_some())
    }

    fn assert_whole(&self) {
        let stored = StoredUnits::open(self.run.path()).unwrap();
        for (record, outcome, texts) in &self.outcomes {
            let (of_unit, of_texts) = stored.page(self.plan.datasets[0].name(), &record.id).unwrap();
            assert_eq!((&of_unit, &of_texts), (outcome, texts), "{}", record.id);
        }
    }

    /// Where the records of heads and texts of each page stand in `00000.heads` and `00000.texts`.
    fn places(&self) -> Vec<[std::ops::Range<usize>; 2]> {
        let pack = Pack::open(&self.run.path().join("units"), true).unwrap();
        let heads = std::fs::read(self.file("00000.heads")).unwrap();
        let place = |entry: index::Entry| {
            let at = entry.at() as usize;
            let packed = u32::from_le_bytes(heads[at + 4..at + 8].try_into().unwrap()) as usize;
            let texts = pack.at::<IgnoredAny>(entry).unwrap().unwrap().head.texts.unwrap();
            [at..at + 20 + packed, texts.at as usize..(texts.at + texts.bytes) as usize]
        };
        pack.index.in_pair(0).into_iter().map(place).collect()
    }
}

#[test]
fn a_pair_that_is_cut_at_any_byte_is_gone_on_with() {
    let small = Small::new();
    let places = small.places();
    let whole = ["00000.heads", "00000.texts"].map(|name| std::fs::read(small.file(name)).unwrap());
    for file in 0..2 {
        let ends: Vec<usize> = places.iter().map(|place| place[file].end).collect();
        for cut in 0..whole[file].len() {
            let _ = std::fs::remove_dir_all(small.run.path().join("units"));
            std::fs::create_dir(small.run.path().join("units")).unwrap();
            std::fs::write(small.file("00000.heads"), &whole[0]).unwrap();
            std::fs::write(small.file("00000.texts"), &whole[1]).unwrap();
            std::fs::write(small.file(["00000.heads", "00000.texts"][file]), &whole[file][..cut]).unwrap();
            let expected = ends.iter().filter(|end| **end <= cut).count();
            let (held, lost, is_told) = small.go_on();
            assert_eq!(held, expected, "file {file} cut at {cut}");
            // Heads that end behind a record say nothing of what followed it.
            let is_between = file == 0 && (ends.contains(&cut) || cut == places[0][0].start);
            assert_eq!(is_told, !is_between, "file {file} cut at {cut}");
            if file == 1 {
                assert_eq!(lost, 3 - expected, "texts cut at {cut}");
            }
        }
    }
}

#[test]
fn every_flipped_bit_of_a_unit_is_found_and_the_unit_alone_is_made_again() {
    let small = Small::new();
    let places = small.places();
    let whole = ["00000.heads", "00000.texts"].map(|name| std::fs::read(small.file(name)).unwrap());
    for file in 0..2 {
        for bit in 8 * places[1][file].start..8 * places[1][file].end {
            std::fs::remove_dir_all(small.run.path().join("units")).unwrap();
            std::fs::create_dir(small.run.path().join("units")).unwrap();
            let mut flipped = whole.clone();
            flipped[file][bit / 8] ^= 1 << (bit % 8);
            std::fs::write(small.file("00000.heads"), &flipped[0]).unwrap();
            std::fs::write(small.file("00000.texts"), &flipped[1]).unwrap();
            assert_eq!(small.go_on(), (2, 1, true), "bit {bit} of file {file}");
        }
    }
}

/// Numbers below each of `ends`, which look random and are the same each time.
fn numbers(ends: impl Iterator<Item = usize>) -> impl Iterator<Item = usize> {
    let mut state = 1u64;
    ends.map(move |end| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) as usize) % end
    })
}

#[test]
fn of_two_hundred_flipped_bits_and_two_hundred_cuts_none_changes_an_outcome() {
    const TRIALS: usize = 200;
    let mut plan = plan("nta");
    change_records(&mut plan, |records| records.truncate(6));
    let small = Small::of(tempfile::tempdir().unwrap(), plan);
    let names = ["00000.heads", "00000.texts"];
    let whole = names.map(|name| std::fs::read(small.file(name)).unwrap());
    let damaged = |changed: &[Vec<u8>; 2]| {
        std::fs::remove_dir_all(small.run.path().join("units")).unwrap();
        std::fs::create_dir(small.run.path().join("units")).unwrap();
        names.iter().zip(changed).for_each(|(name, bytes)| std::fs::write(small.file(name), bytes).unwrap());
        // It compares every outcome and every text with what was written first.
        small.go_on()
    };
    let ends = (0..TRIALS).map(|trial| 8 * whole[trial % 2].len());
    for (trial, bit) in numbers(ends).enumerate() {
        let mut flipped = whole.clone();
        flipped[trial % 2][bit / 8] ^= 1 << (bit % 8);
        let (held, _, is_told) = damaged(&flipped);
        assert!(is_told && held <= 6, "bit {bit} of {}", names[trial % 2]);
    }
    let ends = (0..TRIALS).map(|trial| whole[trial % 2].len());
    for (trial, cut) in numbers(ends).enumerate() {
        let mut short = whole.clone();
        short[trial % 2].truncate(cut);
        let (held, _, is_told) = damaged(&short);
        // Heads that end behind a record are whole, and lack pages.
        assert!(is_told || held < 6, "{} cut at {cut}", names[trial % 2]);
    }
}

#[test]
fn of_two_units_of_a_page_the_later_counts_and_pairs_of_stale_units_go() {
    let mut small = Small::new();
    assert_eq!(small.names(), ["00000.heads", "00000.texts"]);
    assert_eq!(small.go_on(), (3, 0, false));
    assert_eq!(small.names(), ["00000.heads", "00000.texts"]);
    // Another program's.
    let units = small.units("another program");
    assert_eq!(small.write_missing(&units), 0);
    assert_eq!(small.names(), ["00001.heads", "00001.texts"]);
    small.assert_whole();
    // One page again, with another outcome: the pair is still more than half of use.
    small.outcomes[1].1.work.choices += 1;
    let (record, outcome, texts) = &small.outcomes[1];
    let units = small.units("another program");
    units.write(&small.plan.datasets[0], record, outcome, texts).unwrap();
    units.tidy(&small.plan).unwrap();
    small.assert_whole();
    assert_eq!(small.names(), ["00001.heads", "00001.texts"]);
    // Two of the three pages are no more of the run: the pair is written again with the other one.
    let size = std::fs::metadata(small.file("00001.texts")).unwrap().len();
    change_records(&mut small.plan, |records| records.truncate(1));
    small.outcomes.truncate(1);
    small.units("another program").tidy(&small.plan).unwrap();
    small.assert_whole();
    assert_eq!(small.names(), ["00002.heads", "00002.texts"]);
    assert!(std::fs::metadata(small.file("00002.texts")).unwrap().len() < size);
}

#[test]
fn a_pair_that_is_full_is_followed_by_another() {
    let small = Small::new();
    std::fs::remove_dir_all(small.run.path().join("units")).unwrap();
    let mut units = small.units("program");
    units.limits = Limits { bytes: [1, 1 << 30] };
    assert_eq!(small.write_missing(&units), 0);
    let names = |numbers: std::ops::Range<usize>| -> Vec<String> {
        numbers.flat_map(|number| ["heads", "texts"].map(|ending| format!("{number:05}.{ending}"))).collect()
    };
    assert_eq!(small.names(), names(0..3));
    small.assert_whole();
    assert_eq!(small.go_on(), (3, 0, false));
    // What is missing in the middle is written at the end.
    std::fs::remove_file(small.file("00001.heads")).unwrap();
    assert_eq!(small.go_on(), (2, 0, false));
    assert_eq!(small.names(), [&names(0..1)[..], &names(2..3)].concat());
    let mut places = Pack::open(&small.run.path().join("units"), true).unwrap().index.in_pair(2);
    assert_eq!(places.len(), 2);
    places.dedup();
    assert_eq!(places.len(), 2);
}

#[test]
fn files_of_others_are_left_alone_and_what_is_half_written_or_of_earlier_versions_goes() {
    let small = Small::new();
    let earlier = format!("{}.unit", crate::formats::digest::sha256(b"own\ta"));
    for name in [".tmp-carat-AbC", &earlier, "00007.texts", "notes.txt", "1.heads"] {
        std::fs::write(small.file(name), "x").unwrap();
    }
    assert_eq!(small.go_on(), (3, 0, false));
    assert_eq!(small.names(), ["00000.heads", "00000.texts", "1.heads", "notes.txt"]);
    assert!(small.pages.path().exists());
}
