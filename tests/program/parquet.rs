//! Parquet files as datasets, and scores as Parquet; and what a program without the feature says of both.

#[cfg(not(feature = "parquet"))]
mod without_the_feature {
    use crate::support::{Folder, check};

    #[test]
    fn parquet_is_refused_with_the_way_to_get_it() {
        let folder = Folder::new().with("a.parquet", "PAR1");
        let sentence = "this carat was built without Parquet; build one that reads it with `cargo install --path . --features parquet`";
        check(&folder, "run --dataset parquet:a.parquet --algorithm all-text", 2, &[sentence]);
        check(&folder, "dataset import parquet a.parquet --out o", 2, &[sentence]);
        check(&folder, "dataset check parquet:a.parquet", 2, &[sentence]);
        let help = folder.carat("run --help");
        assert!(help.code == 0 && !help.stdout.contains("--scores"), "{help:?}");
        for command in ["run --dataset .", "merge a b --out c"] {
            check(&folder, &format!("{command} --scores parquet"), 2, &["unexpected argument '--scores'"]);
        }
        let listed = folder.carat("list importers");
        assert!(listed.code == 0 && !listed.stdout.contains("parquet"), "{listed:?}");
    }
}

#[cfg(feature = "parquet")]
mod with_the_feature {
    use std::fs;
    use std::sync::Arc;

    use crate::support::{Folder, check};
    use carat::datasets::import::write::{Layout, write};
    use carat::datasets::import::{Options, find};
    use carat::datasets::load::load_folder;
    use carat::datasets::manifest::Compression;
    use carat_parquet::{Cell, Form, ParquetFile, Rows, Source, TableWriter, Value};

    const COLUMNS: [(&str, Form); 5] =
        [("html", Form::Text), ("id", Form::Text), ("gold", Form::Text), ("url", Form::Text), ("language", Form::Text)];

    /// Twelve pages of three sites, the last of which has no gold.
    fn pages() -> Vec<[String; 5]> {
        let page = |number: usize| {
            let text = format!("words of page {number} {}", "and more ".repeat(number));
            let html = format!("<html><body><div><a href='/'>home</a></div><p>{text}<p>a second paragraph 中文");
            let gold = if number == 11 { String::new() } else { format!("{text}\na second paragraph 中文") };
            [
                html,
                format!("p{:02}", number * 5 % 12),
                gold,
                format!("https://s{}.org/{number}", number % 3),
                "en".to_owned(),
            ]
        };
        (0..12).map(page).collect()
    }

    fn parquet(group_rows: usize) -> Vec<u8> {
        let mut table = TableWriter::new(Vec::new(), &COLUMNS).unwrap().with_group_rows(group_rows);
        for page in pages() {
            let cell = |text: &'_ String| if text.is_empty() { None } else { Some(text.clone()) };
            let cells: Vec<Option<String>> = page.iter().map(cell).collect();
            let values = cells.iter().map(|cell| cell.as_deref().map_or(Value::Null, Value::Text));
            table.add(&values.collect::<Vec<_>>()).unwrap();
        }
        table.finish().unwrap()
    }

    fn json_lines() -> String {
        let line = |page: &[String; 5]| {
            let cell = |text: &String| if text.is_empty() { serde_json::Value::Null } else { text.clone().into() };
            let cells = COLUMNS.iter().zip(page).map(|((name, _), text)| ((*name).to_owned(), cell(text)));
            serde_json::Value::Object(cells.collect()).to_string() + "\n"
        };
        pages().iter().map(line).collect()
    }

    const RUN: &str =
        "run --set columns.gold=gold --algorithm all-text --algorithm nta --algorithm nta:coherence=0.5 --threads 3";

    #[test]
    fn a_run_over_parquet_comes_to_the_figures_of_the_same_table() {
        let folder = Folder::new()
            .with("table/own.jsonl", json_lines())
            .with("one/own.parquet", parquet(100))
            .with("many/own.parquet", parquet(1));
        check(&folder, &format!("{RUN} --dataset table:table/own.jsonl --out t"), 0, &[]);
        let digest = |run: &str| folder.json(&format!("{run}/run.json"))["result_digest"].clone();
        for (part, run) in [("one", "o"), ("many", "m")] {
            check(&folder, &format!("{RUN} --dataset parquet:{part}/own.parquet --out {run}"), 0, &[]);
            assert_eq!(digest(run), digest("t"));
            // The same rows in the order of ids.
            let [mut table, parquet] = ["t", run].map(|run| folder.csv(&format!("{run}/scores.csv")));
            table.sort_by_key(|row| row["page"].clone());
            assert_eq!(parquet, table);
            check(&folder, &format!("verify {run} --all"), 0, &[]);
        }
        assert_eq!(folder.read("o/summary.json"), folder.read("m/summary.json"));
        // Nothing is run twice, and one page is found again.
        check(&folder, &format!("{RUN} --dataset parquet:many/own.parquet --out m"), 0, &["holds this run already"]);
        check(&folder, "diff m p05 --algorithm nta", 0, &["second paragraph"]);
    }

