//! Imports.

use super::own_pages;
use crate::support::check;

#[test]
fn an_imported_dataset_gives_the_same_scores() {
    let folder = own_pages().with("own/html/y.html", "<p>no gold");
    check(
        &folder,
        "dataset import folder own --out datasets/mine --set language=en",
        0,
        &["datasets/mine: 2 pages, 1 with gold"],
    );
    check(&folder, "list datasets", 0, &["mine"]);
    for (name, out) in [("./own", "a"), ("./datasets/mine", "b"), ("mine", "c")] {
        check(&folder, &format!("run --dataset {name} --algorithm nta --out {out}"), 0, &[]);
    }
    let digests = ["a", "b", "c"].map(|run| folder.json(&format!("{run}/run.json"))["result_digest"].clone());
    assert!(digests[0] == digests[1] && digests[0] == digests[2], "{digests:?}");
    check(&folder, "run --dataset mine --algorithm nta --where language=en --out d", 0, &[]);
}

#[test]
fn imports_are_refused() {
    let folder = own_pages().with("held/dataset.yaml", "");
    check(&folder, "dataset import folder own --out held", 2, &["held holds a dataset already"]);
    check(&folder, "dataset import foldr own --out o", 2, &["did you mean `folder`?"]);
    check(&folder, "dataset import folder own --out o --set langage=zh", 2, &["`langage`", "did you mean `language`?"]);
    check(&folder, "dataset import folder own --out o --set encoding=klingon", 2, &["`klingon`"]);
    check(&folder, "dataset import folder own --out o --set language", 2, &["expected KEY=VALUE"]);
    check(&folder, "dataset import daniel own --out o", 3, &["own", "reference"]);
    check(&folder, "dataset import folder own", 2, &["--out"]);
}
