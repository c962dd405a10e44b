//! Pages that have another id in a run than in its baseline. Ids of a folder's pages become paths as soon as two pages have
//! one name, and a page is the same by whatever name it is called.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;

use super::snapshot::Snapshot;

/// The pages of a dataset that have another id than in the baseline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RenamedPages {
    /// The dataset's name.
    pub dataset: String,
    /// The id in the baseline and that in the run, of each page.
    pub pages: Vec<[String; 2]>,
}

/// The baseline with the ids of `run`, and the pages that had others.
pub(super) fn with_ids_of<'b>(baseline: &'b Snapshot, run: &Snapshot) -> (Cow<'b, Snapshot>, Vec<RenamedPages>) {
    let renamed = renamed(baseline, run);
    let baseline = match renamed.is_empty() {
        true => Cow::Borrowed(baseline),
        false => Cow::Owned(baseline.with_new_ids(&renamed)),
    };
    (baseline, renamed)
}

/// The pages of `baseline` that have another id in `run`: neither has the id of the other, and each is the only page there
/// with its bytes and its gold that is called otherwise. There are none where digests are not known.
fn renamed(baseline: &Snapshot, run: &Snapshot) -> Vec<RenamedPages> {
    let (before, now) = (alone(baseline, run), alone(run, baseline));
    let mut renamed: BTreeMap<&str, Vec<[String; 2]>> = BTreeMap::new();
    for (key, pages) in &before {
        if let ([old], Some([new])) = (&pages[..], now.get(key).map(Vec::as_slice)) {
            renamed.entry(key.0).or_default().push([*old, *new].map(str::to_owned));
        }
    }
    let of_dataset = |(dataset, mut pages): (&str, Vec<[String; 2]>)| {
        pages.sort();
        RenamedPages { dataset: dataset.to_owned(), pages }
    };
    renamed.into_iter().map(of_dataset).collect()
}

/// The pages of `own` whose ids `other` lacks, by dataset and digest.
fn alone<'s>(own: &'s Snapshot, other: &Snapshot) -> BTreeMap<(&'s str, &'s str), Vec<&'s str>> {
    let mut pages: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for (page, digest) in own.digests.iter().filter(|(page, _)| !other.digests.contains_key(page)) {
        pages.entry((&page.0, digest)).or_default().push(&page.1);
    }
    pages
}

impl Snapshot {
    /// The same, with the new ids of `renamed`.
    fn with_new_ids(&self, renamed: &[RenamedPages]) -> Snapshot {
        let mut named = self.clone();
        for RenamedPages { dataset, pages } in renamed {
            for [old, new] in pages {
                for row in named.rows.iter_mut().filter(|row| row.dataset == *dataset) {
                    if let Some(mut score) = row.scores.remove(old) {
                        // A page without a site is one by itself.
                        if score.site == *old {
                            score.site.clone_from(new);
                        }
                        row.scores.insert(new.clone(), score);
                    }
                    if let Some(texts) = &mut row.texts
                        && let Some(text) = texts.remove(old)
                    {
                        texts.insert(new.clone(), text);
                    }
                }
                if let Some(digest) = named.digests.remove(&(dataset.clone(), old.clone())) {
                    named.digests.insert((dataset.clone(), new.clone()), digest);
                }
            }
        }
        named
    }
}
