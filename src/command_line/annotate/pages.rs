//! The pages of a dataset, as the annotator asks for them.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

use carat_annotate::digest::sha256;
use carat_annotate::document::Document;
use carat_annotate::new_dataset::ORIGIN;
use carat_annotate::source::{KnownGold, Listed, Opened, Source};
use globset::Glob;
use serde_json::Value as Json;

use crate::command_line::arguments::Marking;
use crate::command_line::failure::Failure;
use crate::datasets::Dataset;
use crate::datasets::locate::locate;
use crate::datasets::manifest::Record;
use crate::datasets::node_gold::GoldNodes;
use crate::datasets::node_tokens::best_for_gold;
use crate::runs::compared_pages::{NOTHING_COMPARED, most_disputed};
use crate::runs::configuration::filter;
use crate::runs::filters::{drawn_split, states_all};
use crate::runs::run_folder::RunFolder;
use crate::scoring::Comparison;
use crate::text::hint;
use crate::text::words::Segmenter;

/// The whole of the fraction `f1` of a gold that is the text of its nodes: twice its characters.
pub(super) fn whole_f1(text: &str) -> u64 {
    let counts = Comparison::default().measured(text, text, &Segmenter::default()).counts;
    (2 * counts.matched).max(1)
}

/// A dataset and its list.
pub(super) struct Pages {
    pub(super) dataset: Dataset,
    listed: Vec<Listed>,
    with_gold: Vec<bool>,
}

impl Pages {
    /// Reads the manifest and the lists of the dataset in `folder`.
    pub(super) fn load(folder: &Path) -> Result<Self, Failure> {
        // A folder is meant, whatever dataset has its name.
        let folder = if folder.is_relative() { Path::new(".").join(folder) } else { folder.to_owned() };
        let dataset = locate(&folder.to_string_lossy())?;
        let (mut listed, mut with_gold) = (Vec::new(), Vec::new());
        for record in dataset.records.iter() {
            let record = record?;
            listed
                .push(Listed { id: record.id.clone(), site: record.site.clone().unwrap_or_else(|| record.id.clone()) });
            with_gold.push(record.gold.is_some());
        }
        Ok(Pages { dataset, listed, with_gold })
    }

    /// True if there is a page `id` that has gold.
    pub(super) fn has_gold(&self, id: &str) -> bool {
        self.listed.iter().zip(&self.with_gold).any(|(listed, has_gold)| listed.id == id && *has_gold)
    }

    /// True if the page at a place has a gold that nobody marked: it has no nodes, or its text was changed since it was written.
    ///
    /// # Errors
    /// [`Failure`]: the page list cannot be read.
    pub(super) fn has_other_gold(&self, place: usize) -> Result<bool, Failure> {
        let record = self.dataset.records.get(place)?;
        let Some(gold) = &record.gold else { return Ok(false) };
        let Some(nodes) = gold.nodes() else { return Ok(true) };
        let text = self.gold_text(place).ok().flatten().unwrap_or_default();
        Ok(nodes.f1.is_some_and(|f1| f1[0] == f1[1] && f1[1] != whole_f1(&text)))
    }

    fn record(&self, place: usize) -> Result<Arc<Record>, String> {
        self.dataset.records.get(place).map_err(|error| error.to_string())
    }

    /// The page at a place as it is marked.
    pub(super) fn document(&self, place: usize) -> Result<Document, String> {
        Document::new(self.open(place)?.page)
    }

    /// The gold text of the page at a place.
    pub(super) fn gold_text(&self, place: usize) -> Result<Option<String>, String> {
        let record = self.record(place)?;
        Ok(self.dataset.open(&record)?.gold)
    }
}

impl Source for Pages {
    fn name(&self) -> &str {
        self.dataset.name()
    }

    fn listed(&self) -> &[Listed] {
        &self.listed
    }

    fn open(&self, place: usize) -> Result<Opened, String> {
        let record = self.record(place)?;
        let bytes = self.dataset.page_bytes(&record)?;
        Ok(Opened { page: self.dataset.open_page(&record)?, html_sha256: sha256(&bytes) })
    }

