//! `link-noise` with learned scores: which links are noise is learned from the gold of other sites.

use std::collections::{BTreeMap, BTreeSet};

use super::training::{DEFAULT_FOLDS, Fitting, SiteModels, TrainingPage, TrainingSet, sites_of};
use crate::algorithms::algorithm::Choice;
use crate::algorithms::explanation::{Explanation, Figure, Number};
use crate::algorithms::features::visible::VisibleText;
use crate::algorithms::link_noise::{Addresses, FEATURES, Features, LinkNoiseParameters, Linked, addresses, links};
use crate::algorithms::value::{Value, billionths};
use crate::datasets::manifest::Record;
use crate::datasets::node_tokens::{NodeTokens, char_tokens};
use crate::datasets::{Dataset, Halt};
use crate::page::Page;
use crate::runs::guarding::{IsStopped, go_on, guarded};
use crate::statistics::linear::{Example, Loss, Model};

/// The features, and the constant.
const COEFFICIENTS: usize = 7;

/// As the defaults of `fiasco-lite`.
const FITTING: Fitting = Fitting { loss: Loss::Logistic, l2: 1.0, folds: DEFAULT_FOLDS };

/// What is known of links before a page is chosen on.
pub(super) struct LinkModels {
    /// Of each site.
    addresses: BTreeMap<String, Addresses>,
    /// For each site what was learned from the others.
    models: SiteModels,
}

/// A link that is learned from.
struct TrainingLink {
    features: Features,
    is_noise: bool,
    weight: f32,
}

impl TrainingPage for Vec<TrainingLink> {
    fn examples(&self, each: &mut dyn FnMut(Example<'_>)) {
        for TrainingLink { features, is_noise, weight } in self {
            each(Example { row: &row(features), is_positive: *is_noise, weight: f64::from(*weight) });
        }
    }
}

fn row(features: &Features) -> [f64; COEFFICIENTS] {
    let mut row = [1.0; COEFFICIENTS];
    row.iter_mut().zip(features).for_each(|(value, &holds)| *value = f64::from(u8::from(holds)));
    row
}

impl LinkModels {
    /// Learns from the pages of `dataset` for each of its sites without it; of `parameters` only how long a short link is
    /// matters.
    ///
    /// # Errors
    /// [`Halt`]: a page list that cannot be read any more, or was changed; or that it was stopped.
    pub(super) fn learn(
        dataset: &Dataset,
        parameters: &LinkNoiseParameters,
        is_stopped: IsStopped<'_>,
    ) -> Result<Self, Halt> {
        LinkModels::learn_for(dataset, &sites_of(dataset)?, parameters, is_stopped)
    }

    /// The same for pages of `sites`.
    ///
    /// # Errors
    /// As [`LinkModels::learn`].
    pub(super) fn learn_for(
        dataset: &Dataset,
        sites: &BTreeSet<String>,
        parameters: &LinkNoiseParameters,
        is_stopped: IsStopped<'_>,
    ) -> Result<Self, Halt> {
        let addresses = addresses_of_sites(dataset, is_stopped)?;
        let keep = |dataset: &Dataset, record: &Record| {
            training_links(dataset, record, addresses.get(record.site_or_id())?, parameters)
        };
        let training = TrainingSet::read(&[dataset], keep, is_stopped)?;
        let models = SiteModels::learn_for(&training, sites, FITTING, is_stopped)?;
        Ok(LinkModels { addresses, models })
    }

    /// What stays of a page; `None` where there was no other site to learn from.
    pub(super) fn choose(&self, record: &Record, page: &Page, parameters: &LinkNoiseParameters) -> Option<Choice> {
        let (model, linked) = self.on(record, page, parameters)?;
        Some(linked.choice(|features| is_noise(noise(model, features)), parameters))
    }

