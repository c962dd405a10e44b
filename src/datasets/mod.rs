//! Datasets: page lists, pages with their gold, and where they come from.
//!
//! The format comes first: `manifest_file.rs` reads `dataset.yaml`, its key `format` before all others, and [`load`] reads a
//! folder of the format. A load ends at the first fault, or, where [`load::Loading::keep_going`] asks for it, notes each
//! and leaves its page out. Gold outside of the dataset's folder is read only if the command line allows it.
//! [`import`] reads the layouts of others, [`stored`] extractions that other programs made earlier. [`check`], [`synth`]
//! and `pull` are tools on top: they look for faults, make pages, and fetch public sets.
//!
//! Page lists stay on the disk. [`records::Records`] keeps 24 bytes per page: the place of its line, the line's hash and
//! the hash of its id. A record is read and checked whenever it is asked for; a line that changed since the dataset was
//! loaded ends the run (`E-DIGEST`). Only what an importer read is held, 400 bytes to 1 KB per page.

pub mod annotation;
pub mod check;
pub mod claim;
#[cfg(feature = "command-line")]
pub(crate) mod croissant;
mod dataset;
mod digests;
mod dropped;
mod error;
mod gold_source;
pub mod import;
mod limits;
pub mod load;
pub mod locate;
pub mod manifest;
mod manifest_file;
pub mod node_gold;
pub(crate) mod node_tokens;
mod note;
pub mod page_id;
mod page_list;
mod paths;
#[cfg(feature = "pull")]
pub mod pull;
pub mod records;
pub mod roles;
mod root;
#[cfg(feature = "command-line")]
pub(crate) mod schema;
pub mod site;
pub mod stored;
mod stored_files;
pub mod synth;
mod unnamed_golds;
mod unread;
pub(crate) mod words;

pub use self::dataset::{Dataset, Opened, Readings};
pub(in crate::datasets) use self::digests::hash;
pub use self::digests::{DatasetDigest, Digests};
pub use self::dropped::{Dropped, LostLines};
pub use self::error::{DatasetError, Halt};
pub use self::import::catalog;
pub(in crate::datasets) use self::limits::MAX_LINE_BYTES;
pub use self::limits::MAX_PAGE_BYTES;
pub use self::note::Note;
pub use self::paths::check_path;
pub(in crate::datasets) use self::paths::{file_names, files_below, is_relative, not_there, percent_decoded, shown};
pub(crate) use self::root::decompress;
