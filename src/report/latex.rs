//! Tables for LaTeX: captioned, labelled, as wide as a page of text and no wider, with the packages that they need.

use std::collections::BTreeSet;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::formats::inert::is_steering;

/// A page that a table is set on.
#[derive(Clone, Copy)]
struct Page {
    turned: bool,
    /// The size of letters, and the space on each side of a column.
    letters: (&'static str, &'static str),
    /// Halves of an em in a line of the usual classes, which are what a digit takes. They are a little less than there are,
    /// for letters are of several widths.
    line: usize,
    /// What stands between two columns, in the same halves.
    between: usize,
    /// Lines of rows that it has room for beside a caption and [`NOTE_LINES`].
    lines: usize,
}

/// Lines of notes that a page has room for besides.
const NOTE_LINES: usize = 8;

/// A line of a class for Chinese is so much higher, in tenths.
const CJK_LINE: usize = 13;

/// The pages that are tried one after the other.
const PAGES: [Page; 5] = [
    Page { turned: false, letters: ("\\footnotesize", "4pt"), line: 74, between: 2, lines: 42 },
    Page { turned: false, letters: ("\\scriptsize", "2pt"), line: 80, between: 1, lines: 46 },
    Page { turned: true, letters: ("\\footnotesize", "4pt"), line: 118, between: 2, lines: 24 },
    Page { turned: true, letters: ("\\scriptsize", "2pt"), line: 130, between: 1, lines: 28 },
    Page { turned: true, letters: ("\\tiny", "2pt"), line: 165, between: 1, lines: 34 },
];

/// Names in a column that is narrower are never broken; one that may be broken is never narrower.
const UNBROKEN: usize = 14;

/// A table.
pub struct LatexTable<'t> {
    /// What it shows, above it.
    pub caption: String,
    /// What it is referred to by, without `tab:`; made of names, so that characters that a label cannot have are put right.
    pub label: String,
    /// The names of its columns.
    pub header: &'t [&'t str],
    /// From which column on, counted from 0, they are figures.
    pub right: usize,
    /// Its rows, each as long as the header.
    pub rows: &'t [Vec<String>],
    /// Words that stand over the row at a place, across all columns.
    pub sections: &'t [(usize, &'t str)],
    /// The cells, by row and column, that are set bold.
    pub bold: &'t [(usize, usize)],
    /// Sentences below it.
    pub notes: &'t [String],
}

/// A table of which no row stands out.
pub fn latex_table(
    (label, caption): (&str, &str),
    header: &[impl AsRef<str>],
    right: usize,
    rows: &[Vec<String>],
    notes: &[String],
) -> String {
    let header: &[&str] = &header.iter().map(AsRef::as_ref).collect::<Vec<_>>();
    let (caption, label) = (caption.to_owned(), label.to_owned());
    LatexTable { caption, label, header, right, rows, sections: &[], bold: &[], notes }.write()
}

/// How a table is laid out.
struct Layout {
    /// Of each column the share of the line that it may fill, in hundredths; `None` where it is as wide as its widest cell.
    shares: Vec<Option<usize>>,
    page: Page,
    /// Whether it goes on over several pages.
    long: bool,
    /// Whether it is made smaller until it fits.
    squeezed: bool,
}

