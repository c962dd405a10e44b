//! Reports and explanations in Chinese, as people meet them: nothing of our own is left in English.

use crate::support::{Folder, check};

/// Words of English in a row that make a sentence.
const SENTENCE: usize = 4;

/// The runs of English words in `text`.
fn sentences(text: &str) -> Vec<String> {
    let is_word = |word: &&str| {
        let letters = word.trim_end_matches([',', ';', ':', '.']);
        !letters.is_empty() && letters.chars().all(|c| c.is_ascii_alphabetic() || c == '-' || c == '\'')
    };
    let words: Vec<&str> = text.split([' ', '\n']).collect();
    let runs = words.split(|word| !is_word(word)).filter(|run| run.len() >= SENTENCE);
    runs.map(|run| run.join(" ")).collect()
}

/// A document without what is no text of the report: scripts but for their data, styles, comments of LaTeX, commands, and
/// systems, which are named as they are everywhere.
fn own_texts(name: &str, document: &str) -> String {
    let text = match name.ends_with(".html") {
        true => without("style", &without("script", document)),
        false => document.to_owned(),
    };
    let lines = text
        .split(['\n', '"'])
        .filter(|line| ["% \\", "carat 0.", "carat annotate "].iter().all(|other| !line.contains(other)));
    lines.collect::<Vec<_>>().join("\n")
}

/// A document without the elements of one name that have no attributes.
fn without(element: &str, document: &str) -> String {
    let (start, end) = (format!("<{element}>"), format!("</{element}>"));
    let mut parts = document.split(&start);
    let first = parts.next().unwrap_or_default().to_owned();
    first + &parts.filter_map(|part| Some(part.split_once(&end)?.1)).collect::<String>()
}

fn assert_chinese(name: &str, document: &str) {
    let found = sentences(&own_texts(name, document));
    assert!(found.is_empty(), "{name}: {found:#?}");
    assert!(document.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c)), "{name} has no Chinese");
}

/// All that `carat report --lang zh` prints and writes of the run in `o`.
fn assert_report_is_chinese(folder: &Folder, more: &[&str]) {
    for form in
        ["", "--stats", "--format md", "--format latex", "--stats --format md", "--stats --format latex", "--format pr"]
            .iter()
            .chain(more)
    {
        let ran = check(folder, &format!("report o --lang zh {form}"), 0, &[]);
        assert_chinese(&format!("report {form}"), &ran.stdout);
    }
    let mut kinds = std::collections::BTreeMap::new();
    for path in folder.files().into_keys().filter(|path| path.starts_with(folder.path("o"))) {
        let name = path.strip_prefix(folder.path("o")).unwrap().to_str().unwrap().to_owned();
        let kind = ["md", "tex", "svg", "html"].into_iter().find(|kind| name.ends_with(&format!(".{kind}")));
        if let Some(kind) = kind {
            assert_chinese(&name, &folder.read(&format!("o/{name}")));
            *kinds.entry(kind).or_insert(0) += 1;
        }
    }
    assert_eq!(kinds.len(), 4, "{kinds:?}");
}

#[test]
fn english_sentences_are_found() {
    assert_eq!(sentences("算法：mean over the pages，P"), ["mean over the pages"; 0]);
    assert_eq!(sentences("算法： mean over the pages of it"), ["mean over the pages of it"]);
    assert!(own_texts("a.html", "<p>x<script>const one = two</script>y").ends_with("<p>xy"));
}

#[test]
fn no_english_sentence_is_left_in_a_report() {
    let folder = Folder::new().with(
        "c.yaml",
        "datasets: [portals]\nwhere: {group: zh-news}\nalgorithms: ['nta:coherence=0.5..1.0/0.1', \
         'nta:coherence=exact', 'cevc:alpha=0.5|0.6,text_children=zero|counted', cevc, all-text, relevance, istm, fiasco-lite]\n\
         bounds: [oracle-nodes, oracle-subtree]\ntokens: word\n",
    );
    check(&folder, "run c.yaml --out o", 0, &[]);
    assert_report_is_chinese(&folder, &["--by site", "--by site --format md", "--by kind --format latex"]);
}

#[test]
fn no_english_sentence_is_left_without_gold_or_with_roles() {
    let manifest =
        "format: 1\nname: demo\nversion: '1'\nlicence: {data: CC0-1.0, pages: CC0-1.0, redistribution: free}\n";
    let page = "{\"id\":\"p\",\"language\":\"zh\",\"html\":{\"text\":\"<body><h1>猫</h1><p>它们睡觉。</p><nav>菜单</nav>\"}}\n";
    let folder = Folder::new().with("demo/dataset.yaml", manifest).with("demo/pages.jsonl", page);
    check(&folder, "run --dataset ./demo --algorithm all-text --algorithm nta --algorithm cevc --out o", 0, &[]);
    assert_report_is_chinese(&folder, &["--by language", "--by language --format md", "--by language --format latex"]);

    let page = "{\"id\":\"p\",\"html\":{\"text\":\"<body><h1>猫</h1><p>它们睡觉。</p><nav>菜单</nav>\"},\
                \"gold\":{\"select\":{\"include\":[\"p\"],\"roles\":{\"title\":[\"h1\"],\"menu\":[\"nav\"]}}}}\n";
    let folder = Folder::new().with("demo/dataset.yaml", manifest).with("demo/pages.jsonl", page);
    check(&folder, "run --dataset ./demo --algorithm all-text --algorithm nta --out o", 0, &["demo by role"]);
    assert_report_is_chinese(&folder, &[]);
}