    #[test]
    fn an_imported_copy_is_the_dataset_that_was_read() {
        let folder = Folder::new().with("up/part-1.parquet", parquet(5)).with("up/_SUCCESS", "");
        let gold = Options([("columns.gold".to_owned(), "gold".to_owned())].into());
        let read = find("parquet").unwrap().read(&folder.path("up"), &gold).unwrap();
        let digest = read.digest(|record| read.digests(record)).unwrap();
        assert_eq!(write(&read, &folder.path("copy"), Layout::Files(Compression::Zstd)).unwrap(), digest);
        let copy = load_folder(&folder.path("copy")).unwrap();
        assert_eq!(copy.digest(|record| copy.digests(record)).unwrap(), digest);
        assert_eq!((copy.records.len(), copy.notes), (12, read.notes));
        check(&folder, "dataset import parquet up --set columns.gold=gold --out again", 0, &["12 pages, 11 with gold"]);
    }

    #[test]
    fn a_broken_file_is_told_with_its_row_group() {
        let mut bytes = parquet(4);
        bytes[40..100].fill(0xFF);
        let folder = Folder::new().with("own.parquet", bytes);
        let ran = check(
            &folder,
            &format!("{RUN} --dataset parquet:own.parquet --out o"),
            3,
            &["own.parquet", "row group 0: ", "E-UPSTREAM"],
        );
        assert_eq!(ran.stderr.matches("panicked").count(), 0, "{ran:?}");
    }

    /// The rows of a table by their columns, each in words.
    fn table(folder: &Folder, name: &str) -> Vec<Vec<String>> {
        let bytes = fs::read(folder.path(name)).unwrap();
        let open = move || Ok(Box::new(std::io::Cursor::new(bytes.clone())) as Box<dyn Source>);
        let file = Arc::new(ParquetFile::open(Box::new(open)).unwrap());
        let names: Vec<String> = file.column_names().collect();
        let columns: Vec<_> = names.iter().map(|name| file.column(name).unwrap()).collect();
        let mut rows = Rows::new(file, &columns, 0).unwrap();
        let mut all = vec![names];
        let word = |(cell, name): (&Cell, &String)| match cell {
            Cell::Null => String::new(),
            Cell::Integer(number) if name.ends_with("_e12") => {
                // As scores.csv rounds them.
                let rounded = (number + 500_000) / 1_000_000;
                format!("{}.{:06}", rounded / 1_000_000, rounded % 1_000_000)
            }
            Cell::Integer(number) => number.to_string(),
            Cell::Bytes(bytes) if name == "text" => bytes.data().iter().map(|byte| format!("{byte:02x}")).collect(),
            Cell::Bytes(bytes) => String::from_utf8(bytes.data().to_vec()).unwrap(),
            other => panic!("{other:?}"),
        };
        while let Some(batch) = rows.next_batch().unwrap() {
            let names = all[0].clone();
            all.extend(batch.rows.iter().map(|row| row.iter().zip(&names).map(word).collect()));
        }
        all
    }

    const OWN: &str =
        "run --dataset table:own.jsonl --set columns.gold=gold --algorithm all-text --algorithm nta:coherence=0.5|0.9";

    #[test]
    fn scores_are_written_in_both_forms() {
        let folder = Folder::new().with("own.jsonl", json_lines());
        check(&folder, &format!("{OWN} --scores both --out o"), 0, &[]);
        let rows = table(&folder, "o/scores.parquet");
        let names = [
            "dataset", "page", "site", "language", "kind", "algorithm", "parameters", "status", "matched", "extracted",
            "gold", "precision_e12", "recall_e12", "f1_e12", "text", "gaps", "unseen", "markup",
        ];
        assert_eq!(rows[0], names);
        let csv = folder.csv("o/scores.csv");
        assert!(csv.len() > 33 && rows.len() == csv.len() + 1);
        for (line, row) in csv.iter().zip(&rows[1..]) {
            for (name, word) in names.iter().zip(row) {
                assert_eq!(line[name.trim_end_matches("_e12")], *word, "{name}: {line:?}");
            }
        }
        check(&folder, "verify o", 0, &[]);
        check(&folder, &format!("{OWN} --scores both --out o"), 0, &["holds this run already"]);
    }

