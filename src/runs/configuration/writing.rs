//! A configuration as a file.

use super::combine::COMBINE;
use super::{Configuration, NamedRequest};
use crate::scoring::Comparison;

impl Configuration {
    /// The configuration as a file that makes the same run again.
    pub fn to_yaml(&self) -> String {
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        let list = |texts: &[String]| texts.iter().map(|text| quoted(text)).collect::<Vec<_>>().join(", ");
        let mut yaml = String::new();
        let mut line = |text: String| {
            yaml.push_str(&text);
            yaml.push('\n');
        };
        line(format!("name: {}", quoted(&self.name)));
        let names =
            |requests: &[NamedRequest]| list(&requests.iter().map(|request| request.name.clone()).collect::<Vec<_>>());
        line(format!("datasets: [{}]", names(&self.datasets)));
        if !self.filters.is_empty() {
            let filters = self.filters.iter().map(|(key, value)| format!("{key}: {}", quoted(value)));
            line(format!("where: {{{}}}", filters.collect::<Vec<_>>().join(", ")));
        }
        if !self.without_faults.is_empty() {
            line(format!("without_faults: [{}]", list(&self.without_faults)));
        }
        if self.keep_going {
            line("keep_going: true".to_owned());
        }
        let Comparison { tokens, case, measure } = self.comparison;
        line(format!("tokens: {tokens}\ncase: {case}"));
        match &self.further[..] {
            [] => line(format!("measure: {measure}")),
            _ => {
                let rules: Vec<String> = self.comparisons().map(Comparison::in_full).collect();
                line(format!("measure: [{}]", list(&rules)));
            }
        }
        if self.algorithms.len() + self.ensembles.len() > 0 || self.asks_others() {
            line("algorithms:".to_owned());
        }
        for request in &self.algorithms {
            line(format!("  - {}", quoted(&request.to_string())));
        }
        for request in &self.external {
            line(format!("  - {}", request.to_yaml()));
        }
        for request in &self.functions {
            line(format!("  - {}", request.to_yaml()));
        }
        for request in &self.ensembles {
            line(format!("  - {COMBINE}: {}", serde_json::Value::Object(request.to_json())));
        }
        let bounds: Vec<String> = self.bounds.iter().map(ToString::to_string).collect();
        line(format!("bounds: [{}]", list(&bounds)));
        if !self.stored.is_empty() {
            line(format!("stored: [{}]", names(&self.stored)));
        }
        yaml
    }
}