    fn gold(&self, place: usize, document: &Document) -> Result<Option<KnownGold>, String> {
        let record = self.record(place)?;
        let opened = self.dataset.open(&record)?;
        let Some(text) = opened.gold else { return Ok(None) };
        let lines: Vec<&str> = document.page.tree.ids().map(|id| document.page.tree.text(id)).collect();
        let all = crate::text::dense(&lines.concat());
        let lacking = text.lines().filter(|line| !all.contains(&crate::text::dense(line))).map(str::to_owned).collect();
        if let Some(stated) = record.gold.as_ref().and_then(|gold| gold.nodes()) {
            let f1 = stated.f1.map(|[part, whole]| part as f64 / whole as f64);
            let GoldNodes { ranges, spans, roles, .. } = stated;
            return Ok(Some(KnownGold { nodes: ranges, spans, roles: roles.into_iter().collect(), f1, lacking }));
        }
        let tree = &document.page.tree;
        let (selection, f1) = match opened.nodes {
            Some(nodes) => (nodes, None),
            None => {
                let (best, counts) = best_for_gold(&document.page, &text).map_err(|error| error.to_string())?;
                (best, Some(counts.score().fractions()[2]))
            }
        };
        let nodes = GoldNodes::of(tree, &selection).ranges;
        Ok(Some(KnownGold { nodes, f1, lacking, ..KnownGold::default() }))
    }
}

/// The places of the pages that are asked for, in the order in which they come.
pub(super) fn order(arguments: &Marking, pages: &Pages) -> Result<Vec<usize>, Failure> {
    let ids = || pages.listed.iter().map(|listed| listed.id.as_str());
    if let Some(id) = arguments.page.iter().find(|id| !ids().any(|known| known == id.as_str())) {
        return Err(Failure::request(format!("there is no page `{id}`; {}", hint(id, ids().take(10_000)))));
    }
    let mut order: Vec<usize> = (0..pages.listed.len()).collect();
    if !arguments.page.is_empty() {
        order.retain(|place| arguments.page.contains(&pages.listed[*place].id));
    }
    if let Some(pattern) = &arguments.only {
        let glob = Glob::new(pattern).map_err(|error| Failure::request(format!("--only: {error}")))?.compile_matcher();
        order.retain(|place| glob.is_match(&pages.listed[*place].id));
    }
    let filters = filters(arguments)?;
    if !filters.is_empty() {
        let mut wanted = vec![false; pages.listed.len()];
        for &place in &order {
            wanted[place] = states_all(&*pages.dataset.records.get(place)?, &filters);
        }
        order.retain(|place| wanted[*place]);
        if order.is_empty() {
            let filters = shown(&filters);
            return Err(Failure::request(format!("--where: no page that is asked for states {filters}")));
        }
    }
    let drawn =
        |place: &usize| sha256(format!("carat-sample\n{}\n{}\n", arguments.seed, pages.listed[*place].id).as_bytes());
    if let Some(sample) = arguments.sample {
        let mut sampled = order.clone();
        sampled.sort_by_cached_key(drawn);
        sampled.truncate(sample);
        order.retain(|place| sampled.contains(place));
    }
    match arguments.order.as_str() {
        "random" => order.sort_by_cached_key(drawn),
        run if run != "sites" => {
            let places = disputed(run, pages)?;
            order.sort_by_key(|place| places.get(&pages.listed[*place].id).copied().unwrap_or(usize::MAX));
        }
        _ => {
            let mut first = HashMap::new();
            for place in &order {
                let next = first.len();
                first.entry(&pages.listed[*place].site).or_insert(next);
            }
            order.sort_by_key(|place| first[&pages.listed[*place].site]);
        }
    }
    if order.is_empty() {
        return Err(Failure::request("no page is left to annotate"));
    }
    Ok(order)
}

/// The filters of the command line.
fn filters(arguments: &Marking) -> Result<BTreeMap<String, String>, Failure> {
    let filters = arguments.filters.iter().map(|argument| filter(argument)).collect::<Result<BTreeMap<_, _>, _>>()?;
    if drawn_split(&filters).is_some() {
        return Err(Failure::request("--where split: a split that is drawn is for runs; --sample N draws pages"));
    }
    Ok(filters)
}

fn shown(filters: &BTreeMap<String, String>) -> String {
    filters.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(" and ")
}

/// The places, in the order of disputes, of the pages on which a run compared systems.
fn disputed(run: &str, pages: &Pages) -> Result<HashMap<String, usize>, Failure> {
    let folder = Path::new(run);
    if !folder.is_dir() {
        return Err(Failure::request(format!("--order {run}: it is sites, random or the folder of a run")));
    }
    let run = RunFolder::open(folder)?;
    let own = pages.dataset.name();
    // A run from whose pages the dataset was made knows them by the name of its own dataset.
    let origin = pages.dataset.manifest.other.get(ORIGIN).and_then(Json::as_str);
    let mut ids = most_disputed(&run, own)?;
    if let Some(origin) = origin.filter(|origin| ids.is_empty() && *origin != own) {
        ids = most_disputed(&run, origin)?;
    }
    if ids.is_empty() {
        return Err(Failure::request(format!("--order {run}: it {NOTHING_COMPARED}", run = folder.display())));
    }
    Ok(ids.into_iter().zip(0..).collect())
}