impl LatexTable<'_> {
    /// The table's source; nothing where it has no rows.
    pub fn write(&self) -> String {
        if self.rows.is_empty() {
            return String::new();
        }
        let layout = self.layout();
        let body = self.body(&layout);
        let text = if layout.long { self.long(&layout, &body) } else { self.float(&layout, &body) };
        head(&layout, &text) + &text
    }

    /// As one float with its notes.
    fn float(&self, layout: &Layout, body: &str) -> String {
        let (letters, space) = layout.page.letters;
        let environment = if layout.page.turned { "sidewaystable" } else { "table" };
        let (squeeze, end) = match layout.squeezed {
            true => {
                ("\\begin{adjustbox}{max width=\\linewidth,max totalheight=0.8\\textheight}\n", "\\end{adjustbox}\n")
            }
            false => ("", ""),
        };
        format!(
            "\\begin{{{environment}}}\n\\centering{letters}\\setlength{{\\tabcolsep}}{{{space}}}\\setlength{{\\belowcaptionskip}}{{6pt}}\n{}\n{squeeze}\
             \\begin{{tabular}}{{{}}}\n\\toprule\n{}\\midrule\n{body}\\bottomrule\n\\end{{tabular}}\n{end}{}\
             \\end{{{environment}}}\n",
            self.caption(),
            self.columns(layout),
            self.header(layout),
            self.notes("\\par\\smallskip\n")
        )
    }

    /// Over several pages, its notes behind it.
    fn long(&self, layout: &Layout, body: &str) -> String {
        let header = self.header(layout);
        let (letters, space) = layout.page.letters;
        let (turn, back) = if layout.page.turned { ("\\begin{landscape}\n", "\\end{landscape}\n") } else { ("", "") };
        format!(
            "{turn}\\begingroup{letters}\\setlength{{\\tabcolsep}}{{{space}}}\n\\begin{{longtable}}{{{}}}\n{}\\\\\n\
             \\toprule\n{header}\\midrule\n\\endfirsthead\n\\toprule\n{header}\\midrule\n\\endhead\n\\bottomrule\n\
             \\endfoot\n{body}\\end{{longtable}}\n{}\\endgroup\n{back}",
            self.columns(layout),
            self.caption(),
            self.notes("\\noindent\n")
        )
    }

    fn caption(&self) -> String {
        format!("\\caption{{{}}}\\label{{tab:{}}}", latex_text(&self.caption), label(&self.label))
    }

    fn notes(&self, before: &str) -> String {
        if self.notes.is_empty() {
            return String::new();
        }
        let notes: String = self.notes.iter().map(|note| format!("{}\\par\n", latex_text(note))).collect();
        format!("{before}\\begin{{minipage}}{{\\linewidth}}\\footnotesize\\raggedright\n{notes}\\end{{minipage}}\n")
    }

    fn columns(&self, layout: &Layout) -> String {
        let column = |(place, share): (usize, &Option<usize>)| match share {
            None if place < self.right => "l".to_owned(),
            None => "r".to_owned(),
            Some(share) => format!(">{{\\raggedright\\arraybackslash}}p{{0.{share:02}\\linewidth}}"),
        };
        layout.shares.iter().enumerate().map(column).collect()
    }

    fn header(&self, layout: &Layout) -> String {
        let cell = |(place, name): (usize, &&str)| match layout.shares[place] {
            None if place >= self.right && lines_of(name).len() > 1 => {
                let lines: Vec<String> = lines_of(name).iter().map(|line| latex_text(line)).collect();
                format!("\\shortstack[r]{{{}}}", lines.join("\\\\"))
            }
            _ => latex_text(name),
        };
        self.header.iter().enumerate().map(cell).collect::<Vec<_>>().join(" & ") + " \\\\\n"
    }

    fn body(&self, layout: &Layout) -> String {
        let mut text = String::new();
        for (place, row) in self.rows.iter().enumerate() {
            for (_, words) in self.sections.iter().filter(|(first, _)| *first == place) {
                // A rule at the end of a page would be doubled by that of the page.
                let rule = match place {
                    0 => "",
                    _ if layout.long => "\\addlinespace\n",
                    _ => "\\midrule\n",
                };
                let columns = self.header.len();
                text.push_str(&format!(
                    "{rule}\\multicolumn{{{columns}}}{{l}}{{\\emph{{{}}}}} \\\\*\n",
                    latex_text(words)
                ));
            }
            let cells = row.iter().enumerate().map(|(column, cell)| {
                let text = match layout.shares[column] {
                    Some(_) => breakable(cell),
                    None if column >= self.right => figure(cell),
                    None => latex_text(cell),
                };
                if self.bold.contains(&(place, column)) { format!("\\textbf{{{text}}}") } else { text }
            });
            text.push_str(&(cells.collect::<Vec<_>>().join(" & ") + " \\\\\n"));
        }
        text
    }

    /// Upright if that has room, else turned; columns of names and sentences are broken into lines where they must be.
    fn layout(&self) -> Layout {
        let widths = self.widths();
        for page in PAGES {
            if let Some(broken) = self.broken(&widths, page) {
                let share = |width: &Option<usize>| width.map(|width| (100 * width / page.line).min(99));
                let long = self.height(&broken, page.line) > page.lines + NOTE_LINES;
                return Layout { shares: broken.iter().map(share).collect(), page, long, squeezed: false };
            }
        }
        let [.., page] = PAGES;
        Layout { shares: vec![None; widths.len()], page, long: false, squeezed: true }
    }

    /// The width of each column if nothing is broken but headers of figures.
    fn widths(&self) -> Vec<usize> {
        let header = |place: usize| {
            let name = self.header[place];
            if place < self.right {
                room(name)
            } else {
                lines_of(name).iter().map(|line| room(line)).max().unwrap_or(0)
            }
        };
        let cells = |place: usize| self.rows.iter().map(move |row| room(&row[place])).max().unwrap_or(0);
        (0..self.header.len()).map(|place| header(place).max(cells(place))).collect()
    }

    /// The widths of the columns that are broken on a page, `None` for others; `None` where that is not
    /// enough for the table to fit.
    fn broken(&self, widths: &[usize], Page { line, between, .. }: Page) -> Option<Vec<Option<usize>>> {
        let mut broken = vec![None; widths.len()];
        let total: usize = widths.iter().map(|width| width + between).sum();
        if total <= line {
            return Some(broken);
        }
        let is_broken = |place: usize| place < self.right && widths[place] > UNBROKEN;
        let places: Vec<usize> = (0..widths.len()).filter(|place| is_broken(*place)).collect();
        let rest: usize =
            (0..widths.len()).filter(|place| !is_broken(*place)).map(|place| widths[place] + between).sum();
        let needed: Vec<[usize; 2]> = places.iter().map(|place| [self.longest_piece(*place), widths[*place]]).collect();
        let least: usize = needed.iter().map(|[least, _]| least + between).sum();
        let room = line.checked_sub(rest + least).filter(|_| !places.is_empty())?;
        for (place, width) in places.iter().zip(share_out(&needed, room)) {
            broken[*place] = Some(width);
        }
        Some(broken)
    }

    /// The least that a column that may be broken takes: its longest part without a place to break.
    fn longest_piece(&self, column: usize) -> usize {
        let pieces = self.rows.iter().flat_map(|row| row[column].split_inclusive(is_before_break));
        pieces.map(|piece| room(piece.trim_end())).max().unwrap_or(0).max(UNBROKEN)
    }

    /// The number of lines that rows and notes take, the notes as wide as the `line` of the page.
    fn height(&self, broken: &[Option<usize>], line: usize) -> usize {
        let lines = |cell: &String, width: &Option<usize>| width.map_or(1, |width| 1 + room(cell) * 5 / (4 * width));
        let row = |row: &Vec<String>| row.iter().zip(broken).map(|(cell, width)| lines(cell, width)).max().unwrap_or(1);
        let rows: usize = self.rows.iter().map(row).sum();
        let notes: usize = self.notes.iter().map(|note| 1 + room(note) / line).sum();
        let lines = rows + self.sections.len() + notes;
        let names = self.header.iter().copied().chain(self.notes.iter().map(String::as_str));
        let mut texts = names.chain(self.rows.iter().flatten().map(String::as_str)).chain([self.caption.as_str()]);
        let is_chinese = texts.any(|text| text.chars().any(is_cjk));
        if is_chinese { (lines * CJK_LINE).div_ceil(10) } else { lines }
    }
}

