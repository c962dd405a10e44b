//! Names and versions of packages as their registries have them. They become arguments of other programs and parts of
//! addresses: whatever those could take for a range, a tag, an option, a path or an address is refused.

use super::catalog::Registry;

/// crates.io takes no longer name.
const MAX_CRATE_NAME: usize = 64;

/// npm takes no longer name.
const MAX_NPM_NAME: usize = 214;

/// npm takes what ends so for a file, not for a name or a version.
const FILE_ENDINGS: [&str; 3] = [".tgz", ".tar.gz", ".tar"];

/// Checks that `name` at `version` is one release of `registry`, and nothing else.
///
/// # Errors
/// A sentence that says which of the two is wrong, and what is expected.
pub(super) fn check_release(registry: Registry, name: &str, version: &str) -> Result<(), String> {
    let (kind, is_name, is_version, example) = match registry {
        Registry::Crate => ("crate", is_crate_name(name), is_semver(version), "1.2.3"),
        Registry::Npm => ("npm package", is_npm_name(name), is_semver(version) && !is_file(version), "1.2.3"),
        Registry::Pypi => ("PyPI package", is_pypi_name(name), is_pypi_version(version), "1.2.3 or 2024.1rc1"),
    };
    if !is_name {
        return Err(format!("`{}` is no name of a {kind}", name.escape_debug()));
    }
    if !is_version {
        let version = version.escape_debug();
        return Err(format!(
            "`{version}` is no version of the {kind} `{name}`: expected one exact version, as {example}"
        ));
    }
    Ok(())
}

fn is_semver(version: &str) -> bool {
    semver::Version::parse(version).is_ok()
}

fn is_word(text: &str, others: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || others.contains(c);
    text.starts_with(|c: char| c.is_ascii_alphanumeric()) && text.chars().all(is_plain)
}

fn is_crate_name(name: &str) -> bool {
    name.len() <= MAX_CRATE_NAME && is_word(name, "-_")
}

/// A name, or `@scope/name`.
fn is_npm_name(name: &str) -> bool {
    let (scope, bare) = match name.strip_prefix('@').map(|scoped| scoped.split_once('/')) {
        Some(Some((scope, bare))) => (scope, bare),
        Some(None) => return false,
        None => ("scope", name),
    };
    name.len() <= MAX_NPM_NAME && !is_file(name) && [scope, bare].iter().all(|part| is_word(part, "-_."))
}

fn is_file(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    FILE_ENDINGS.iter().any(|ending| lower.ends_with(ending))
}

fn is_pypi_name(name: &str) -> bool {
    is_word(name, "-_.") && name.ends_with(|c: char| c.is_ascii_alphanumeric())
}

/// The characters of PEP 440's public versions; what they name is decided by the digest.
fn is_pypi_version(version: &str) -> bool {
    version.starts_with(|c: char| c.is_ascii_digit()) && is_word(version, "-_.!")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_taken() {
        for (registry, name, version) in [
            (Registry::Crate, "readabilityrs", "0.1.4"),
            (Registry::Crate, "a_b-c", "0.1.0-beta.1+build"),
            (Registry::Npm, "JSONStream", "1.0.0"),
            (Registry::Npm, "@scope/some.name", "2.0.0-rc.1"),
            (Registry::Pypi, "zope.interface", "7.0"),
            (Registry::Pypi, "a", "1!2024.1rc1.post2.dev3"),
        ] {
            assert_eq!(check_release(registry, name, version), Ok(()), "{name} {version}");
        }
    }

    #[test]
    fn no_other_specs_are_taken_for_versions() {
        for version in [
            "owner/repo",
            "github:owner/repo",
            "git+ssh://git@host/a.git",
            "https://host/a.tgz",
            "npm:other@1.0.0",
            "file:../a",
            "../a",
            "./a",
            "latest",
            "^1.0.0",
            "~1.0.0",
            ">=1.0.0",
            "=1.0.0",
            "1",
            "1.x",
            "*",
            "1.0.0 || 2.0.0",
            "",
            " 1.0.0",
            "1.0.0-a.tgz",
            "-1.0.0",
            "1.0.0\n",
        ] {
            let told = check_release(Registry::Npm, "a", version).unwrap_err();
            assert!(told.contains("expected one exact version") && !told.contains('\n'), "{version}: {told}");
        }
        for version in ["1.0", "1", "=1.0.0", "*", "owner/repo", "1.0.0 --config a"] {
            assert!(check_release(Registry::Crate, "a", version).is_err(), "{version}");
        }
        for version in ["1.0 ; python_version>'3'", "1.*", ">=1", "==1", "1 --pre", "@ https://a", "a.whl", "", "../1"]
        {
            assert!(check_release(Registry::Pypi, "a", version).is_err(), "{version}");
        }
    }

    #[test]
    fn nothing_else_is_taken_for_a_name() {
        let long = "a".repeat(215);
        let names = ["", ".", "..", "-a", "--config", "a b", "a\u{1b}[31m", "a@1", "a/b/c", "git+ssh://a", "a:b", "é"];
        for registry in [Registry::Crate, Registry::Npm, Registry::Pypi] {
            for name in names {
                let told = check_release(registry, name, "1.0.0").unwrap_err();
                assert!(!told.contains('\u{1b}'), "{told}");
            }
        }
        for name in ["owner/repo", "@scope", "@/a", "@a/", "@../a", "_a", "a.tgz", "a.TAR.GZ", &long] {
            assert!(check_release(Registry::Npm, name, "1.0.0").is_err(), "{name}");
        }
        for name in ["@a/b", "a.b", &long] {
            assert!(check_release(Registry::Crate, name, "1.0.0").is_err(), "{name}");
        }
        for name in ["a/b", "a-", "a[extra]", "@a/b"] {
            assert!(check_release(Registry::Pypi, name, "1.0.0").is_err(), "{name}");
        }
    }
}