    /// The same, and for each text how likely its link is noise.
    pub(super) fn explain(
        &self,
        record: &Record,
        page: &Page,
        parameters: &LinkNoiseParameters,
    ) -> Option<(Choice, Explanation)> {
        let (model, linked) = self.on(record, page, parameters)?;
        let figures = |features: Option<&Features>| {
            let Some(features) = features else { return Vec::new() };
            let likely = Number::Value(Value::decimal(noise(model, features), 9));
            let holds = |(name, &holds): (&&'static str, &bool)| Figure::word(name, if holds { "yes" } else { "no" });
            let likely = Figure::new("how likely its link is noise (1/2 is enough)", likely);
            std::iter::once(likely).chain(FEATURES.iter().zip(features).map(holds)).collect()
        };
        let by_model = |features: &Features| is_noise(noise(model, features));
        let nodes = linked.judged(by_model, parameters, figures);
        let learned_from = format!("the links of {}", self.models.learned_from(record.site_or_id()));
        let figures = vec![Figure::new("learned from", Number::Text(learned_from))];
        let choice = linked.choice(by_model, parameters);
        Some((choice, Explanation { figures, lists: Vec::new(), nodes }))
    }

    /// The model for a page, and its links; `None` where there was no other site to learn from.
    fn on(&self, record: &Record, page: &Page, parameters: &LinkNoiseParameters) -> Option<(&Model, Linked)> {
        let site = record.site_or_id();
        let (model, addresses) = (self.models.of(site)?, self.addresses.get(site)?);
        Some((model, Linked::of(page, addresses, parameters)))
    }
}

/// How likely a link is noise, in 1e-9.
fn noise(model: &Model, features: &Features) -> u64 {
    billionths(model.probability(&row(features)))
}

/// Whether a link that is noise so likely, in 1e-9, is taken for it.
fn is_noise(likely: u64) -> bool {
    likely >= 500_000_000
}

/// On how many pages of its site each address is linked.
fn addresses_of_sites(dataset: &Dataset, is_stopped: IsStopped<'_>) -> Result<BTreeMap<String, Addresses>, Halt> {
    const AT_A_TIME: usize = 256;
    let of_page = |record: &Record| -> Result<Vec<Box<str>>, Halt> {
        go_on(is_stopped)?;
        let opened = || Some(addresses(&dataset.open_page(record).ok()?).into_iter().map(Box::from).collect());
        Ok(guarded(opened).ok().flatten().unwrap_or_default())
    };
    let mut sites: BTreeMap<String, Addresses> = BTreeMap::new();
    dataset.records.for_each_made(AT_A_TIME, of_page, |record, addresses| {
        sites.entry(record.site_or_id().to_owned()).or_default().add(addresses);
        Ok::<_, Halt>(())
    })?;
    Ok(sites)
}

/// The links with text of a page that has gold; noise are those of which less than half of the characters are in the text
/// nodes that yield the gold best. `None` for a page that cannot be opened, or whose gold is too long to be put on nodes.
fn training_links(
    dataset: &Dataset,
    record: &Record,
    addresses: &Addresses,
    parameters: &LinkNoiseParameters,
) -> Option<Vec<TrainingLink>> {
    let opened = dataset.open(record).ok()?;
    let page = opened.page;
    let gold = page.view::<NodeTokens>().best(&char_tokens(&opened.gold?)).ok()?;
    let (tree, text) = (&page.tree, page.view::<VisibleText>());
    let chars_of_gold = |&node: &_| if gold.has(node) { u64::from(text.chars(tree, node)) } else { 0 };
    let mut before = vec![0];
    before.extend(text.nodes.iter().map(chars_of_gold).scan(0, |sum, chars| {
        *sum += chars;
        Some(*sum)
    }));
    let link = |(link, features)| {
        let (places, chars) = (text.places(tree, link), text.chars(tree, link));
        let of_gold = before[places.end] - before[places.start];
        let weight = libm::log(1.0 + f64::from(chars)) as f32;
        (chars > 0).then_some(TrainingLink { features, is_noise: 2 * of_gold < u64::from(chars), weight })
    };
    Some(links(&page, addresses, parameters).into_iter().filter_map(link).collect())
}
