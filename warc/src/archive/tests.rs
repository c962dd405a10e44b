use std::io::{Cursor, Write};

use super::*;

const LEFT: u64 = 1 << 20;

fn record(id: &str, block: &str) -> String {
    let length = block.len();
    format!(
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{id}>\r\nContent-Length: {length}\r\n\r\n{block}\r\n\r\n"
    )
}

fn gzip(text: &str) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(text.as_bytes()).unwrap();
    packed.finish().unwrap()
}

fn archive(bytes: &[u8], is_named_packed: bool) -> Archive {
    let bytes = bytes.to_vec();
    Archive::new(Box::new(move || Ok(Box::new(Cursor::new(bytes.clone())))), is_named_packed).unwrap()
}

fn text_of(record: &mut Record<'_>) -> String {
    let mut block = Vec::new();
    // What cannot be read is told once the record is read to its end.
    let _ = record.block.read_to_end(&mut block);
    format!("{}={}", record.header.id().unwrap_or_default(), String::from_utf8_lossy(&block))
}

/// The whole records with their places, and the places of what is broken with the sentences.
type Read = (Vec<(String, String)>, Vec<(String, String)>);

fn read(archive: &mut Archive, mut left: u64) -> Read {
    let (mut whole, mut broken) = (Vec::new(), Vec::new());
    let take = |place: Place, found: Result<String, Fault>| {
        match found {
            Ok(found) => whole.push((place.to_string(), found)),
            Err(fault) => broken.push((place.to_string(), fault.to_string())),
        }
        Ok::<_, ()>(())
    };
    archive.read(&mut left, text_of, take).unwrap();
    for (place, found) in &whole {
        assert_eq!(archive.record_at(place.parse().unwrap(), text_of).unwrap(), *found, "{place}");
    }
    (whole, broken)
}

/// The whole records of `bytes`, and what begins the sentences of what is broken.
fn both(bytes: &[u8]) -> (Vec<String>, Vec<(String, String)>) {
    let (whole, broken) = read(&mut archive(bytes, true), LEFT);
    (whole.into_iter().map(|(_, found)| found).collect(), broken)
}

fn three() -> [String; 3] {
    [record("a", "one"), record("b", "two\r\n\r\n"), record("c", "")]
}

const WHOLE: [&str; 3] = ["a=one", "b=two\r\n\r\n", "c="];

#[test]
fn records_are_read_packed_or_not_and_each_again_at_its_place() {
    let [a, b, c] = three();
    let plain = format!("{a}{b}{c}");
    let members = [gzip(&a), gzip(""), gzip(&b), gzip(&c)].concat();
    let many = gzip(&plain);
    let mixed = [gzip(&format!("{a}{b}")), gzip(&c)].concat();
    for bytes in [plain.as_bytes(), &members, &many, &mixed, plain.replace("\r\n\r\nWARC", "\n\nWARC").as_bytes()] {
        assert_eq!(both(bytes), (WHOLE.map(str::to_owned).to_vec(), Vec::new()));
    }
    // Without the empty lines at the end, and with plain line ends.
    let bare = plain.strip_suffix("\r\n\r\n").unwrap();
    assert_eq!(both(bare.as_bytes()).0, WHOLE);
    assert_eq!(both(&gzip(bare)).0, WHOLE);
    let lines = record("a", "one").replace("\r\n", "\n");
    assert_eq!(both(lines.repeat(2).as_bytes()), (vec!["a=one".to_owned(); 2], Vec::new()));
    let places: Vec<String> = read(&mut archive(&mixed, false), LEFT).0.into_iter().map(|(place, _)| place).collect();
    let behind = gzip(&format!("{a}{b}")).len();
    assert_eq!(places, ["0+0".to_owned(), format!("0+{}", a.len()), behind.to_string()]);
    assert_eq!(both(b""), (Vec::new(), Vec::new()));
}

#[test]
fn behind_what_is_broken_reading_goes_on() {
    let [a, b, c] = three();
    let packed = [&a, &b, &c].map(|record| gzip(record));
    let at = packed[0].len();
    let told = |bytes: &[u8], at: usize, says: &str, left: &[&str]| {
        let (whole, broken) = both(bytes);
        assert_eq!(whole, left, "{says}");
        let [(place, sentence)] = &broken[..] else { panic!("{broken:?}") };
        assert!(*place == at.to_string() && sentence.contains(says), "{place} {sentence}, not {at} {says}");
    };
    let outer = [WHOLE[0], WHOLE[2]];
    let mut flipped = packed.concat();
    flipped[at + packed[1].len() - 6] ^= 1;
    told(&flipped, at, "checksum", &outer);
    let junk = [&packed[0][..], b"junk \x1F\x8B\x08 more", &packed[1], &packed[2]].concat();
    told(&junk, at, "no gzip member begins here", &WHOLE);
    told(
        &[&packed[0][..], &packed[1], &packed[2], b"\0\0"].concat(),
        at + packed[1].len() + packed[2].len(),
        "no gzip",
        &WHOLE,
    );
    for broken in [b.replace("Content-Length: 7", "Content-Length: 8000"), b.replace("Length: 7", "Length: 2")] {
        let says = if broken.contains("8000") { "the file is cut" } else { "longer than" };
        told(&[packed[0].clone(), gzip(&broken), packed[2].clone()].concat(), at, says, &outer);
        told(format!("{a}{broken}{c}").as_bytes(), a.len(), says, &outer);
    }
    let version = b.replace("WARC/1.1", "WARC/0.9");
    told(format!("{a}{version}{c}").as_bytes(), a.len(), "of the version", &outer);
    told(&packed.concat()[..at + packed[1].len() - 3], at, "the file is cut", &WHOLE[..1]);
    told(&packed.concat()[..at + 1], at, "cut", &WHOLE[..1]);
    told(b"no record at all", 0, "no gzip member begins here", &[]);
}

