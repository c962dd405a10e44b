//! Rules as a person writes them: YAML, refused with file, line and a code where it is wrong.

use crate::formats::code::Code;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use super::globs::{HostPattern, PathPattern};
use super::learned_from::LearnedFrom;
use super::rules::{Exclusion, Fallback, Included, Pick, Rule, RuleTest, Rules, Sites, Template};
use crate::algorithms::parameters::Parameter;
use crate::algorithms::{Entry, find, names};
use crate::formats::digest::sha256;
use crate::formats::reading::{MOST_WRITTEN_BYTES, read_at_most};
use crate::formats::yaml::{Located, Node, Position, YamlError, parse_up_to};
use crate::page::selector::Selectors;
use crate::runs::configuration::{AlgorithmRequest, Origin, ParameterRequest, RequestError};
use crate::runs::grid::Written;
use crate::runs::learned::WRAPPER;
use crate::runs::own::single_setting;
use crate::runs::values::{canonical, differs, label};
use crate::text::hint;

/// The highest version of the form that is read.
const FORMAT: &str = "1";

/// A file of more values is refused.
const MAX_NODES: usize = 1_000_000;

const KEYS: [&str; 5] = ["format", "learned_from", "exclusion", "fallback", "rules"];
const LEARNED_FROM_KEYS: [&str; 3] = ["dataset", "digest", "pages"];
const RULE_KEYS: [&str; 9] = ["site", "sites", "any", "hosts", "path", "when", "include", "exclude", "tests"];
const INCLUDE_KEYS: [&str; 2] = ["selector", "pick"];
const TEST_KEYS: [&str; 3] = ["page", "contains", "lacks"];

type Read<T> = Result<T, RequestError>;

impl Rules {
    /// Reads the rules of a file.
    ///
    /// # Errors
    /// [`RequestError`]: it cannot be read, or is wrong at some line.
    pub fn read(path: &Path) -> Result<Self, RequestError> {
        let bytes =
            read_at_most(path, MOST_WRITTEN_BYTES).map_err(|error| RequestError::Argument(error.to_string()))?;
        let text = String::from_utf8(bytes)
            .map_err(|_| RequestError::Argument(format!("{}: is not valid UTF-8", path.display())))?;
        Rules::from_yaml(&path.display().to_string(), &text)
    }

    /// Reads rules from the text of a file.
    ///
    /// # Errors
    /// [`RequestError`]: what is wrong, with its line and a code: `E-KEY`, `E-TYPE`, `E-FORMAT`, `E-SELECTOR`, `E-GLOB`.
    pub fn from_yaml(file: &str, text: &str) -> Result<Self, RequestError> {
        let document = parse_up_to(MAX_NODES, file, text)?;
        Reader { file, text: text.into() }.rules(&document)
    }
}

/// How it is written that there is no fallback.
const NO_FALLBACK: &str = "none";

/// An algorithm with its parameters, as the value of another parameter.
fn named(algorithm: &str, parameters: &str) -> String {
    if parameters.is_empty() { algorithm.to_owned() } else { format!("{algorithm}:{}", parameters.replace(',', ";")) }
}

struct Reader<'f> {
    file: &'f str,
    text: Arc<str>,
}

