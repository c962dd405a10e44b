//! The codes of errors, and what each means for the program's exit.

use std::fmt;

use serde::{Serialize, Serializer};

/// The kind of an error, as the dataset format names it: `E-KEY`. Scripts tell errors apart by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Code {
    /// A number of pages, files or columns that should be another.
    Count,
    /// Bytes that are not those of their digest: they were changed or damaged.
    Digest,
    /// Bytes that are no text of their encoding.
    Encoding,
    /// A server that does not give what was asked of it.
    Fetch,
    /// A version of the format that this program does not read, or no such format.
    Format,
    /// A pattern of paths or hosts that is wrong.
    Glob,
    /// Bytes of a gold that are no text.
    GoldBytes,
    /// An id that is missing, given twice, or no id.
    Id,
    /// The system is in the way: nothing is wrong with the file.
    Io,
    /// A key that is unknown or missing.
    Key,
    /// A file that is not there.
    Missing,
    /// An option that the importer does not have, or that goes with no other: the request is wrong.
    Option,
    /// A page that there is not.
    Page,
    /// A path that leads out of its folder, or is none.
    Path,
    /// A selector that is wrong.
    Selector,
    /// More bytes, lines or values than are read.
    Size,
    /// A stored output that is wrong.
    Stored,
    /// A recipe that cannot be made.
    Synth,
    /// A value of another type, or out of its range.
    Type,
    /// A name that nothing has: the request is wrong.
    Unknown,
    /// A layout of others that is not as its authors describe it.
    Upstream,
    /// A record of a WARC file that is broken.
    Warc,
    /// A file that cannot be written.
    Write,
}

impl Code {
    /// As it is told.
    pub fn name(self) -> &'static str {
        match self {
            Code::Count => "E-COUNT",
            Code::Digest => "E-DIGEST",
            Code::Encoding => "E-ENCODING",
            Code::Fetch => "E-FETCH",
            Code::Format => "E-FORMAT",
            Code::Glob => "E-GLOB",
            Code::GoldBytes => "E-GOLD-BYTES",
            Code::Id => "E-ID",
            Code::Io => "E-IO",
            Code::Key => "E-KEY",
            Code::Missing => "E-MISSING",
            Code::Option => "E-OPTION",
            Code::Page => "E-PAGE",
            Code::Path => "E-PATH",
            Code::Selector => "E-SELECTOR",
            Code::Size => "E-SIZE",
            Code::Stored => "E-STORED",
            Code::Synth => "E-SYNTH",
            Code::Type => "E-TYPE",
            Code::Unknown => "E-UNKNOWN",
            Code::Upstream => "E-UPSTREAM",
            Code::Warc => "E-WARC",
            Code::Write => "E-WRITE",
        }
    }

    /// What the program ends with.
    pub fn exit(self) -> Exit {
        match self {
            Code::Option | Code::Unknown => Exit::Request,
            Code::Fetch | Code::Io | Code::Write => Exit::System,
            _ => Exit::Data,
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// How the program ends; the number is the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// clap has printed help or a version.
    Nothing = 0,
    /// What was checked or judged is not as it should be.
    Check = 1,
    /// Arguments or configuration.
    Request = 2,
    /// Manifest, missing file, gold.
    Data = 3,
    /// Disk full, read-only, permission, a server.
    System = 4,
    /// A defect of carat.
    Defect = 5,
    /// Ctrl-C: 128 and the signal's number, as shells count it.
    Interrupted = 130,
}
