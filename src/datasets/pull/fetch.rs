//! Packages, fetched so that the user's mirrors, proxies and credentials count, and nothing of a package runs: crates
//! and npm packages by the user's own cargo and npm, which only bring what a registry has, PyPI's by [`pypi`]. And the
//! digest that an archive must have before anything is done with it.

use crate::formats::code::Code;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::scratch::Scratch;
use super::{Limits, program, pypi, unwritten};
use crate::datasets::catalog::{Package, Registry};
use crate::datasets::{DatasetError, Halt, shown};
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

/// The package's archive; `folder` is made for what it takes to fetch it.
pub(super) fn archive(
    package: &Package,
    folder: &Path,
    limits: Limits,
    stopped: &dyn Fn() -> bool,
) -> Result<PathBuf, Halt> {
    std::fs::create_dir_all(folder).map_err(|error| unwritten(folder, &error))?;
    match package.registry {
        Registry::Crate => of_cargo(package, stopped),
        Registry::Npm => of_npm(package, folder, stopped),
        Registry::Pypi => pypi::archive(package, folder, limits, stopped),
    }
}

/// The archive that `npm pack` brings. It runs no script of what a registry has, and is asked to run none.
fn of_npm(package: &Package, folder: &Path, stopped: &dyn Fn() -> bool) -> Result<PathBuf, Halt> {
    // A project of its own: npm reads no settings of one that is above it.
    put(&folder.join("package.json"), "{}\n")?;
    let packed = folder.join("packed");
    std::fs::create_dir(&packed).map_err(|error| unwritten(&packed, &error))?;
    let spec = format!("{}@{}", package.name, package.version);
    let mut npm = Command::new("npm");
    npm.args(["pack", &spec, "--ignore-scripts", "--loglevel", "error", "--pack-destination", "packed"])
        .current_dir(folder);
    program::run(&mut npm, &describe(package), stopped)?;
    Ok(only_file(&packed, package)?)
}

/// The crate's archive in cargo's own cache, brought there by `cargo info` if it is not there yet: that fetches the
/// crate and none of its dependencies, and builds nothing.
fn of_cargo(package: &Package, stopped: &dyn Fn() -> bool) -> Result<PathBuf, Halt> {
    let home = std::env::var_os("CARGO_HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    let home = home.and_then(|home| std::path::absolute(home).ok());
    let home = home.ok_or_else(|| fault(package, "there is no home folder and no CARGO_HOME"))?;
    // Another registry may have left another archive of this name: only cargo knows which is meant.
    let is_right = |archive: &PathBuf| digest(archive).is_ok_and(|digest| digest == package.sha256);
    if let Some(archive) = in_cache(&home, package).into_iter().find(is_right) {
        return Ok(archive);
    }
    inform(package, &home, stopped)?;
    let archives = in_cache(&home, package);
    let archive = archives.iter().find(|archive| is_right(archive)).or(archives.first()).cloned().ok_or_else(|| {
        let cache = home.join("registry").join("cache");
        fault(
            package,
            format!("cargo left no archive of it in {}; a registry of another kind may stand in", cache.display()),
        )
    });
    Ok(archive?)
}

/// Has `cargo info` bring the crate into the cache. It runs in cargo's home, for configurations and toolchain files in
/// the folders above it name programs that cargo starts: above its home there are the user's own.
fn inform(package: &Package, home: &Path, stopped: &dyn Fn() -> bool) -> Result<(), Halt> {
    let scratch = Scratch::begin(home).map_err(|error| unwritten(home, &error))?;
    // A workspace of its own: cargo reads no manifest above it, but the user's configuration all the same.
    let manifest = "[package]\nname = \"pull\"\nversion = \"0.0.0\"\nedition = \"2021\"\n[workspace]\n";
    put(&scratch.path("Cargo.toml"), manifest)?;
    put(&scratch.path("src/lib.rs"), "")?;
    let spec = format!("{}@{}", package.name, package.version);
    let mut cargo = Command::new("cargo");
    cargo.args(["info", "--color", "never", "--quiet", &spec]).current_dir(scratch.path("")).env("CARGO_HOME", home);
    program::run(&mut cargo, &describe(package), stopped).map(drop)
}

fn put(path: &Path, text: &str) -> Result<(), DatasetError> {
    let folder = path.parent().map_or(Ok(()), std::fs::create_dir_all);
    folder.and_then(|()| std::fs::write(path, text)).map_err(|error| unwritten(path, &error))
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

/// Refuses an archive that is not the one that is pinned.
pub(super) fn check_digest(archive: &Path, expected: &str, from: &str) -> Result<(), DatasetError> {
    let found = digest(archive)
        .map_err(|error| DatasetError::new(Code::Fetch, shown(archive), format!("cannot be read: {error}")))?;
    if found == expected {
        return Ok(());
    }
    let message =
        format!("the archive's SHA-256 is {found}, not {expected} as the catalogue says; nothing was unpacked");
    Err(DatasetError::new(Code::Digest, from, message))
}

fn digest(archive: &Path) -> std::io::Result<String> {
    sha256_of(File::open(archive)?)
}

fn fault(package: &Package, message: impl Into<String>) -> DatasetError {
    DatasetError::new(Code::Fetch, describe(package), message)
}
