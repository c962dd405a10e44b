//! The threads of batches.

use std::sync::{Arc, Mutex, PoisonError};

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

/// More threads than any machine has processors only cost memory.
const MOST: usize = 1024;

/// The pool of one process: a child that was forked has the parent's memory, but not its threads.
static SHARED: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// A pool of so many threads; by default the one that the batches of this process share, one thread per processor.
///
/// # Errors
/// A sentence: too many threads, or none can be started.
pub(crate) fn pool(threads: Option<usize>) -> Result<Arc<ThreadPool>, String> {
    let failed = |error: ThreadPoolBuildError| format!("cannot start threads: {error}");
    if let Some(threads) = threads {
        if !(1..=MOST).contains(&threads) {
            return Err(format!("threads={threads}: from 1 to {MOST} are started"));
        }
        return Ok(Arc::new(ThreadPoolBuilder::new().num_threads(threads).build().map_err(failed)?));
    }
    let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    match &*shared {
        Some((owner, pool)) if *owner == process => Ok(pool.clone()),
        _ => {
            let pool = Arc::new(ThreadPoolBuilder::new().build().map_err(failed)?);
            // The threads of the parent's pool are not here, so it cannot be waited for.
            std::mem::forget(shared.replace((process, pool.clone())));
            Ok(pool)
        }
    }
}
