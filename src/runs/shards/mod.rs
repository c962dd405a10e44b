//! Runs in parts: which pages are of which shard, what a shard leaves behind, and how shards become one run.
//!
//! Every shard makes the same plan over the whole page list. A page is in shard `1 + floor(h * N / 2^64)` of N, where `h` is
//! the first 8 bytes, the greatest first, of the SHA-256 of `dataset TAB unit`. The unit is the page's id, or its site if
//! a row has to see whole sites. All figures follow from the units of the pages in dataset order, so that a merged run
//! differs in no byte of them from one that was made at once.

mod checks;
mod file;
mod sources;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

pub(crate) use self::checks::{Checked, Merging, checked};
pub(crate) use self::file::{ShardInfo, page_list, plan_digest};
pub(crate) use self::sources::{MergeError, Source};
use super::configuration::RequestError;
use super::plan::Plan;
use super::system::{Row, Sees};
use crate::datasets::DatasetError;
use crate::datasets::manifest::Record;

/// One of several parts of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Shard {
    /// Counted from 1.
    pub(crate) number: u32,
    /// The number of shards.
    pub(crate) of: u32,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        match numbers {
            Some((number, of)) if 1 <= number && number <= of => Ok(Shard { number, of }),
            _ => Err("expected I/N, such as 3/8, with I from 1 to N".to_owned()),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

/// The pages that are kept together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum By {
    /// Each page may be in another shard.
    Page,
    /// All pages of a site are in one shard.
    Site,
}

impl fmt::Display for By {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            By::Page => "page",
            By::Site => "site",
        })
    }
}

impl By {
    /// The pages that the rows of `plan` need together.
    ///
    /// # Errors
    /// [`RequestError`]: a row that needs whole datasets.
    pub(crate) fn of(plan: &Plan) -> Result<Self, RequestError> {
        let rows = plan.systems().chain(plan.sweeps.iter().map(|sweep| &sweep.row));
        // What learns from other datasets finds all of them in every shard.
        let rows: Vec<&Row> = rows.filter(|row| row.system.trained_on().is_empty()).collect();
        if let Some(row) = rows.iter().find(|row| row.system.sees() == Sees::Dataset) {
            let values = row.system.values();
            let key = ["scope", "group"].into_iter().find(|key| values.contains_key(*key));
            let way = key.map_or("leave it out".to_owned(), |key| format!("give it {key}=site"));
            return Err(RequestError::Argument(format!(
                "`{}` learns from all pages of a dataset, and a shard has only some of them: {way}, or run without --shard",
                row.name()
            )));
        }
        Ok(if rows.iter().any(|row| row.system.sees() == Sees::Site) { By::Site } else { By::Page })
    }

    /// The number of the shard of `of` that the page is in.
    pub(crate) fn shard_of(self, of: u32, dataset: &str, record: &Record) -> u32 {
        let unit = match self {
            By::Page => &record.id,
            By::Site => record.site_or_id(),
        };
        let digest = Sha256::new().chain_update(dataset).chain_update("\t").chain_update(unit).finalize();
        let h = digest[..8].iter().fold(0u128, |h, &byte| (h << 8) | u128::from(byte));
        1 + ((h * u128::from(of)) >> 64) as u32
    }
}

/// The pages of `plan` that are in a shard.
///
/// # Errors
/// [`DatasetError`]: a page list that cannot be read any more, or was changed.
pub(crate) fn part(plan: &Plan, shard: Shard, by: By) -> Result<Plan, DatasetError> {
    plan.part(|dataset, record| by.shard_of(shard.of, dataset, record) == shard.number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_read_as_they_are_written() {
        let shard: Shard = "3/8".parse().unwrap();
        assert_eq!((shard.number, shard.of, shard.to_string().as_str()), (3, 8, "3/8"));
        assert!("1/1".parse::<Shard>().is_ok());
        for wrong in ["", "3", "0/8", "9/8", "1/0", "-1/2", "1/2/3", "a/b", "1.0/2", "1/99999999999"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn each_page_is_in_the_shard_that_its_digest_says() {
        let record =
            |id: &str, site: &str| Record { id: id.to_owned(), site: Some(site.to_owned()), ..Record::default() };
        // `printf 'd\tp' | sha256sum` begins with 438f6b10 and `printf 'd\ts' | sha256sum` with 8c5937a1.
        let page = record("p", "s");
        for of in [1, 2, 3, 7, 1000] {
            for by in [By::Page, By::Site] {
                let number = by.shard_of(of, "d", &page);
                assert!((1..=of).contains(&number));
            }
        }
        assert_eq!(By::Site.shard_of(1000, "d", &page), By::Site.shard_of(1000, "d", &record("q", "s")));
        assert_eq!(By::Page.shard_of(1000, "d", &page), 264);
        assert_eq!(By::Site.shard_of(1000, "d", &page), 549);
    }
}