#[test]
fn every_cut_keeps_the_records_before_it_and_tells_one_that_is_broken() {
    let [a, b, c] = three();
    let records = [a.as_str(), &b, &c];
    let plain = records.concat();
    let packed = records.map(gzip);
    for length in 0..plain.len() {
        let (whole, broken) = read(&mut archive(&plain.as_bytes()[..length], false), LEFT);
        // Where the empty lines at the end are cut the record is whole.
        let ends = [a.len(), a.len() + b.len(), plain.len()];
        let expected = ends.iter().filter(|&&end| end - 4 <= length).count();
        assert_eq!(whole.len(), expected, "{length}");
        let between = length == 0 || ends.iter().any(|&end| (end - 4..=end).contains(&length));
        assert_eq!(broken.len(), usize::from(!between), "{length}: {broken:?}");
    }
    for length in 0..packed.concat().len() {
        let (whole, broken) = both(&packed.concat()[..length]);
        let ends = [packed[0].len(), packed[0].len() + packed[1].len()];
        assert_eq!(whole.len(), ends.iter().filter(|&&end| end <= length).count(), "{length}");
        assert_eq!(broken.len(), usize::from(length != 0 && !ends.contains(&length)), "{length}: {broken:?}");
    }
    let many = gzip(&records.concat());
    for length in 1..many.len() {
        let (whole, broken) = both(&many[..length]);
        assert!(broken.len() == 1 && whole.iter().zip(WHOLE).all(|(found, known)| found == known), "{length}");
    }
}

#[test]
fn every_flipped_bit_is_told_or_changes_nothing() {
    let packed = three().map(|record| gzip(&record)).concat();
    for bit in 0..packed.len() * 8 {
        let mut flipped = packed.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        let (whole, broken) = both(&flipped);
        assert!(whole.iter().all(|found| WHOLE.contains(&found.as_str())), "{bit}: {whole:?}");
        assert!(whole.len() == 3 || !broken.is_empty(), "{bit}: {whole:?}");
        assert!(whole.len() + broken.len() >= 3, "{bit}: {whole:?} {broken:?}");
    }
}

#[test]
fn members_of_many_records_are_bounded_together() {
    let [a, b, _] = three();
    let bytes = [gzip(&format!("{a}{b}")), gzip(&format!("{a}{b}"))].concat();
    let length = (a.len() + b.len()) as u64;
    assert_eq!(read(&mut archive(&bytes, true), 2 * length).0.len(), 4);
    let mut faults = Vec::new();
    let take = |place: Place, found: Result<String, Fault>| {
        faults.extend(found.err().map(|fault| (place, matches!(fault, Fault::TooMuch))));
        if faults.is_empty() { Ok(()) } else { Err("ended") }
    };
    let mut left = 2 * length - 1;
    assert_eq!(archive(&bytes, true).read(&mut left, text_of, take), Err("ended"));
    assert_eq!(faults, [(Place::at(bytes.len() as u64 / 2), true)]);
}

#[test]
fn a_system_that_is_in_the_way_is_no_fault_of_the_file() {
    struct Failing(Cursor<Vec<u8>>);
    impl io::Read for Failing {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            match self.0.read(buffer)? {
                0 => Err(io::Error::from_raw_os_error(5)),
                length => Ok(length),
            }
        }
    }
    impl Seek for Failing {
        fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
            self.0.seek(to)
        }
    }
    for bytes in [record("a", "one").into_bytes(), gzip(&record("a", "one"))] {
        let mut archive =
            Archive::new(Box::new(move || Ok(Box::new(Failing(Cursor::new(bytes.clone()))))), true).unwrap();
        let take = |_, found: Result<String, Fault>| match found {
            Err(Fault::System(error)) => Err(error.raw_os_error()),
            _ => Ok(()),
        };
        assert_eq!(archive.read(&mut LEFT.clone(), text_of, take), Err(Some(5)));
    }
}
