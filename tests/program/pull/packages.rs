//! Packages: brought by programs that stand in for the user's own cargo and npm, and from an index that stands in for
//! PyPI. No code of a package runs.

use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use carat::formats::digest::sha256;

use super::servers::{archive, catalog, refuse, send, send_on, serve};
use crate::support::{Folder, Ran, check};

/// Puts a program of this name first in the path; it is a script.
fn program(folder: Folder, name: &str, script: &str) -> Folder {
    let folder = folder.with(&format!("bin/{name}"), format!("#!/bin/sh\n{script}\n"));
    std::fs::set_permissions(folder.path(&format!("bin/{name}")), std::fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

/// Pulls `mine` of a catalogue with the programs in `bin` alone before the system's.
fn pull(folder: &Folder, environment: &[(&str, &str)], arguments: &str) -> Ran {
    let path = format!("{}:/usr/bin:/bin", folder.path("bin").display());
    let home = folder.path("").display().to_string();
    let cargo = folder.path("cargo").display().to_string();
    let own = [("PATH", path.as_str()), ("HOME", &home), ("CARGO_HOME", &cargo), ("NO_PROXY", "*"), ("no_proxy", "*")];
    folder.carat_under(&[&own, environment].concat(), &format!("dataset pull mine {arguments}"))
}

fn source(registry: &str, sha256: &str) -> String {
    catalog(&format!("{registry}: mine, version: 1.0.0, sha256: {sha256}"))
}

#[test]
fn packages_are_fetched_by_the_users_own_programs() {
    let bytes = archive();
    let digest = sha256(&bytes);
    let says = "echo \"$@\" in \"$PWD\" >> \"$HOME/said\"";
    let npm = format!("{says}; [ -f package.json ] && cp \"$HOME/archive\" ./packed/mine-1.tgz");
    let cache = "$CARGO_HOME/registry/cache/a";
    let cargo = format!("{says}; mkdir -p \"{cache}\"; cp \"$HOME/archive\" \"{cache}/mine-1.0.0.crate\"");
    for (registry, name, script, says) in [
        ("npm", "npm", npm, "pack mine@1.0.0 --ignore-scripts"),
        ("crate", "cargo", cargo, "info --color never --quiet mine@1.0.0"),
    ] {
        let folder = Folder::new().with("archive", &bytes).with("sets.yaml", source(registry, &digest));
        let folder = program(folder, name, &script).with("other.yaml", source(registry, &sha256(b"another")));
        let ran = pull(&folder, &[], "--catalog sets.yaml");
        assert_eq!(ran.code, 0, "{registry}: {ran:?}");
        assert!(ran.stdout.contains("3 pages, 2 with gold"), "{registry}: {ran:?}");
        assert!(folder.read("said").contains(says), "{registry}: {}", folder.read("said"));
        // Where cargo runs decides what configurations and toolchains it takes.
        let place = if registry == "crate" { "cargo/.tmp-carat-" } else { "datasets/.tmp-carat-" };
        assert!(folder.read("said").contains(place), "{registry}: {}", folder.read("said"));
        let ran = pull(&folder, &[], "--catalog other.yaml --out other");
        assert_eq!((ran.code, ran.stderr.contains("E-DIGEST")), (3, true), "{registry}: {ran:?}");
        assert!(!folder.path("other").exists());
        // A program that fails says why; one that is missing is named.
        let folder = program(folder, name, "echo 'no such package' >&2; exit 1");
        let _ = std::fs::remove_dir_all(folder.path("cargo/registry"));
        let ran = pull(&folder, &[], "--catalog sets.yaml --out failed");
        assert!(ran.code == 4 && ran.stderr.contains("no such package"), "{registry}: {ran:?}");
        std::fs::remove_file(folder.path(&format!("bin/{name}"))).unwrap();
        let ran = pull(&folder, &[("PATH", "/nowhere")], "--catalog sets.yaml --out failed");
        assert!(ran.code == 4 && ran.stderr.contains("not installed"), "{registry}: {ran:?}");
        assert!(!folder.path("failed").exists());
        let left: Vec<_> =
            folder.files().into_keys().filter(|path| path.to_string_lossy().contains(".tmp-carat-")).collect();
        assert!(left.is_empty(), "{registry}: {left:?}");
    }
}

#[test]
fn what_is_no_release_is_refused_before_a_program_is_started() {
    let folder = program(program(Folder::new(), "npm", "touch \"$HOME/ran\""), "cargo", "touch \"$HOME/ran\"");
    let mut folder = program(folder, "git", "touch \"$HOME/ran\"");
    let digest = sha256(b"");
    for (registry, name, version) in [
        ("npm", "mine", "owner/repo"),
        ("npm", "mine", "git+ssh://git@host/owner/repo.git"),
        ("npm", "mine", "npm:other@1.0.0"),
        ("npm", "mine", "latest"),
        ("npm", "owner/repo", "1.0.0"),
        ("crate", "mine", "^1"),
        ("pypi", "mine", "1.0 --no-binary :all:"),
    ] {
        let source = catalog(&format!("{registry}: '{name}', version: '{version}', sha256: {digest}"));
        folder = folder.with("sets.yaml", source);
        let wrong = if name == "mine" { version } else { name };
        let says = [&format!("`{wrong}` is no ")[..], "sets.yaml:", "E-TYPE"];
        check(&folder, "dataset pull mine --catalog sets.yaml", 3, &says);
        assert!(!folder.path("ran").exists());
    }
}

/// An index whose package `mine` has the file `bytes`, told in `list`, which names it `FILE`; it asks for a password.
fn index(bytes: Vec<u8>, list: String) -> (String, Arc<AtomicUsize>) {
    let (url, asked) = serve(move |stream, asked| {
        let is_known = asked.authorization.as_deref() == Some("Basic bWU6c2VjcmV0");
        match asked.path.as_str() {
            _ if !is_known => refuse(stream, "401 Unauthorized"),
            "/simple/mine/" => {
                send(stream, list.replace("FILE", "../../files/mine-1.0.0.tar.gz").as_bytes(), 0, usize::MAX)
            }
            "/files/mine-1.0.0.tar.gz" => send_on(stream, "/moved"),
            "/moved" => send(stream, &bytes, asked.from, usize::MAX),
            _ => refuse(stream, "404 Not Found"),
        }
    });
    (url.replace("http://", "http://me:secret@").replace("/set.tar.gz", "/simple"), asked)
}

#[test]
fn pypis_are_downloaded_from_the_index_that_pip_is_set_to() {
    let bytes = archive();
    let digest = sha256(&bytes);
    let html = format!("<a href=other#sha256={}>x</a><a href='FILE#sha256={digest}'>x</a>", sha256(b""));
    let json = format!(r#"{{"files": [{{"url": "FILE", "hashes": {{"sha256": "{digest}"}}}}]}}"#);
    for list in [html, json] {
        let (url, _) = index(bytes.clone(), list);
        // Its settings are all that pip is asked for.
        let pip = format!("echo \"$@\" >> \"$HOME/said\"; echo \"global.index-url='{url}'\"");
        let folder = program(Folder::new(), "pip", &pip).with("sets.yaml", source("pypi", &digest));
        let ran = pull(&folder, &[], "--catalog sets.yaml");
        assert_eq!((ran.code, folder.read("said").as_str()), (0, "config list\n"), "{ran:?}");
        assert!(ran.stdout.contains("3 pages") && ran.stdout.contains("from PyPI package mine 1.0.0"), "{ran:?}");
    }
}

#[test]
fn pip_need_not_be_there_and_every_index_is_asked() {
    let bytes = archive();
    let digest = sha256(&bytes);
    let (url, _) = index(bytes, format!("<a href='FILE#sha256={digest}'>"));
    let plain = url.replace("me:secret@", "");
    let folder = Folder::new().with("sets.yaml", source("pypi", &digest));
    let folder = folder.with("other.yaml", source("pypi", &sha256(b"another")));
    let bare = |environment: &[(&str, &str)], arguments: &str| {
        pull(&folder, &[environment, &[("PATH", "/nowhere")]].concat(), &format!("--catalog {arguments}"))
    };
    let gone = format!("{url}/gone");
    let further = [("PIP_INDEX_URL", gone.as_str()), ("PIP_EXTRA_INDEX_URL", &url)];
    assert_eq!(bare(&further, "sets.yaml --out further").code, 0);
    for (index, catalog, code, says) in [
        (url.as_str(), "other", 3, format!("no file of it at {plain} has the SHA-256")),
        (&gone, "sets", 4, format!("{plain}/gone/mine/: the server answers 404")),
        (&plain, "sets", 4, format!("{plain}/mine/: the server answers 401")),
        ("file:///me:secret@x", "sets", 4, "no http or https address".to_owned()),
    ] {
        let ran = bare(&[("PIP_INDEX_URL", index)], &format!("{catalog}.yaml --out failed"));
        assert_eq!((ran.code, ran.stderr.lines().count()), (code, 1), "{ran:?}");
        assert!(ran.stderr.contains(&says) && !ran.stderr.contains("secret"), "{says}: {ran:?}");
        assert!(ran.stderr.contains("PyPI package mine 1.0.0") && !folder.path("failed").exists(), "{ran:?}");
    }
}

#[test]
fn a_password_goes_to_no_other_server() {
    let bytes = archive();
    let digest = sha256(&bytes);
    let told = Arc::new(AtomicUsize::new(0));
    let tells = told.clone();
    let (there, _) = serve(move |stream, asked| {
        tells.fetch_add(usize::from(asked.authorization.is_some()), Ordering::SeqCst);
        send(stream, &bytes, asked.from, usize::MAX);
    });
    let there = there.replace("127.0.0.1", "localhost");
    for on in [false, true] {
        let (there, digest) = (there.clone(), digest.clone());
        let pinned = digest.clone();
        let (url, _) = serve(move |stream, asked| match asked.path.as_str() {
            "/simple/mine/" => {
                let place = if on { "/on" } else { &there };
                send(stream, format!("<a href='{place}#sha256={pinned}'>").as_bytes(), 0, usize::MAX);
            }
            _ => send_on(stream, &there),
        });
        let url = url.replace("http://", "http://me:secret@").replace("/set.tar.gz", "/simple");
        let folder = Folder::new().with("sets.yaml", source("pypi", &digest));
        let ran = pull(&folder, &[("PATH", "/nowhere"), ("PIP_INDEX_URL", &url)], "--catalog sets.yaml");
        assert_eq!((ran.code, told.load(Ordering::SeqCst)), (0, 0), "{ran:?}");
    }
}

#[test]
fn another_file_than_the_index_lists_is_not_unpacked() {
    let bytes = archive();
    let digest = sha256(&bytes);
    let (url, _) = index(b"another".to_vec(), format!("<a href='FILE#sha256={digest}'>"));
    let folder = Folder::new().with("sets.yaml", source("pypi", &digest));
    let before = folder.files();
    let ran = pull(&folder, &[("PATH", "/nowhere"), ("PIP_INDEX_URL", &url)], "--catalog sets.yaml");
    assert!(ran.code == 3 && ran.stderr.contains("nothing was unpacked"), "{ran:?}");
    assert!(folder.files() == before, "a failure leaves the folder as it was");
}