#[test]
fn no_english_is_left_in_a_run_by_several_measures() {
    let folder = Folder::new();
    let run =
        "run --where group=zh-news --algorithm nta --algorithm cevc --bounds oracle-nodes --measure lcs,bag --lang zh";
    let ran = check(&folder, &format!("{run} --out o"), 0, &[]);
    assert_chinese("run", &ran.stdout);
    for name in ["measures.md", "index.html"] {
        let document = folder.read(&format!("o/{name}"));
        assert_chinese(name, &document);
        let words = ["按各度量的宏平均 F1", "数据集", "oracle-nodes （上界）", "不分先后"];
        assert!(words.iter().all(|word| document.contains(word)), "{document}");
        assert!(!document.contains("(bound)") && !document.contains("by each measure"), "{document}");
    }
    assert!(folder.read("o/index.html").contains("<h1>度量</h1>"));
    // CSV is for programs, and the same in every language.
    assert!(folder.read("o/measures.csv").starts_with("dataset,row,lcs char,bag char\n"));
}

#[test]
fn no_english_is_left_in_a_site() {
    let folder = Folder::new();
    let run = "run --algorithm all-text --algorithm nta --algorithm cevc --algorithm fiasco-lite --bounds oracle-nodes";
    check(&folder, &format!("{run} --time --where group=zh-news --out o"), 0, &[]);
    check(&folder, &format!("{run} --where group=zh-news --case lower --out one"), 0, &[]);
    check(&folder, "run --algorithm nta --where group=zh-news --tokens word --out alone", 0, &[]);
    check(&folder, "history add h.jsonl o one --label v1 --label v2", 0, &[]);
    check(&folder, "site o alone --history h.jsonl --lang zh --out public", 0, &[]);
    for name in ["index.html", "portals-lcs-char.html", "portals-lcs-word.html"] {
        let document = folder.read(&format!("public/{name}"));
        assert_chinese(name, &document);
        assert!(document.contains("<html lang=\"zh-Hans\">"), "{name}");
        for element in
            ["title", "h1", "h2", "caption", "th scope=\"col\" class=\"name\"", "a href=\"index.html\"", "p", "li"]
        {
            let end = format!("</{}>", element.split(' ').next().unwrap());
            for text in document.split(&format!("<{element}>")).skip(1).map(|rest| rest.split(&end).next().unwrap()) {
                let is_chinese = text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
                assert!(is_chinese || ["carat", "F1"].contains(&text), "{name}: {element}: {text}");
            }
        }
    }
}

#[test]
fn no_english_sentence_is_left_in_an_explanation() {
    let folder = Folder::new();
    let algorithms = [
        "nta",
        "nta:link_siblings=none",
        "cevc",
        "cevc:output=all",
        "relevance",
        "relevance:empty=words",
        "istm",
        "dse",
        "sst",
        "pagelets",
        "info-discoverer",
        "template-learned",
        "exalg-like",
        "xiong-like",
        "link-noise",
        "link-noise:scores=learned",
        "fiasco-lite",
        "all-text",
    ];
    for algorithm in algorithms {
        let explain = format!("explain portals zh-news-1-0001 --algorithm {algorithm} --lang zh");
        let ran = check(&folder, &explain, 0, &[]);
        assert!(!ran.stdout.contains("  ("), "brackets of figures are full-width: {}", ran.stdout);
        assert_chinese(algorithm, &ran.stdout);
        check(&folder, &format!("{explain} --html {algorithm}.html"), 0, &[]);
        assert_chinese(&format!("{algorithm}.html"), &folder.read(&format!("{algorithm}.html")));
    }
}

#[test]
fn no_english_sentence_is_left_in_comparisons_differences_and_tuning() {
    let folder = Folder::new().with(
        "c.yaml",
        "datasets: [portals]\nwhere: {group: zh-news}\nalgorithms: ['nta:coherence=0.6..1.0/0.1', cevc, all-text]\n",
    );
    let tuned = "datasets: [portals]\nwhere: {group: zh-news}\nalgorithms: [{nta: {coherence: 0.6..1.0/0.1}}, {cevc: {alpha: exact}}]\n";
    let floor = format!("{tuned}tune: {{objective: site_macro recall at precision >= 0.85, folds: site}}\n");
    let folder = folder.with("t.yaml", tuned).with("floor.yaml", floor);
    check(&folder, "run c.yaml --time --lang zh --out o", 0, &[]);
    for form in ["", "--format md", "--format latex", "--pairs", "--where-loses all-text", "--reference all-text"] {
        let ran = check(&folder, &format!("compare o --row nta --row all-text {form}"), 0, &["字母", "区间"]);
        assert_chinese(&format!("compare {form}"), &ran.stdout);
    }
    for form in ["", "--algorithm nta", "--algorithm all-text --side-by-side", "--a nta:coherence=0.6 --b all-text"] {
        let ran = check(&folder, &format!("diff o zh-news-1-0001 {form}"), 0, &[]);
        assert_chinese(&format!("diff {form}"), &ran.stdout);
    }
    check(&folder, "compare o --lang en --row nta --row all-text", 0, &["against nta", "p corrected: by Holm"]);
    check(&folder, "explain o zh-news-1-0001 --algorithm nta", 0, &["精确率"]);
    check(&folder, "report o --lang en", 0, &[]);
    check(&folder, "diff o zh-news-1-0001", 0, &["precision", "choose with"]);
    check(&folder, "diff o zh-news-1-0001 --lang zh", 0, &["精确率", "以 --algorithm 选择一行"]);
    for form in ["t.yaml --protocol paper-cevc", "floor.yaml"] {
        let ran = check(&folder, &format!("tune {form} --resamples 100 --lang zh"), 0, &["结论"]);
        assert_chinese(&format!("tune {form}"), &ran.stdout);
    }
    assert!(folder.read("reports/t-tuning/index.html").contains("<html lang=\"zh-Hans\">"));
}
