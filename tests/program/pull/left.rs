//! A pull that was interrupted leaves nothing; what a killed one leaves goes when the next one begins.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use carat::formats::digest::sha256;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::servers::{archive, catalog, send, serve, url_source};
use super::under_no_proxy;
use crate::support::Folder;

/// Begins a pull of `name.yaml` into `out/NAME`.
fn begin(folder: &Folder, name: &str) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_carat"));
    command.args(["dataset", "pull", "mine", "--catalog", &format!("{name}.yaml"), "--out", &format!("out/{name}")]);
    let path = format!("{}:/usr/bin:/bin", folder.path("bin").display());
    command.current_dir(folder.path("")).env("NO_PROXY", "*").env("PATH", path).env("HOME", folder.path(""));
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// The temporary folders in `out`.
fn temporary(folder: &Folder) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder.path("out")).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.filter(|path| path.to_string_lossy().contains(".tmp-carat-")).collect()
}

/// Waits until `is_so`, but not for ever.
fn until(is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A catalogue whose server sends ten bytes and is silent, and one whose server sends all.
fn silent_and_whole() -> Folder {
    let bytes = archive();
    let digest = sha256(&bytes);
    let whole = bytes.clone();
    let (silent_url, _) = serve(move |stream, asked| {
        send(stream, &bytes, asked.from, 10);
        std::thread::sleep(Duration::from_secs(60));
    });
    let (whole_url, _) = serve(move |stream, asked| send(stream, &whole, asked.from, usize::MAX));
    let folder = Folder::new().with("silent.yaml", catalog(&url_source(&silent_url, &digest)));
    folder.with("whole.yaml", catalog(&url_source(&whole_url, &digest)))
}

fn received(folder: &Folder) -> bool {
    temporary(folder).iter().any(|folder| folder.join("archive").metadata().is_ok_and(|file| file.len() == 10))
}

#[test]
fn an_interrupted_pull_ends_at_once_and_leaves_nothing() {
    let folder = silent_and_whole();
    let before = folder.files();
    for signal in [Signal::SIGINT, Signal::SIGTERM] {
        let child = begin(&folder, "silent");
        until(|| received(&folder));
        let start = Instant::now();
        kill(Pid::from_raw(child.id().cast_signed()), signal).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(130), &b"interrupted\n"[..]), "{output:?}");
        assert!(start.elapsed() < Duration::from_secs(10), "a silent server is not waited for");
        assert!(folder.files() == before, "{signal}: something is left");
    }
}

#[test]
fn a_program_that_fetches_is_ended_too() {
    use std::os::unix::fs::PermissionsExt;
    let source = catalog(&format!("npm: mine, version: 1.0.0, sha256: {}", sha256(b"")));
    let script = "#!/bin/sh\necho $$ > \"$HOME/pid\"\nexec sleep 60\n";
    let folder = Folder::new().with("npm.yaml", source).with("bin/npm", script);
    std::fs::set_permissions(folder.path("bin/npm"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let child = begin(&folder, "npm");
    until(|| std::fs::read_to_string(folder.path("pid")).is_ok_and(|pid| pid.ends_with('\n')));
    kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGTERM).unwrap();
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130));
    let pid = Pid::from_raw(folder.read("pid").trim().parse().unwrap());
    assert!(kill(pid, None).is_err(), "it is gone");
    assert!(!folder.path("out").exists());
}

#[test]
fn what_a_killed_pull_left_goes_with_the_next_one() {
    let folder = silent_and_whole();
    let mut killed = begin(&folder, "silent");
    until(|| received(&folder));
    killed.kill().unwrap();
    killed.wait().unwrap();
    let left = temporary(&folder);
    assert_eq!(left.len(), 1);
    // One that is at work keeps what is its own.
    let mut at_work = begin(&folder, "silent");
    until(|| temporary(&folder) != left && received(&folder));
    let own = temporary(&folder);
    assert!(own.len() == 1 && own != left, "{own:?} {left:?}");
    let ran = under_no_proxy(&folder, "dataset pull mine --catalog whole.yaml --out out/whole");
    assert_eq!((ran.code, temporary(&folder)), (0, own), "{ran:?}");
    at_work.kill().unwrap();
    at_work.wait().unwrap();
    assert_eq!(under_no_proxy(&folder, "dataset pull mine --catalog whole.yaml --out out/again").code, 0);
    assert!(temporary(&folder).is_empty());
}
