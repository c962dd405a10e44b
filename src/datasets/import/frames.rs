//! Frames of saved pages: a browser that saves `NAME.html` puts what is in it into `NAME_files/`, other pages among it.

use std::collections::HashSet;

use super::gold_places::unpacked;
use crate::text::counted;

/// The end of the name of such a folder.
const FOLDER: &str = "_files";

/// The endings of pages that browsers save.
const PAGES: [&str; 4] = ["html", "htm", "xhtml", "shtml"];

/// Of each of `paths` true if it lies in the folder that a browser saved beside a page among them.
pub(crate) fn are_frames(paths: &[&str]) -> Vec<bool> {
    let pages: HashSet<&str> = paths.iter().filter_map(|path| without_ending(path)).collect();
    let is_saved = |folder: &str| folder.strip_suffix(FOLDER).is_some_and(|page| pages.contains(page));
    paths.iter().map(|path| path.match_indices('/').any(|(end, _)| is_saved(&path[..end]))).collect()
}

/// The path of a page without the endings that say that it is one; `None` of another file.
fn without_ending(path: &str) -> Option<&str> {
    let (front, ending) = unpacked(path).rsplit_once('.')?;
    PAGES.iter().any(|page| ending.eq_ignore_ascii_case(page)).then_some(front)
}

/// A sentence: so many frames are left out.
pub(crate) fn told_frames(frames: usize, first: &str) -> String {
    format!("{} in NAME_files/ beside NAME.html left out, such as {first}", counted(frames, "frame"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_lie_in_the_folder_of_their_page() {
        let paths = [
            "a.html", "a_files/f.html", "a_files/x/g.html", "b/新闻.HTM.gz", "b/新闻_files/f.html", "c_files/f.html",
            "c.txt", "b/a_files/f.html", "_files/f.html", "my_files.html",
        ];
        let frames: Vec<&str> =
            paths.iter().zip(are_frames(&paths)).filter(|(_, is_frame)| *is_frame).map(|(path, _)| *path).collect();
        assert_eq!(frames, ["a_files/f.html", "a_files/x/g.html", "b/新闻_files/f.html"]);
    }
}
