//! The user's own programs that fetch packages: started, heard, and ended when the user gives up.

use crate::formats::code::Code;
use std::io::{self, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use super::{check_stopped, in_one_line};
use crate::datasets::{DatasetError, Halt};

/// More of what a program says is not kept.
const MOST_SAID: u64 = 64 << 10;

/// Between two looks at a program.
const LOOK: Duration = Duration::from_millis(20);

/// The last words of a program may come so long after its end. A program that it has left running may hold them up for
/// ever.
const ON_ITS_WAY: Duration = Duration::from_secs(2);

/// Starts a program that brings `what`, and waits for it. What it says is given, what it complains of is told if it
/// fails.
///
/// # Errors
/// `E-FETCH`: it is not installed, cannot be started, or fails; or the user gives up: the program is killed then.
pub(super) fn run(command: &mut Command, what: &str, stopped: &dyn Fn() -> bool) -> Result<String, Halt> {
    let program = command.get_program().to_string_lossy().into_owned();
    let fault = |message: String| DatasetError::new(Code::Fetch, what, message);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => fault(format!("it is fetched by {program}, which is not installed")),
        _ => fault(format!("{program} cannot be started: {error}")),
    })?;
    let (said, complained) = (child.stdout.take().map(hear), child.stderr.take().map(hear));
    let status =
        ended(&mut child, stopped)?.map_err(|error| fault(format!("{program} cannot be waited for: {error}")))?;
    if status.success() {
        return Ok(heard(said));
    }
    let why = in_one_line(&heard(complained));
    let why = if why.is_empty() { "it does not say why" } else { &why };
    Err(fault(format!("{program} did not fetch it ({status}): {why}")).into())
}

/// Waits for the end of a program; kills it when the user gives up.
fn ended(child: &mut Child, stopped: &dyn Fn() -> bool) -> Result<io::Result<ExitStatus>, Halt> {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(Ok(status)),
            Ok(None) => {}
            Err(error) => return Ok(Err(error)),
        }
        if let Err(given_up) = check_stopped(stopped) {
            let _ = child.kill();
            let _ = child.wait();
            return Err(given_up);
        }
        std::thread::sleep(LOOK);
    }
}

/// Hears a program out in a thread of its own, so that it is never held up.
fn hear(mut pipe: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut said = Vec::new();
        let _ = pipe.by_ref().take(MOST_SAID).read_to_end(&mut said);
        let _ = sender.send(said);
        let _ = io::copy(&mut pipe, &mut io::sink());
    });
    receiver
}

fn heard(said: Option<Receiver<Vec<u8>>>) -> String {
    let said = said.and_then(|said| said.recv_timeout(ON_ITS_WAY).ok()).unwrap_or_default();
    String::from_utf8_lossy(&said).into_owned()
}

#[cfg(all(test, unix))]
mod tests {
    use std::time::Instant;

    use super::*;

    fn sh(script: &str) -> Result<String, DatasetError> {
        run(Command::new("sh").args(["-c", script]), "a package", &|| false).map_err(Halt::of_unstopped)
    }

    #[test]
    fn what_a_program_says_is_given_or_told() {
        assert_eq!(sh("echo said; echo aside >&2").unwrap(), "said\n");
        let told = sh("printf ' no\\n\\n\\033[31mred\\n' >&2; exit 3").unwrap_err();
        assert_eq!(told.code, Code::Fetch);
        assert!(told.message.contains("sh did not fetch it") && told.message.ends_with("no;  [31mred"), "{told}");
        assert!(sh("exit 1").unwrap_err().message.ends_with("(exit status: 1): it does not say why"));
        let missing = run(&mut Command::new("carat-has-no-such-program"), "a package", &|| false).unwrap_err();
        assert!(missing.to_string().contains("not installed"), "{missing}");
    }

    #[test]
    fn one_that_says_too_much_or_leaves_another_behind_is_not_waited_for() {
        let start = Instant::now();
        assert_eq!(sh("yes | head -c 1000000; sleep 60 &").unwrap().len(), MOST_SAID as usize);
        assert!(sh("sleep 60 & exit 1").unwrap_err().message.contains("did not fetch it"));
        assert!(start.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn it_is_killed_when_the_user_gives_up() {
        let start = Instant::now();
        let given_up = run(Command::new("sleep").arg("60"), "a package", &|| true).unwrap_err();
        assert_eq!(given_up, Halt::Stopped);
        assert!(start.elapsed() < Duration::from_secs(30));
    }
}