impl Reader<'_> {
    fn error(&self, code: Code, at: Position, message: impl std::fmt::Display) -> RequestError {
        YamlError::new(self.file, &self.text, at, format!("{message} ({code})")).into()
    }

    fn rules(&self, document: &Located<Node>) -> Read<Rules> {
        let (mut format, mut fallback, mut rules) = (None, Fallback::Nothing, None);
        let (mut exclusion, mut learned_from) = (Exclusion::default(), Vec::new());
        for (key, value) in self.map(document, &KEYS, "a rules file")? {
            match key.value.as_str() {
                "format" => format = Some(self.format(value)?),
                "learned_from" => {
                    learned_from = self.items(value).iter().map(|one| self.learned_from(one)).collect::<Read<_>>()?
                }
                "exclusion" => exclusion = self.exclusion(value)?,
                "fallback" => fallback = self.fallback(value)?,
                _ => rules = Some(self.list(value, "rules")?),
            }
        }
        if format.is_none() {
            return Err(self.error(Code::Key, document.at, format_args!("`format: {FORMAT}` is missing")));
        }
        // What excluding means may be said behind the rules.
        let rules: Vec<Rule> =
            rules.unwrap_or_default().iter().map(|rule| self.rule(rule, exclusion)).collect::<Read<_>>()?;
        if rules.is_empty() {
            return Err(self.error(Code::Key, document.at, "`rules` is missing or empty: there is nothing to apply"));
        }
        let digest = sha256(self.text.as_bytes());
        Ok(Rules { file: self.file.to_owned(), digest, learned_from, fallback, rules })
    }

    fn learned_from(&self, node: &Located<Node>) -> Read<LearnedFrom> {
        let mut from = LearnedFrom { dataset: String::new(), digest: String::new(), pages: BTreeSet::new() };
        for (key, value) in self.map(node, &LEARNED_FROM_KEYS, "`learned_from`")? {
            let text = self.scalar(value, &key.value)?;
            match key.value.as_str() {
                "dataset" => from.dataset = text.to_owned(),
                "digest" => from.digest = text.to_owned(),
                _ => {
                    let pages = text.split_ascii_whitespace().map(str::parse).collect::<Result<_, String>>();
                    from.pages = pages.map_err(|message| self.error(Code::Type, value.at, message))?;
                }
            }
        }
        match from.dataset.is_empty() || from.digest.is_empty() || from.pages.is_empty() {
            true => {
                Err(self.error(Code::Key, node.at, "`learned_from` names a `dataset`, its `digest` and its `pages`"))
            }
            false => Ok(from),
        }
    }

    fn exclusion(&self, node: &Located<Node>) -> Read<Exclusion> {
        let written = self.scalar(node, "exclusion")?;
        let known = [Exclusion::Nearest, Exclusion::Subtracted].into_iter().find(|known| known.name() == written);
        known.ok_or_else(|| {
            self.error(Code::Type, node.at, format_args!("`exclusion` is nearest or subtracted, not `{written}`"))
        })
    }

    fn format(&self, node: &Located<Node>) -> Read<()> {
        match self.scalar(node, "format")? {
            FORMAT => Ok(()),
            other => Err(self.error(
                Code::Format,
                node.at,
                format_args!("this program reads `format: {FORMAT}`, not {other}"),
            )),
        }
    }

    fn rule(&self, node: &Located<Node>, exclusion: Exclusion) -> Read<Rule> {
        let (mut sites, mut hosts, mut paths, mut when) = (Vec::new(), Vec::new(), Vec::new(), None);
        let (mut include, mut exclude, mut tests) = (Vec::new(), Vec::new(), Vec::new());
        for (key, value) in self.map(node, &RULE_KEYS, "a rule")? {
            match key.value.as_str() {
                "site" => sites.push((key.at, Sites::Named(vec![self.scalar(value, "site")?.to_owned()]))),
                "sites" => sites.push((key.at, Sites::Named(self.named_sites(value)?))),
                "any" if self.scalar(value, "any")? == "true" => sites.push((key.at, Sites::Any)),
                "any" => return Err(self.error(Code::Type, value.at, "`any` is `true` or left out")),
                "hosts" => hosts = self.patterns(value, "hosts", HostPattern::read)?,
                "path" => paths = self.patterns(value, "path", PathPattern::read)?,
                "when" => when = Some(self.selector(value, "when")?),
                "include" => include = self.included(value)?,
                "exclude" => exclude = self.selectors(value, "exclude")?,
                _ => tests = self.list(value, "tests")?.iter().map(|test| self.test(test)).collect::<Read<_>>()?,
            }
        }
        let sites = match (sites.pop(), sites.pop()) {
            (Some((_, sites)), None) => sites,
            (Some((at, _)), Some(_)) => {
                return Err(self.error(Code::Key, at, "a rule has one of `site`, `sites` and `any`"));
            }
            (None, _) => {
                let message = "a rule says which pages it is for: `site: NAME`, `sites: [..]` or `any: true`";
                return Err(self.error(Code::Key, node.at, message));
            }
        };
        if include.is_empty() {
            return Err(self.error(Code::Key, node.at, "`include` is missing or empty: the rule would choose nothing"));
        }
        let template =
            Template::new(&include, &exclude, exclusion).map_err(|error| self.error(Code::Selector, node.at, error))?;
        Ok(Rule { line: node.at.line, sites, hosts, paths, when, template, tests })
    }

    fn named_sites(&self, node: &Located<Node>) -> Read<Vec<String>> {
        let sites = self.texts(node, "sites")?;
        match sites.is_empty() {
            true => Err(self.error(Code::Type, node.at, "`sites` is empty; for every site there is `any: true`")),
            false => Ok(sites),
        }
    }

    fn patterns<P>(&self, node: &Located<Node>, key: &str, read: fn(&str) -> Result<P, String>) -> Read<Vec<P>> {
        let pattern = |item: &Located<Node>| {
            read(self.scalar(item, key)?).map_err(|message| self.error(Code::Glob, item.at, message))
        };
        self.items(node).iter().map(pattern).collect()
    }

    /// Refuses what is no selector at its own place.
    fn selector(&self, node: &Located<Node>, key: &str) -> Read<Selectors> {
        let text = self.scalar(node, key)?.to_owned();
        Selectors::parse(std::slice::from_ref(&text)).map_err(|error| self.error(Code::Selector, node.at, error))
    }

    fn selectors(&self, node: &Located<Node>, key: &str) -> Read<Vec<String>> {
        let items = self.items(node).iter();
        items.map(|item| self.selector(item, key).and_then(|_| Ok(self.scalar(item, key)?.to_owned()))).collect()
    }

    fn included(&self, node: &Located<Node>) -> Read<Vec<Included>> {
        let one = |item: &Located<Node>| {
            let Node::Map(_) = item.value else {
                self.selector(item, "include")?;
                return Ok(Included { selector: self.scalar(item, "include")?.to_owned(), pick: Pick::All });
            };
            let (mut selector, mut pick) = (None, Pick::All);
            for (key, value) in self.map(item, &INCLUDE_KEYS, "an item of `include`")? {
                match key.value.as_str() {
                    "selector" => {
                        self.selector(value, "selector")?;
                        selector = Some(self.scalar(value, "selector")?.to_owned());
                    }
                    _ => pick = self.pick(value)?,
                }
            }
            let selector = selector.ok_or_else(|| self.error(Code::Key, item.at, "`selector` is missing"))?;
            Ok(Included { selector, pick })
        };
        // A single mapping stands for a list of one, as a single selector does.
        self.items(node).iter().map(one).collect()
    }

    fn pick(&self, node: &Located<Node>) -> Read<Pick> {
        match self.scalar(node, "pick")? {
            "all" => Ok(Pick::All),
            "first" => Ok(Pick::First),
            other => Err(self.error(Code::Type, node.at, format_args!("`pick` is all or first, not `{other}`"))),
        }
    }

    fn test(&self, node: &Located<Node>) -> Read<RuleTest> {
        let mut test = RuleTest { line: node.at.line, page: String::new(), contains: Vec::new(), lacks: Vec::new() };
        for (key, value) in self.map(node, &TEST_KEYS, "a test")? {
            match key.value.as_str() {
                "page" => test.page = self.scalar(value, "page")?.to_owned(),
                "contains" => test.contains = self.texts(value, "contains")?,
                _ => test.lacks = self.texts(value, "lacks")?,
            }
        }
        if test.page.is_empty() || test.contains.is_empty() && test.lacks.is_empty() {
            let message = "a test names a `page`, and what an extraction of it `contains` or `lacks`";
            return Err(self.error(Code::Key, node.at, message));
        }
        Ok(test)
    }

    fn fallback(&self, node: &Located<Node>) -> Read<Fallback> {
        let origin = |at| Origin::File { file: self.file.to_owned(), text: self.text.clone(), at };
        let request = match &node.value {
            Node::Null => return Ok(Fallback::Nothing),
            Node::Map(entries) => {
                let (mut name, mut parameters) = (None, Vec::new());
                for (key, value) in entries {
                    let text = self.scalar(value, &key.value)?.to_owned();
                    match key.value.as_str() {
                        "name" => name = Some(text),
                        _ => parameters.push(ParameterRequest {
                            name: key.value.clone(),
                            written: Written::Values(vec![text]),
                            origin: origin(key.at),
                        }),
                    }
                }
                let name = name.ok_or_else(|| self.error(Code::Key, node.at, "the fallback's `name` is missing"))?;
                AlgorithmRequest { name, parameters, origin: origin(node.at) }
            }
            _ => {
                let text = self.scalar(node, "fallback")?;
                AlgorithmRequest::from_text(text, &origin(node.at))?
            }
        };
        Fallback::of(&request)
    }

    /// The keys and values of a mapping that has `known` keys alone.
    fn map<'n>(
        &self,
        node: &'n Located<Node>,
        known: &[&str],
        what: &str,
    ) -> Read<&'n [(Located<String>, Located<Node>)]> {
        let Node::Map(entries) = &node.value else {
            return Err(self.error(Code::Type, node.at, format_args!("expected {what}: keys with values")));
        };
        for (key, _) in entries {
            if !known.contains(&key.value.as_str()) {
                let hint = hint(&key.value, known.iter().copied());
                return Err(self.error(
                    Code::Key,
                    key.at,
                    format_args!("unknown key `{}` of {what}; {hint}", key.value),
                ));
            }
        }
        Ok(entries)
    }

    fn list<'n>(&self, node: &'n Located<Node>, key: &str) -> Read<&'n [Located<Node>]> {
        match &node.value {
            Node::List(items) => Ok(items),
            _ => Err(self.error(Code::Type, node.at, format_args!("`{key}` is a list"))),
        }
    }

    /// The items of a list; what is none stands for a list of itself.
    fn items<'n>(&self, node: &'n Located<Node>) -> &'n [Located<Node>] {
        match &node.value {
            Node::List(items) => items,
            Node::Null => &[],
            _ => std::slice::from_ref(node),
        }
    }

    fn texts(&self, node: &Located<Node>, key: &str) -> Read<Vec<String>> {
        self.items(node).iter().map(|item| Ok(self.scalar(item, key)?.to_owned())).collect()
    }

    fn scalar<'n>(&self, node: &'n Located<Node>, key: &str) -> Read<&'n str> {
        match &node.value {
            Node::Scalar(text) if !text.is_empty() => Ok(text),
            _ => Err(self.error(Code::Type, node.at, format_args!("`{key}`: expected a text"))),
        }
    }
}