/// The widths of columns that need at least and at most this much, `room` beside the least shared out among them. None gets
/// more than it needs; of the others one of 200 letters gets more than one of 20, and not ten times as much.
fn share_out(needed: &[[usize; 2]], mut room: usize) -> Vec<usize> {
    let mut given: Vec<usize> = needed.iter().map(|[least, _]| *least).collect();
    let mut order: Vec<usize> = (0..needed.len()).collect();
    order.sort_by_key(|place| needed[*place][1]);
    let weight = |place: &usize| (needed[*place][1] as f64).sqrt();
    for (at, place) in order.iter().enumerate() {
        let all: f64 = order[at..].iter().map(weight).sum();
        let [least, most] = needed[*place];
        let more = ((room as f64 * weight(place) / all) as usize).min(most.saturating_sub(least));
        given[*place] += more;
        room -= more;
    }
    given
}

/// The room that `text` takes, in digits: capitals take more than one each, other letters and marks less.
fn room(text: &str) -> usize {
    let tenths = |c: char| match c {
        'A'..='Z' | 'm' | 'w' | '%' => 14,
        ' ' | '.' | ',' | ':' | ';' | '(' | ')' | '[' | ']' | 'i' | 'l' => 6,
        'a'..='z' => 9,
        c => 10 * c.width().unwrap_or(0),
    };
    text.chars().map(tenths).sum::<usize>().div_ceil(10)
}

