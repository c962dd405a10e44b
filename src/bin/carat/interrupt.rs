//! Ctrl-C: a run stops between two pages, tells where it stands, and goes on from there later.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::failure::Kind;
use crate::output::tell;

/// Whether something is under way that looks at [`INTERRUPTED`].
static RUNNING: AtomicBool = AtomicBool::new(false);
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Lets Ctrl-C end the program with its own exit code.
pub(crate) fn handle() {
    let handler = || {
        // Once more while the run is stopping, or outside of it: files are written whole or not at all.
        if INTERRUPTED.swap(true, Ordering::Relaxed) || !RUNNING.load(Ordering::Relaxed) {
            tell("interrupted");
            std::process::exit(Kind::Interrupted as i32);
        }
    };
    // Without a handler the program is ended by the system, which does no harm either.
    let _ = ctrlc::set_handler(handler);
}

/// A part of the program that stops by itself when it is interrupted.
pub(crate) struct Interruptible;

impl Interruptible {
    pub(crate) fn begin() -> Self {
        RUNNING.store(true, Ordering::Relaxed);
        Interruptible
    }

    pub(crate) fn is_interrupted(&self) -> bool {
        INTERRUPTED.load(Ordering::Relaxed)
    }
}

impl Drop for Interruptible {
    fn drop(&mut self) {
        RUNNING.store(false, Ordering::Relaxed);
    }
}
