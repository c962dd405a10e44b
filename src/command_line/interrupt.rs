//! Ctrl-C and SIGTERM: a run stops between two pages, tells where it stands, and goes on from there later. No external
//! program outlives it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::formats::code::Exit;
use crate::runs::doors::external::kill_all;

use crate::command_line::host::{Host, host};
use crate::command_line::output::tell;

/// Whether something is under way that looks at [`INTERRUPTED`].
static RUNNING: AtomicBool = AtomicBool::new(false);
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Lets Ctrl-C end the program with its own exit code, and SIGTERM too. To be called before any thread is started.
/// SIGHUP is left alone, for `nohup` has it ignored. Signals are caught and not blocked: an external program would
/// inherit what is blocked, and could not be asked to end.
#[cfg(unix)]
pub(crate) fn handle() {
    use signal_hook::consts::{SIGINT, SIGTERM};
    // Without a handler the program is ended by the system, which does no harm either.
    let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT, SIGTERM]) else { return };
    std::thread::spawn(move || signals.forever().for_each(|_| interrupt()));
}

/// Lets Ctrl-C end the program with its own exit code.
#[cfg(not(unix))]
pub(crate) fn handle() {
    let _ = ctrlc::set_handler(interrupt);
}

fn interrupt() {
    // Once more while the run is stopping, or outside of it: files are written whole or not at all.
    if INTERRUPTED.swap(true, Ordering::Relaxed) || !RUNNING.load(Ordering::Relaxed) {
        kill_all();
        tell("interrupted");
        std::process::exit(Exit::Interrupted as i32);
    }
}

/// A part of the program that stops by itself when it is interrupted.
pub(crate) struct Interruptible {
    /// The function that says so in place of signals.
    host: Option<Arc<dyn Host>>,
}

impl Interruptible {
    pub(crate) fn begin() -> Self {
        let host = host();
        if host.is_none() {
            RUNNING.store(true, Ordering::Relaxed);
        }
        Interruptible { host }
    }

    pub(crate) fn is_interrupted(&self) -> bool {
        match &self.host {
            Some(host) => host.is_interrupted(),
            None => INTERRUPTED.load(Ordering::Relaxed),
        }
    }
}

impl Drop for Interruptible {
    fn drop(&mut self) {
        if self.host.is_none() {
            RUNNING.store(false, Ordering::Relaxed);
        }
    }
}