/// What a document must say before the table: packages, and the engine where not every one will do.
fn head(layout: &Layout, text: &str) -> String {
    let is_broken = layout.shares.iter().any(Option::is_some);
    let packages = [
        ("array", is_broken),
        ("booktabs", true),
        ("longtable", layout.long),
        ("pdflscape", layout.long && layout.page.turned),
        ("rotating", !layout.long && layout.page.turned),
        ("adjustbox", layout.squeezed),
    ];
    let packages: Vec<&str> = packages.iter().filter(|(_, needed)| *needed).map(|(name, _)| *name).collect();
    let letters = match () {
        _ if text.chars().any(is_cjk) => OF_CJK,
        _ if text.chars().any(|c| c > '\u{17f}') => OF_OTHERS,
        _ => OF_LATIN,
    };
    format!("% \\usepackage{{{}}}\n{letters}", packages.join(","))
}

/// The lines that a document needs besides its packages, by the letters of its tables.
const OF_CJK: &str = "% \\usepackage{xeCJK}\n% \\setCJKmainfont{Noto Serif CJK SC}\n% engine: xelatex\n";
const OF_OTHERS: &str = "% \\usepackage{fontspec}\n% engine: xelatex\n";
const OF_LATIN: &str = "% engine: pdflatex, xelatex or lualatex\n";

/// The same tables under one head, which has all packages.
pub(crate) fn with_one_head(tables: &str) -> String {
    let (heads, body): (Vec<&str>, Vec<&str>) = tables.split_inclusive('\n').partition(|line| line.starts_with("% "));
    if heads.is_empty() {
        return tables.to_owned();
    }
    let letters = [OF_CJK, OF_OTHERS, OF_LATIN];
    let is_of_letters = |line: &&&str| letters.iter().any(|letters| letters.contains(**line));
    let packages = heads.iter().filter(|line| !is_of_letters(line));
    let packages = packages.filter_map(|line| line.trim_end().strip_prefix("% \\usepackage{")?.strip_suffix('}'));
    let packages: Vec<&str> =
        packages.flat_map(|names| names.split(',')).collect::<BTreeSet<_>>().into_iter().collect();
    let needed = letters.into_iter().find(|letters| letters.lines().next().is_some_and(|first| tables.contains(first)));
    format!("% \\usepackage{{{}}}\n{}{}", packages.join(","), needed.unwrap_or_default(), body.concat())
}