    #[test]
    fn a_run_whose_scores_are_in_parquet_alone_is_a_run() {
        let folder = Folder::new().with("own.jsonl", json_lines());
        check(&folder, &format!("{OWN} --out csv"), 0, &[]);
        check(&folder, &format!("{OWN} --scores parquet --out parquet"), 0, &[]);
        assert!(!folder.path("parquet/scores.csv").exists() && folder.path("parquet/scores.parquet").exists());
        assert_eq!(folder.read("parquet/summary.json"), folder.read("csv/summary.json"));
        for command in
            ["compare RUN", "compare RUN --where-loses all-text", "diff RUN p05 --algorithm nta:coherence=0.5"]
        {
            let [csv, parquet] = ["csv", "parquet"].map(|run| folder.carat(&command.replace("RUN", run)));
            assert_eq!(
                (csv.code, csv.stdout.replace("csv", "parquet")),
                (parquet.code, parquet.stdout),
                "{command}: {}",
                parquet.stderr
            );
        }
        check(&folder, "report parquet", 0, &[]);
        for page in ["index.html", "tables/rows.csv"] {
            assert_eq!(
                folder.read(&format!("parquet/{page}")).replace("parquet", "csv").len(),
                folder.read(&format!("csv/{page}")).replace("parquet", "csv").len(),
                "{page}"
            );
        }
        check(&folder, "verify parquet --all", 0, &[]);
        // Another form is made from the units; nothing is run again.
        check(&folder, &format!("{OWN} --out parquet"), 0, &[]);
        assert!(folder.path("parquet/scores.csv").exists() && !folder.path("parquet/scores.parquet").exists());
        assert_eq!(folder.json("parquet/run.json")["circumstances"]["resumed"], 12);
    }

    #[test]
    fn a_merge_writes_the_rows_of_the_run_in_one_piece() {
        let folder = Folder::new().with("own.jsonl", json_lines());
        check(&folder, &format!("{OWN} --scores both --out whole"), 0, &[]);
        for shard in ["1/2", "2/2"] {
            check(&folder, &format!("{OWN} --shard {shard} --out shards/{}", &shard[..1]), 0, &[]);
        }
        let merge = |scores: &str| {
            check(&folder, &format!("merge shards/2 shards/1 {scores} --out merged"), 0, &["put together from"]);
            ["scores.csv", "scores.parquet"].map(|name| folder.path(&format!("merged/{name}")).exists())
        };
        assert_eq!(merge("--scores parquet"), [false, true]);
        assert_eq!(table(&folder, "merged/scores.parquet"), table(&folder, "whole/scores.parquet"));
        check(&folder, "verify merged --all", 0, &[]);
        assert_eq!(merge("--scores both"), [true, true]);
        assert_eq!(table(&folder, "merged/scores.parquet"), table(&folder, "whole/scores.parquet"));
        assert_eq!(folder.read("merged/scores.csv"), folder.read("whole/scores.csv"));
        assert_eq!(merge(""), [true, false]);
    }

    fn finds(folder: &Folder, told: &str) {
        let ran = folder.carat("verify o");
        assert!(ran.code == 1 && ran.stdout.contains(told), "{ran:?}");
    }

    #[test]
    fn a_changed_table_of_scores_is_found() {
        let folder = Folder::new().with("own.jsonl", json_lines());
        check(&folder, &format!("{OWN} --scores parquet --out o"), 0, &[]);
        let whole = fs::read(folder.path("o/scores.parquet")).unwrap();
        let mut changed = whole.clone();
        changed[whole.len() / 2] ^= 1;
        fs::write(folder.path("o/scores.parquet"), &changed).unwrap();
        finds(&folder, "scores.parquet: is missing, or not as the run left it");
        check(&folder, "compare o", 3, &["scores.parquet: is missing, or not as the run left it"]);
        // A stranger may know the digests.
        let other = Folder::new().with("own.jsonl", json_lines());
        check(&other, &format!("{OWN} --scores parquet --where site=s1.org --out o"), 0, &[]);
        fs::copy(other.path("o/scores.parquet"), folder.path("o/scores.parquet")).unwrap();
        let folder = folder.resealed("o");
        finds(&folder, "scores.parquet: does not follow from the units");
        fs::write(folder.path("o/scores.parquet"), "PAR1 and no more").unwrap();
        let folder = folder.resealed("o");
        check(&folder, "compare o", 3, &["scores.parquet: is not from a run: "]);
    }
}
