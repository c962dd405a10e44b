//! The pages of a dataset: held in memory as an importer read them, read from page lists or made from a recipe when
//! they are asked for.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use rayon::prelude::*;

use super::error::DatasetError;
use super::manifest::Record;

/// Where records stand that are not held in memory: page lists, the rows of a table, a recipe.
pub(super) trait RecordSource: fmt::Debug + Send + Sync {
    /// Where one record stands.
    type Place: Copy + fmt::Debug + Send + Sync;

    /// The record at `place`.
    ///
    /// # Errors
    /// [`DatasetError`]: it cannot be read, or was changed after it was loaded.
    fn get(&self, place: Self::Place) -> Result<Record, DatasetError>;

    /// `fault` with the file and the line of the record at `place`, where it stands in one.
    fn located(&self, place: Self::Place, fault: DatasetError) -> DatasetError;

    /// The rank of the page at `place` in the order in which pages are read fastest; `None` where any order is as fast.
    fn reading_order(&self, _: Self::Place) -> Option<u64> {
        None
    }
}

/// The records of a dataset's pages, in dataset order. Those of page lists take 16 bytes a page, for they stay on the
/// disk; each is read and checked again when it is asked for.
#[derive(Clone, Debug)]
pub struct Records {
    /// Held, or somewhere else.
    source: Arc<dyn Kept>,
    golds: usize,
}

/// Records in an order, wherever they stand.
trait Kept: fmt::Debug + Send + Sync {
    fn len(&self) -> usize;
    fn get(&self, index: usize) -> Result<Arc<Record>, DatasetError>;
    fn located(&self, index: usize, fault: DatasetError) -> DatasetError;
    /// The rank of the page at `index` in the order in which pages are read fastest, if there is one.
    fn reading_order(&self, _: usize) -> Option<u64> {
        None
    }
    /// Those at `indexes`, in that order.
    fn chosen(&self, indexes: &[usize]) -> Arc<dyn Kept>;
}

/// As an importer read them.
#[derive(Debug)]
struct Held(Vec<Arc<Record>>);

impl Kept for Held {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn get(&self, index: usize) -> Result<Arc<Record>, DatasetError> {
        Ok(self.0[index].clone())
    }

    fn located(&self, _: usize, fault: DatasetError) -> DatasetError {
        fault
    }

    fn chosen(&self, indexes: &[usize]) -> Arc<dyn Kept> {
        Arc::new(Held(indexes.iter().map(|&index| self.0[index].clone()).collect()))
    }
}

/// Where they stand elsewhere.
#[derive(Debug)]
struct Placed<S: RecordSource> {
    source: Arc<S>,
    places: Box<[S::Place]>,
}

impl<S: RecordSource + 'static> Kept for Placed<S> {
    fn len(&self) -> usize {
        self.places.len()
    }

    fn get(&self, index: usize) -> Result<Arc<Record>, DatasetError> {
        self.source.get(self.places[index]).map(Arc::new)
    }

    fn located(&self, index: usize, fault: DatasetError) -> DatasetError {
        self.source.located(self.places[index], fault)
    }

    fn reading_order(&self, index: usize) -> Option<u64> {
        self.source.reading_order(self.places[index])
    }

    fn chosen(&self, indexes: &[usize]) -> Arc<dyn Kept> {
        let places = indexes.iter().map(|&index| self.places[index]).collect();
        Arc::new(Placed { source: self.source.clone(), places })
    }
}

impl From<Vec<Record>> for Records {
    fn from(records: Vec<Record>) -> Self {
        let golds = records.iter().filter(|record| record.gold.is_some()).count();
        Records { source: Arc::new(Held(records.into_iter().map(Arc::new).collect())), golds }
    }
}