/// Whether `c` needs a font for Chinese, Japanese or Korean.
pub(super) fn is_cjk(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe4f}' | '\u{ff00}'..='\u{ffef}' | '\u{20000}'..='\u{3ffff}')
}

/// A label of letters, digits and hyphens.
fn label(text: &str) -> String {
    let characters = text.chars().map(|c| if c.is_alphanumeric() { c } else { '-' });
    characters.collect::<String>().split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
}

/// The name of a column of figures, broken where it is longer than they are.
fn lines_of(name: &str) -> Vec<String> {
    const LONG: usize = 10;
    let mut lines: Vec<String> = Vec::new();
    for word in name.split(' ') {
        match lines.last_mut() {
            Some(last) if last.width() + 1 + word.width() <= LONG => last.extend([" ", word]),
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// A figure with true signs, and intervals with a dash; a lone hyphen, which stands for no figure, is a dash.
fn figure(cell: &str) -> String {
    if cell == "-" {
        return "--".to_owned();
    }
    let mut text = String::new();
    let mut before = ' ';
    let mut characters = cell.chars().peekable();
    while let Some(c) = characters.next() {
        let is_sign = matches!(before, ' ' | '[' | '(') && characters.peek().is_some_and(char::is_ascii_digit);
        match c {
            '-' | '+' if is_sign => text.extend(['$', c, '$']),
            c => text.push_str(&latex_text(c.encode_utf8(&mut [0; 4]))),
        }
        before = c;
    }
    text.replace(" .. ", " -- ")
}

/// Whether a setting, a path or a host may be broken behind `c`.
fn is_before_break(c: char) -> bool {
    matches!(c, ' ' | ',' | '/' | '=' | '_' | '-' | '.')
}

/// A cell that may be broken behind what joins its parts; numbers are not broken at their points.
fn breakable(cell: &str) -> String {
    let mut text = String::new();
    let mut characters = cell.chars().peekable();
    while let Some(c) = characters.next() {
        text.push_str(&latex_text(c.encode_utf8(&mut [0; 4])));
        let joins = characters.peek().is_some_and(|next| *next != ' ' && (c != '.' || next.is_alphabetic()));
        if c != ' ' && is_before_break(c) && joins {
            text.push_str("\\allowbreak{}");
        }
    }
    text
}

/// `text` with what LaTeX would read as a command escaped, and what stands between backticks in letters of a typewriter.
fn latex_text(text: &str) -> String {
    let pieces: Vec<&str> = text.split('`').collect();
    // An odd number of backticks encloses nothing, and prints quotes as it always did.
    if pieces.len().is_multiple_of(2) {
        return escaped(text);
    }
    let piece = |(place, piece): (usize, &&str)| match place % 2 {
        1 => format!("\\texttt{{{}}}", escaped(piece)),
        _ => escaped(piece),
    };
    pieces.iter().enumerate().map(piece).collect()
}

/// A text with each character that steers LaTeX as LaTeX prints it.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            // Two would be a dash.
            '-' if escaped.ends_with('-') => escaped.push_str("{-}"),
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => escaped.extend(['\\', c]),
            '\\' => escaped.push_str("\\textbackslash{}"),
            '~' => escaped.push_str("\\textasciitilde{}"),
            '^' => escaped.push_str("\\textasciicircum{}"),
            '<' => escaped.push_str("\\textless{}"),
            '>' => escaped.push_str("\\textgreater{}"),
            '|' => escaped.push_str("\\textbar{}"),
            '–' => escaped.push_str("--"),
            '−' => escaped.push_str("$-$"),
            '×' => escaped.push_str("$\\times$"),
            '≤' => escaped.push_str("$\\leq$"),
            '≥' => escaped.push_str("$\\geq$"),
            // At the beginning of a row a bracket would be an argument of the line before.
            '[' => escaped.push_str("{[}"),
            c if is_steering(c) => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(header: &[&str], right: usize, rows: &[&[&str]]) -> String {
        let rows: Vec<Vec<String>> =
            rows.iter().map(|row| row.iter().map(|cell| (*cell).to_owned()).collect()).collect();
        latex_table(("d_1-rows", "d_1: 50 % of & more"), header, right, &rows, &["a note".to_owned()])
    }

    #[test]
    fn names_are_text_and_a_table_says_what_it_needs() {
        let text = table(&["algorithm", "F1"], 1, &[&["a&b_{c}\\ 50% [x] ^~", "0.5000"]]);
        assert!(text.starts_with("% \\usepackage{booktabs}\n% engine: pdflatex, xelatex or lualatex\n"), "{text}");
        assert!(text.contains("\\caption{d\\_1: 50 \\% of \\& more}\\label{tab:d-1-rows}"), "{text}");
        let name = "a\\&b\\_\\{c\\}\\textbackslash{} 50\\% {[}x] \\textasciicircum{}\\textasciitilde{}";
        assert!(text.contains(&format!("{name} & 0.5000 \\\\")), "{text}");
        assert_eq!(table(&["a"], 1, &[]), "");
        assert_eq!(latex_text("give `--row a_b`, or `x`"), "give \\texttt{-{-}row a\\_b}, or \\texttt{x}");
        assert_eq!(latex_text("a lone ` stays"), "a lone ` stays");
    }

    #[test]
    fn chinese_names_ask_for_a_font_and_an_engine() {
        let text = table(&["site", "F1"], 1, &[&["新闻", "0.5"]]);
        assert!(text.contains("% \\usepackage{xeCJK}\n") && text.contains("% engine: xelatex\n"), "{text}");
    }

    #[test]
    fn signs_are_signs_and_intervals_have_dashes() {
        let shown = ["-0.0100", "+0.0100", "-0.02 .. +0.01", "-", "[-0.1, 0.2]", "2/3/4"].map(figure);
        assert_eq!(shown, ["$-$0.0100", "$+$0.0100", "$-$0.02 -- $+$0.01", "--", "{[}$-$0.1, 0.2]", "2/3/4"]);
    }

    #[test]
    fn room_is_shared_out_by_need_and_none_is_wasted() {
        assert_eq!(share_out(&[[14, 16], [14, 200], [14, 200]], 62), [16, 44, 44]);
        assert_eq!(share_out(&[[20, 100]], 30), [50]);
        assert_eq!(breakable("a.example/b 0.5, c"), "a.\\allowbreak{}example/\\allowbreak{}b 0.5, c");
    }

    #[test]
    fn sentences_are_broken_and_what_is_wide_is_turned_or_made_smaller() {
        let sentence = "a sentence that says what a paper claims, ".repeat(5);
        let text = table(&["dataset", "words", "F1"], 2, &[&["d", &sentence, "0.5"]]);
        assert!(text.contains("p{0.") && text.contains("\\begin{table}") && text.contains("array"), "{text}");
        let header = ["F1"; 14];
        let row = ["0.1234"; 14];
        let text = table(&header, 0, &[&row]);
        assert!(text.contains("sidewaystable") && text.contains("rotating"), "{text}");
        let text = table(&["F1"; 40], 0, &[&["0.1234"; 40]]);
        assert!(text.contains("adjustbox"), "{text}");
        let both = with_one_head(&(text + &table(&["数", "F1"], 1, &[&["a--b", "0.5"]])));
        let head = "% \\usepackage{adjustbox,booktabs,rotating}\n% \\usepackage{xeCJK}\n";
        assert!(both.starts_with(head) && both.matches("\n% ").count() == 3, "{both}");
        assert!(both.contains("a-{-}b"), "no dash: {both}");
        let rows: Vec<&[&str]> = vec![&["a", "0.5"]; 60];
        let text = table(&["algorithm", "F1"], 1, &rows);
        assert!(text.contains("longtable") && text.contains("\\endhead") && !text.contains("begin{table}"), "{text}");
    }
}