impl Fallback {
    /// As it is written where nothing is said that needs not be.
    pub(in crate::runs) fn written(&self) -> String {
        match self {
            Fallback::Nothing => NO_FALLBACK.to_owned(),
            Fallback::Algorithm { algorithm, setting } => {
                let differing = differs(&algorithm.parameters(), setting.values());
                named(algorithm.declaration().name, &label(setting.values(), &differing, &[]))
            }
        }
    }

    /// With every parameter, each once however it was written.
    pub(in crate::runs) fn resolved(&self) -> String {
        match self {
            Fallback::Nothing => NO_FALLBACK.to_owned(),
            Fallback::Algorithm { algorithm, setting } => {
                let parameters = algorithm.parameters();
                let value = |parameter: &Parameter| {
                    let value = canonical(&parameter.values, &setting.values()[&parameter.name]);
                    format!("{}={value}", parameter.name)
                };
                let values: Vec<String> = parameters.iter().map(value).collect();
                named(algorithm.declaration().name, &values.join(","))
            }
        }
    }

    /// The fallback that `request` means; `none` stands for none.
    ///
    /// # Errors
    /// [`RequestError`]: no algorithm, one that needs other pages, or values that it does not have.
    pub fn of(request: &AlgorithmRequest) -> Read<Self> {
        if request.name == NO_FALLBACK && request.parameters.is_empty() {
            return Ok(Fallback::Nothing);
        }
        if request.name == WRAPPER {
            return Err(request.origin.error("the fallback `wrapper` would lead back to rules; name an algorithm"));
        }
        if find(&request.name).is_err() {
            let hint = hint(&request.name, names());
            let message = format!("`{}` is no algorithm that chooses on a single page; {hint}", request.name);
            return Err(request.origin.error(message));
        }
        match single_setting(request)? {
            (Entry::Page(algorithm), setting) => Ok(Fallback::Algorithm { algorithm, setting }),
            (Entry::Group(_), _) => {
                let message = format!("`{}` looks at other pages; a fallback chooses on the page alone", request.name);
                Err(request.origin.error(message))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: &str = "format: 1\nfallback: {name: cevc, alpha: 0.5}\nrules:\n  - site: a.example\n    hosts: '*.a.example'\n    \
                         path: [/news/**]\n    when: meta[name=generator]\n    include: ['#content', {selector: h1, pick: first}]\n    \
                         exclude: .share\n    tests: [{page: p1, contains: x, lacks: [y, z]}]\n  - any: true\n    include: article\n";

    #[test]
    fn rules_are_read() {
        let rules = Rules::from_yaml("r.yaml", RULES).unwrap();
        let lines: Vec<usize> = rules.rules.iter().map(|rule| rule.line).collect();
        assert_eq!(lines, [4, 11]);
        assert!(
            matches!(&rules.fallback, Fallback::Algorithm { algorithm, .. } if algorithm.declaration().name == "cevc")
        );
        assert_eq!(rules.rules[0].tests[0].lacks, ["y", "z"]);
        let none = Rules::from_yaml("r.yaml", "format: 1\nfallback: none\nrules: [{any: true, include: p}]").unwrap();
        assert!(matches!(none.fallback, Fallback::Nothing));
    }

    #[test]
    fn faults_name_line_and_code() {
        for (from, to, place, told) in [
            ("format: 1\n", "", "r.yaml:1:1", "`format: 1` is missing (E-KEY)"),
            ("format: 1\n", "format: 2\n", "r.yaml:1:9", "this program reads `format: 1`, not 2 (E-FORMAT)"),
            (
                "format: 1\n",
                "format: 1\nexclusion: nearst\n",
                "r.yaml:2:12",
                "nearest or subtracted, not `nearst` (E-TYPE)",
            ),
            ("format: 1\n", "format: 1\nlearned_from: d\n", "r.yaml:2:15", "expected `learned_from`: keys with values"),
            (
                "format: 1\n",
                "format: 1\nlearned_from: {dataset: d}\n",
                "r.yaml:2:15",
                "its `digest` and its `pages` (E-KEY)",
            ),
            (
                "format: 1\n",
                "format: 1\nlearned_from: {dataset: d, digest: x, pages: 0123456789abcdef 012345678}\n",
                "r.yaml:2:46",
                "`012345678` is not the 16 hexadecimal digits of a page (E-TYPE)",
            ),
            ("hosts:", "host:", "r.yaml:5:5", "did you mean `hosts`? (E-KEY)"),
            ("*.a.example", "a.*.example", "r.yaml:5:12", "no pattern of hosts"),
            ("[/news/**]", "[news/**]", "r.yaml:6:12", "it begins with `/`, as every path does (E-GLOB)"),
            ("meta[name=generator]", "meta[name==x]", "r.yaml:7:11", "(E-SELECTOR)"),
            ("'#content'", "'#content::before'", "r.yaml:8:15", "(E-SELECTOR)"),
            ("pick: first", "pick: last", "r.yaml:8:48", "`pick` is all or first, not `last` (E-TYPE)"),
            ("selector: h1, ", "", "r.yaml:8:27", "`selector` is missing (E-KEY)"),
            ("exclude: .share", "exclude: [.share, '!']", "r.yaml:9:23", "(E-SELECTOR)"),
            ("page: p1, ", "", "r.yaml:10:13", "a test names a `page`"),
            (", contains: x, lacks: [y, z]", "", "r.yaml:10:13", "`contains` or `lacks` (E-KEY)"),
            ("any: true", "any: yes", "r.yaml:11:10", "`any` is `true` or left out (E-TYPE)"),
            ("  - any: true\n", "  - {}\n", "r.yaml", ""),
            ("site: a.example\n", "site: [a.example]\n", "r.yaml:4:11", "`site`: expected a text (E-TYPE)"),
            ("site: a.example\n", "sites: []\n", "r.yaml:4:12", "for every site there is `any: true` (E-TYPE)"),
            ("site: a.example\n", "any: true\n    site: b\n", "r.yaml:5:5", "one of `site`, `sites` and `any` (E-KEY)"),
            ("include: article", "when: p", "r.yaml:11:5", "`include` is missing or empty"),
            ("any: true\n    include", "include", "r.yaml:11:5", "a rule says which pages it is for"),
            ("{name: cevc, alpha: 0.5}", "cevcc", "r.yaml:2:11", "did you mean `cevc`?"),
            ("{name: cevc, alpha: 0.5}", "{name: cevc, alhpa: 1}", "r.yaml:2:24", "did you mean `alpha`?"),
            ("{name: cevc, alpha: 0.5}", "wrapper", "r.yaml:2:11", "would lead back to rules"),
            ("{name: cevc, alpha: 0.5}", "istm", "r.yaml:2:11", "a fallback chooses on the page alone"),
            ("{name: cevc, alpha: 0.5}", "oracle-nodes", "r.yaml:2:11", "no algorithm that chooses on a single page"),
        ] {
            let text = RULES.replacen(from, to, 1);
            assert_ne!(text, RULES, "{from}");
            let error = Rules::from_yaml("r.yaml", &text).err().unwrap_or_else(|| panic!("{to} is taken")).to_string();
            assert!(error.starts_with(place) && error.contains(told), "{to}: {error}");
        }
        let empty = Rules::from_yaml("r.yaml", "format: 1\nrules: []\n").err().unwrap().to_string();
        assert!(empty.contains("`rules` is missing or empty"), "{empty}");
    }
}