impl Records {
    /// The records of `source` at `places`, `golds` of which have gold.
    pub(super) fn placed<S: RecordSource + 'static>(source: Arc<S>, places: Vec<S::Place>, golds: usize) -> Self {
        Records { source: Arc::new(Placed { source, places: places.into() }), golds }
    }

    /// Their number.
    pub fn len(&self) -> usize {
        self.source.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of those with gold.
    pub fn golds(&self) -> usize {
        self.golds
    }

    /// The record at `index`, which is below [`Records::len`].
    ///
    /// # Errors
    /// [`DatasetError`]: a page list that cannot be read, or was changed after it was loaded.
    pub fn get(&self, index: usize) -> Result<Arc<Record>, DatasetError> {
        self.source.get(index)
    }

    /// All of them, one by one; errors as those of [`Records::get`].
    pub fn iter(&self) -> impl Iterator<Item = Result<Arc<Record>, DatasetError>> {
        (0..self.len()).map(|index| self.get(index))
    }

    /// All of them, on several threads; errors as those of [`Records::get`].
    pub fn par_iter(&self) -> impl IndexedParallelIterator<Item = Result<Arc<Record>, DatasetError>> {
        (0..self.len()).into_par_iter().map(|index| self.get(index))
    }

    /// Sorts `indexes` into the order in which pages are read fastest; `false` where any order is as fast.
    pub(crate) fn sort_for_reading(&self, indexes: &mut [usize]) -> bool {
        let is_slow = indexes.first().is_some_and(|&index| self.source.reading_order(index).is_some());
        if is_slow {
            indexes.sort_by_cached_key(|&index| self.source.reading_order(index));
        }
        is_slow
    }

    /// Hands each record to `take`, in order, with what `make` makes of it. `make` runs on several threads;
    /// `at_a_time` records, one at least, are in memory with what was made of them.
    ///
    /// # Errors
    /// The first of `make` and `take` in the order of the records, whichever thread finds one first; and as
    /// [`Records::get`].
    pub fn for_each_made<T: Send, E: From<DatasetError> + Send>(
        &self,
        at_a_time: usize,
        make: impl Fn(&Record) -> Result<T, E> + Sync,
        mut take: impl FnMut(&Record, T) -> Result<(), E>,
    ) -> Result<(), E> {
        let make = |index| {
            let record = self.get(index)?;
            make(&record).map(|made| (record, made))
        };
        for first in (0..self.len()).step_by(at_a_time) {
            let some = first..self.len().min(first + at_a_time);
            let made: Vec<Result<(Arc<Record>, T), E>> = some.into_par_iter().map(make).collect();
            made.into_iter().try_for_each(|made| made.and_then(|(record, made)| take(&record, made)))?;
        }
        Ok(())
    }

    /// Keeps those that are `wanted`.
    ///
    /// # Errors
    /// As [`Records::get`].
    pub fn retain(&mut self, wanted: impl Fn(&Record) -> bool + Sync) -> Result<(), DatasetError> {
        self.retain_at(|_, record| wanted(record))
    }

    /// Keeps those that are `wanted`, which is also given the place of each.
    ///
    /// # Errors
    /// As [`Records::get`].
    pub fn retain_at(&mut self, wanted: impl Fn(usize, &Record) -> bool + Sync) -> Result<(), DatasetError> {
        let look = |(place, record): (usize, Result<Arc<Record>, _>)| {
            let record = record?;
            Ok(wanted(place, &record).then(|| record.gold.is_some()))
        };
        let kept: Vec<Option<bool>> = self.par_iter().enumerate().map(look).collect::<Result<_, DatasetError>>()?;
        let indexes: Vec<usize> = (0..kept.len()).filter(|&index| kept[index].is_some()).collect();
        self.source = self.source.chosen(&indexes);
        self.golds = kept.iter().flatten().filter(|has_gold| **has_gold).count();
        Ok(())
    }

    /// The same records, sorted by id. While they are sorted all ids are in memory.
    ///
    /// # Errors
    /// As [`Records::get`].
    pub fn sorted_by_id(&self) -> Result<Records, DatasetError> {
        let id = |(index, record): (usize, Result<Arc<Record>, _>)| Ok((Box::<str>::from(&*record?.id), index));
        let mut ids: Vec<(Box<str>, usize)> =
            self.par_iter().enumerate().map(id).collect::<Result<_, DatasetError>>()?;
        ids.par_sort_unstable();
        let order: Vec<usize> = ids.into_iter().map(|(_, index)| index).collect();
        Ok(Records { source: self.source.chosen(&order), golds: self.golds })
    }

    /// The first record whose id an earlier one has, given the hash of each id.
    pub(super) fn first_double(&self, hashes: &[u64]) -> Result<Option<usize>, DatasetError> {
        Ok(self.doubles(hashes)?.into_iter().min())
    }

    /// The records whose ids earlier ones have, given the hash of each id.
    pub(super) fn doubles(&self, hashes: &[u64]) -> Result<Vec<usize>, DatasetError> {
        let mut order: Vec<usize> = (0..hashes.len()).collect();
        order.sort_unstable_by_key(|&index| (hashes[index], index));
        let mut doubles = Vec::new();
        for same in order.chunk_by(|&one, &other| hashes[one] == hashes[other]).filter(|same| same.len() > 1) {
            // Different ids may have one hash.
            let mut ids = HashSet::new();
            for &index in same {
                if !ids.insert(self.get(index)?.id.clone()) {
                    doubles.push(index);
                }
            }
        }
        Ok(doubles)
    }

    /// The fault with the page list of the record at `index`, and with its line if it has none; as it is where an importer
    /// read the record.
    pub(super) fn located(&self, index: usize, fault: DatasetError) -> DatasetError {
        self.source.located(index, fault)
    }
}

