//! A child and all that it starts: one process group, ended as a whole, so that nothing outlives the run.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::mem;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The process groups that are alive. A handler of Ctrl-C owns nothing, and must find them all the same.
static ALIVE: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

/// How long a group that was asked to end may take.
const PATIENCE: Duration = Duration::from_secs(2);

/// Between two looks at a child that is about to end.
const LOOK: Duration = Duration::from_millis(5);

/// A child that leads a process group of its own.
pub(super) struct Group {
    child: Child,
    _guard: Option<Guard>,
}

impl Group {
    /// Starts `command` at the head of a new group.
    pub(super) fn spawn(command: &mut Command) -> io::Result<Group> {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        // Under the lock: a child is either known to `kill_all`, or never started.
        let mut alive = ALIVE.lock().unwrap_or_else(PoisonError::into_inner);
        let child = command.spawn()?;
        alive.insert(child.id());
        drop(alive);
        Ok(Group { _guard: Guard::of(child.id()), child })
    }

    /// The child, to take its pipes.
    pub(super) fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// The exit status, once the child has ended, within `time`.
    pub(super) fn wait(&mut self, time: Duration) -> Option<ExitStatus> {
        let start = Instant::now();
        loop {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            if start.elapsed() >= time {
                return None;
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Asks the whole group to end; kills what is still there after two seconds.
    pub(super) fn end(&mut self) {
        signal(self.child.id(), false);
        let start = Instant::now();
        loop {
            // The child counts as one of the group until it is waited for.
            let _ = self.child.try_wait();
            if !is_alive(self.child.id()) || start.elapsed() >= PATIENCE {
                break;
            }
            std::thread::sleep(LOOK);
        }
        signal(self.child.id(), true);
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A shell that waits at the end of a pipe. Where this program ends without having ended a group, killed or hung up on,
/// the system closes the pipe, and the shell kills the group: a worker that hangs would not notice by itself.
struct Guard(Child);

impl Guard {
    /// Reads a line, and goes; without a line there is nobody left to end the group.
    #[cfg(unix)]
    const SCRIPT: &str = "trap '' HUP INT QUIT TERM; read -r line || kill -s KILL -- \"-$0\"";

    /// `None` where there is no such shell; workers that notice the end of their input end all the same.
    #[cfg(unix)]
    fn of(group: u32) -> Option<Self> {
        use std::process::Stdio;
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", Self::SCRIPT, &group.to_string()]);
        // A group of its own: what ends the terminal's group must not end this one first.
        std::os::unix::process::CommandExt::process_group(&mut shell, 0);
        shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok().map(Guard)
    }

    #[cfg(not(unix))]
    fn of(_: u32) -> Option<Self> {
        None
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(mut pipe) = self.0.stdin.take() {
            let _ = pipe.write_all(b"\n");
        }
        let _ = self.0.wait();
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.end();
        ALIVE.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.child.id());
    }
}

/// Kills every worker at once, and lets none start any more: for a program that is about to end without going back to
/// where its workers are.
pub fn kill_all() {
    let alive = ALIVE.lock().unwrap_or_else(PoisonError::into_inner);
    alive.iter().for_each(|&group| signal(group, true));
    mem::forget(alive);
}

/// Sends the polite signal, or the hard one, to a whole group; one that is gone is no error.
#[cfg(unix)]
fn signal(group: u32, hard: bool) {
    use nix::sys::signal::{Signal, killpg};
    let signal = if hard { Signal::SIGKILL } else { Signal::SIGTERM };
    let _ = killpg(id(group), signal);
}

/// Whether any process of the group is left.
#[cfg(unix)]
fn is_alive(group: u32) -> bool {
    nix::sys::signal::killpg(id(group), None).is_ok()
}

#[cfg(unix)]
fn id(group: u32) -> nix::unistd::Pid {
    nix::unistd::Pid::from_raw(group.cast_signed())
}

/// Without process groups only the child itself is ended, by [`Group::end`].
#[cfg(not(unix))]
fn signal(_: u32, _: bool) {}

#[cfg(not(unix))]
fn is_alive(_: u32) -> bool {
    false
}
