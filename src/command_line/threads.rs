//! How many threads a command takes.

use crate::command_line::failure::Failure;
use crate::command_line::host::{host, work_for};
use crate::formats::code::Exit;

/// More threads than any machine has processors only cost memory.
const MOST: usize = 1024;

/// Carries out `work` on so many threads; by default one a processor.
pub(crate) fn on_threads<T: Send>(
    threads: Option<usize>,
    work: impl FnOnce() -> Result<T, Failure> + Send,
) -> Result<T, Failure> {
    let threads = threads.unwrap_or(0);
    if threads > MOST {
        return Err(Failure::request(format!("--threads {threads}: at most {MOST} are started")));
    }
    let host = host();
    // For as long as the thread lives.
    let begin = move |_| std::mem::forget(work_for(host.clone()));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).start_handler(begin).build();
    let pool = pool.map_err(|error| Failure::new(Exit::System, format!("cannot start {threads} threads: {error}")))?;
    pool.install(work)
}
