//! The program that the command line runs in, where that is not `carat` itself: what it is told, and how it stops a run.

use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// A program, such as Python's interpreter, that carries commands out in its own process.
pub trait Host: Send + Sync {
    /// Takes a sentence that `carat` would tell on stderr.
    fn tell(&self, sentence: &str);

    /// Takes what `carat` would print.
    fn print(&self, text: &str);

    /// True once the user wants the run to end.
    fn is_interrupted(&self) -> bool;

    /// Takes the number of pages that are done, and of all.
    fn progress(&self, done: u64, pages: u64);
}

thread_local! {
    /// The host of the command that this thread works for.
    static HOST: RefCell<Option<Arc<dyn Host>>> = const { RefCell::new(None) };
}

/// The file that the code lies in, where that is not the program of the process.
static EXECUTABLE: OnceLock<PathBuf> = OnceLock::new();

/// The host of the command that this thread works for; `None` in `carat` itself.
pub(super) fn host() -> Option<Arc<dyn Host>> {
    HOST.with_borrow(Clone::clone)
}

/// Lets this thread work for `host` until what is returned is dropped.
pub(super) fn work_for(host: Option<Arc<dyn Host>>) -> Working {
    Working(HOST.replace(host))
}

/// A thread that works for a host.
pub(super) struct Working(Option<Arc<dyn Host>>);

impl Drop for Working {
    fn drop(&mut self) {
        HOST.set(self.0.take());
    }
}

/// Says in which file the code lies, where that is not the program of the process: units of an earlier build must not pass
/// for those of this one. Only the first word counts.
pub fn set_executable(path: PathBuf) {
    let _ = EXECUTABLE.set(path);
}

/// The file that the code lies in, if [`set_executable`] said so.
pub(super) fn executable() -> Option<&'static PathBuf> {
    EXECUTABLE.get()
}