#[cfg(test)]
mod tests {
    use crate::formats::code::Code;
    use std::fs;

    use tempfile::TempDir;

    use super::*;
    use crate::datasets::load::load_folder;

    const MANIFEST: &str = concat!(
        "format: 1\nname: demo\nversion: '1'\nlicence: {data: CC0-1.0, pages: CC0-1.0, redistribution: free}\n",
        "pages: [one.jsonl, none.jsonl, two.jsonl]\ndefaults: {kind: blog}\n",
    );
    const ONE: &str = "\u{FEFF}{\"id\":\"c\",\"html\":{\"text\":\"x\"}}\r\n\n{\"id\":\"a\",\"html\":{\"text\":\"y\"}}";
    const TWO: &str =
        "\n{\"id\":\"d\",\"html\":{\"text\":\"中\"},\"gold\":{\"text\":\"z\"}}\n{\"id\":\"b\",\"html\":\"b.html\"}\n";

    fn folder(one: &str, two: &str) -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        let files = [("dataset.yaml", MANIFEST), ("one.jsonl", one), ("none.jsonl", ""), ("two.jsonl", two)];
        files.iter().for_each(|(name, text)| fs::write(folder.path().join(name), text).unwrap());
        fs::write(folder.path().join("b.html"), "<p>b").unwrap();
        folder
    }

    fn ids(records: &Records) -> String {
        records.iter().map(|record| record.unwrap().id.clone()).collect()
    }

    #[test]
    fn records_are_found_again_in_any_order() {
        let folder = folder(ONE, TWO);
        let mut records = load_folder(folder.path()).unwrap().records;
        assert_eq!((ids(&records).as_str(), records.golds()), ("cadb", 1));
        assert!(records.iter().all(|record| record.unwrap().kind.as_deref() == Some("blog")));
        assert_eq!(records.get(2).unwrap().html.text(), Some("中"));
        assert_eq!(ids(&records.sorted_by_id().unwrap()), "abcd");
        records.retain(|record| record.id != "d").unwrap();
        assert_eq!((ids(&records).as_str(), records.golds()), ("cab", 0));
        let held: Vec<Record> = records.iter().map(|record| Record::clone(&record.unwrap())).collect();
        assert_eq!(ids(&Records::from(held).sorted_by_id().unwrap()), "abc");
    }

    #[test]
    fn faults_name_their_list_and_line() {
        let place = |one: &str, two: &str| {
            let folder = folder(one, two);
            let error = load_folder(folder.path()).unwrap_err();
            let file = error.file.rsplit('/').next().unwrap().to_owned();
            (error.code, file, error.line, error.page.unwrap_or_default())
        };
        let at = |code, file: &str, line, page: &str| (code, file.to_owned(), Some(line), page.to_owned());
        assert_eq!(place(ONE, &TWO.replace("\"d\"", "\"a\"")), at(Code::Id, "two.jsonl", 2, "a"));
        assert_eq!(place(&ONE.replace("\"a\"", "\"c\""), TWO), at(Code::Id, "one.jsonl", 3, "c"));
        assert_eq!(place(ONE, &TWO.replace("b.html", "gone.html")), at(Code::Missing, "two.jsonl", 3, "b"));
        assert_eq!(place(&ONE.replace("\"y\"", "3"), TWO), at(Code::Type, "one.jsonl", 3, "a"));
    }

    #[test]
    fn a_list_that_was_changed_is_told() {
        let folder = folder(ONE, TWO);
        let records = load_folder(folder.path()).unwrap().records;
        let path = folder.path().join("two.jsonl");
        let fault = |text: String| {
            fs::write(&path, text).unwrap();
            assert_eq!(records.get(1).unwrap().id, "a");
            records.get(3).map(|record| record.id.clone()).map_err(|error| (error.code, error.line))
        };
        for changed in [TWO.replace("b.html", "c.html"), TWO.replace("\"d\"", "\"dd\""), TWO.replace("}\n", "} \n")] {
            assert_eq!(fault(changed).unwrap_err().0, Code::Digest);
        }
        assert_eq!(fault(TWO.replace("\"b\"", "\"a\"")), Err((Code::Digest, Some(3))));
        assert_eq!(fault(TWO[..10].to_owned()).unwrap_err().0, Code::Digest);
        assert_eq!(fault(TWO.trim_end().to_owned()).unwrap(), "b");
        // Another list in its place, with the one that was read still open.
        records.get(3).unwrap();
        let other = folder.path().join("other");
        fs::write(&other, TWO.replace("b.html", "c.html")).unwrap();
        fs::rename(&other, &path).unwrap();
        assert_eq!(records.get(3).unwrap_err().code, Code::Digest);
        fs::remove_file(&path).unwrap();
        assert_eq!(records.get(3).unwrap_err().code, Code::Missing);
    }

    #[test]
    fn of_several_faults_the_first_is_told_once_all_before_it_are_taken() {
        let record = |id: &str| Record { id: id.to_owned(), ..Record::default() };
        let records: Records = ["a", "b", "c", "d", "e", "f"].map(record).to_vec().into();
        let mut taken = String::new();
        // The later one is found first.
        let make = |record: &Record| {
            if record.id == "c" {
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
            let fault = || DatasetError::new(Code::Type, &record.id, "wrong");
            if ["c", "e"].contains(&record.id.as_str()) { Err(fault()) } else { Ok(()) }
        };
        let fault = records.for_each_made(5, make, |record, ()| {
            taken.push_str(&record.id);
            Ok::<_, DatasetError>(())
        });
        assert_eq!((fault.unwrap_err().file.as_str(), taken.as_str()), ("c", "ab"));
    }

    #[test]
    fn ids_of_one_hash_are_told_apart() {
        let record = |id: &str| Record { id: id.to_owned(), ..Record::default() };
        let records: Records = ["a", "b", "c", "a", "b"].map(record).to_vec().into();
        assert_eq!(records.first_double(&[1, 1, 1, 2, 3]).unwrap(), None);
        assert_eq!(records.first_double(&[1, 1, 1, 1, 1]).unwrap(), Some(3));
        assert_eq!(records.first_double(&[2, 1, 3, 2, 1]).unwrap(), Some(3));
        assert_eq!(records.doubles(&[2, 1, 3, 2, 1]).unwrap(), [4, 3]);
    }
}
