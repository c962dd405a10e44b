//! How far a run is: a bar on a terminal, a line every half minute in a log.

use std::io::{IsTerminal, stderr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::command_line::host::{Host, host};
use crate::command_line::output::tell;

/// So often a log is told how far the run is.
const EVERY: Duration = Duration::from_secs(30);

/// So often the bar of a terminal is drawn.
const TICK: Duration = Duration::from_millis(200);

/// How far a run is.
pub(super) struct Progress {
    /// Drawn on a terminal alone.
    bar: ProgressBar,
    pages: u64,
    begun: Instant,
    /// When a log was told last; `None` on a terminal.
    told: Option<Mutex<Instant>>,
    /// The function that is told in place of terminal and log.
    host: Option<Arc<dyn Host>>,
    /// A way to be done sooner, told once of a run that takes long.
    hint: Mutex<Option<&'static str>>,
}

impl Progress {
    /// Of so many pages, none of which is done.
    pub(super) fn of(pages: u64) -> Self {
        let begun = Instant::now();
        if let Some(host) = host() {
            host.progress(0, pages);
            let (bar, host) = (ProgressBar::hidden(), Some(host));
            return Progress { bar, pages, begun, told: None, host, hint: Mutex::default() };
        }
        let bar = ProgressBar::new(pages);
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} pages  {per_sec}  {eta} left");
        bar.set_style(style.expect("the template is valid"));
        bar.enable_steady_tick(TICK);
        let told = (!stderr().is_terminal()).then(|| Mutex::new(begun));
        Progress { bar, pages, begun, told, host: None, hint: Mutex::default() }
    }

    /// The same, which tells `hint` once if it takes long.
    pub(super) fn with_hint(self, hint: Option<&'static str>) -> Self {
        Progress { hint: Mutex::new(hint), ..self }
    }

    /// The hint, once, where the run goes on after `since`.
    fn hint(&self, since: Duration) -> Option<&'static str> {
        let takes_long = since >= EVERY && self.done() < self.pages;
        takes_long.then(|| self.hint.lock().unwrap_or_else(PoisonError::into_inner).take()).flatten()
    }

    /// One more page is done.
    pub(super) fn add(&self) {
        self.bar.inc(1);
        if let Some(host) = &self.host {
            host.progress(self.done(), self.pages);
        }
        if let Some(hint) = self.hint(self.begun.elapsed()) {
            self.bar.suspend(|| tell(hint));
        }
        let Some(told) = &self.told else { return };
        let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.elapsed() >= EVERY {
            *told = Instant::now();
            tell(&line(self.done(), self.pages, self.begun.elapsed()));
        }
    }

    /// How many pages are done.
    pub(super) fn done(&self) -> u64 {
        self.bar.position()
    }

    /// Takes the bar away.
    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// What a log is told: `120 of 500 pages, 4.0 pages/s, 1 min 35 s left`.
fn line(done: u64, pages: u64, since: Duration) -> String {
    let rate = done as f64 / since.as_secs_f64().max(f64::MIN_POSITIVE);
    let left = (pages.saturating_sub(done) as f64 / rate.max(f64::MIN_POSITIVE)).round().min(1e9) as u64;
    let left = if left < 60 { format!("{left} s") } else { format!("{} min {} s", left / 60, left % 60) };
    format!("{done} of {pages} pages, {rate:.1} pages/s, {left} left")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_takes_long_is_told_once_how_to_be_done_sooner() {
        let progress = Progress::of(2).with_hint(Some("ask two at once"));
        let long = Duration::from_secs(40);
        assert_eq!(progress.hint(Duration::from_secs(3)), None);
        assert_eq!([progress.hint(long), progress.hint(long)], [Some("ask two at once"), None]);
        assert_eq!(Progress::of(2).hint(long), None);
        assert_eq!(Progress::of(0).with_hint(Some("ask two at once")).hint(long), None, "nothing is left to ask");
    }

    #[test]
    fn a_log_is_told_how_far_the_run_is() {
        assert_eq!(line(120, 500, Duration::from_secs(30)), "120 of 500 pages, 4.0 pages/s, 1 min 35 s left");
        assert_eq!(line(499, 500, Duration::from_secs(1)), "499 of 500 pages, 499.0 pages/s, 0 s left");
    }
}
