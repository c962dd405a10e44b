//! The files of the repository that others paste and use: the baseline, the defaults in the documents, the action.

use std::path::Path;

use carat::decisions::gate::baseline;
use carat::formats::yaml::{Located, Node, parse};
use carat::runs::configuration::Configuration;
use carat::runs::plan::Plan;

fn own(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

#[test]
fn the_committed_baseline_is_of_the_committed_configuration() {
    let plan = Plan::new(Configuration::from_yaml("gate.yaml", &own("configs/gate.yaml")).unwrap()).unwrap();
    let baseline = baseline::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("reports/baseline.json")).unwrap();
    let mut rows: Vec<String> = plan.rows.iter().map(|row| row.name().to_owned()).collect();
    rows.sort();
    assert_eq!(baseline.rows.iter().map(|row| row.name()).collect::<Vec<_>>(), rows);
    assert_eq!(baseline.pages(), plan.pages());
}

#[test]
fn the_documents_defaults_are_the_programs() {
    let page = own("docs/reference/gate.md");
    let rules = page.split("```yaml\ngate:").nth(1).unwrap().split("```").next().unwrap();
    let text = format!("datasets: [portals]\nalgorithms: [nta]\ngate:{rules}");
    let told = Configuration::from_yaml("ci.yaml", &text).unwrap().gate;
    assert_eq!(told, Configuration::default_run().gate);
}

/// The value of `key` in a mapping.
fn at<'n>(node: &'n Located<Node>, key: &str) -> &'n Located<Node> {
    let Node::Map(entries) = &node.value else { panic!("no mapping around {key}") };
    &entries.iter().find(|(known, _)| known.value == key).unwrap_or_else(|| panic!("no {key}")).1
}

fn keys(node: &Located<Node>) -> Vec<&str> {
    let Node::Map(entries) = &node.value else { panic!("no mapping") };
    entries.iter().map(|(key, _)| key.value.as_str()).collect()
}

fn text_at<'n>(node: &'n Located<Node>, key: &str) -> &'n str {
    match &at(node, key).value {
        Node::Scalar(text) => text,
        other => panic!("{key}: {other:?}"),
    }
}

#[test]
fn the_action_uses_inputs_that_it_has_and_never_within_a_script() {
    let text = own("action.yml");
    let action = parse("action.yml", &text).unwrap();
    let inputs = keys(at(&action, "inputs"));
    let used = text.split("${{ inputs.").skip(1).map(|rest| rest.split(" }}").next().unwrap());
    let used: Vec<&str> = used.collect();
    assert_eq!(used, inputs, "each input is used once, in its order");
    let Node::List(steps) = &at(at(&action, "runs"), "steps").value else { panic!("no steps") };
    let scripts = steps.iter().filter(|step| keys(step).contains(&"run"));
    for script in scripts {
        // What someone names a branch or a file must not become a command.
        assert!(!text_at(script, "run").contains("${{"), "{}", text_at(script, "run"));
        assert_eq!(text_at(script, "shell"), "bash");
    }
    let outputs = at(&action, "outputs");
    for output in keys(outputs) {
        assert_eq!(text_at(at(outputs, output), "value"), format!("${{{{ steps.gate.outputs.{output} }}}}"));
        assert!(text.contains(&format!("echo \"{output}=")), "{output}");
    }
    let page = own("docs/reference/gate.md");
    for name in inputs.iter().chain(&keys(outputs)) {
        assert!(page.contains(&format!("`{name}`")), "docs/reference/gate.md does not tell of {name}");
    }
    for job in page.split("```yaml\n").skip(1).map(|block| block.split("```").next().unwrap()) {
        parse("ci.md", job).unwrap();
    }
}
