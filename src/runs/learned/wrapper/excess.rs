//! What excluding elements would take out of a choice: how many more wrong characters than right ones.

use super::rules::Exclusion;
use super::site::SitePage;

/// What each element of a page would take out of a choice, were it excluded.
///
/// Where the nearest ancestor decides, an element takes nothing from those in it that are included themselves. Of two
/// excluded elements, one in the other, the inner one takes more only if one is included in between.
pub(super) struct Excess<'p> {
    page: &'p SitePage,
    /// Of each element how many more wrong than right characters it takes.
    of_element: Vec<i64>,
    /// Of each element the nearest that is included of itself and those that it is in: its place and 1, 0 for none.
    included_by: Vec<u32>,
}

impl<'p> Excess<'p> {
    /// Of what is `chosen` of the text nodes of `page`, where the elements `included` are, in document order. Time is
    /// linear in the page.
    pub(super) fn new(page: &'p SitePage, chosen: &[bool], included: &[u32], exclusion: Exclusion) -> Self {
        let before = page.excess_before(chosen);
        let included = match exclusion {
            Exclusion::Nearest => included,
            Exclusion::Subtracted => &[],
        };
        let count = page.parents().len();
        let mut included_by = vec![0; count];
        included.iter().for_each(|&place| included_by[place as usize] = place + 1);
        let is_included: Vec<bool> = included_by.iter().map(|by| *by > 0).collect();
        for (place, parent) in page.parents().enumerate() {
            if let (false, Some(parent)) = (is_included[place], parent) {
                included_by[place] = included_by[parent as usize];
            }
        }
        // Children come behind their parents: here what is included in an element is known before the element's turn.
        let (mut of_element, mut kept) = (vec![0; count], vec![0; count]);
        for (place, parent) in page.parents().enumerate().rev() {
            let texts = page.texts(place as u32);
            let all = before[texts.end] - before[texts.start];
            of_element[place] = all - kept[place];
            if let Some(parent) = parent {
                kept[parent as usize] += if is_included[place] { all } else { kept[place] };
            }
        }
        Excess { page, of_element, included_by }
    }

    /// How many more wrong than right characters go when all `elements` are excluded; they are in document order.
    pub(super) fn of(&self, elements: &[u32]) -> i64 {
        // Those counted that the next one may be in: where each ends, and by what it is included.
        let mut around: Vec<(usize, u32)> = Vec::new();
        let mut sum = 0;
        for &place in elements {
            let (texts, included_by) = (self.page.texts(place), self.included_by[place as usize]);
            while around.pop_if(|(end, _)| *end <= texts.start).is_some() {}
            if around.last().is_none_or(|(_, by)| *by != included_by) {
                sum += self.of_element[place as usize];
                around.push((texts.end, included_by));
            }
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::site::Site;
    use super::*;
    use crate::page::selection::Selection;
    use crate::page::{Context, Page};

    /// Elements in each other and side by side, each with texts before, between and behind those in it; a text is gold
    /// if it is so chosen.
    fn site(shape: &[(u8, u8, bool)]) -> Site {
        let (mut html, mut open) = (String::new(), 0);
        for (closed, chars, _) in shape {
            for _ in 0..(*closed).min(open) {
                html += "</div>";
                open -= 1;
            }
            html += &format!("<div>{}", "x".repeat(usize::from(*chars)));
            open += 1;
        }
        let page = Page::new(html.as_bytes(), Context::default()).unwrap();
        let texts = page.tree.ids().filter(|&id| page.tree.is_text(id));
        let gold: Selection =
            texts.zip(shape.iter().map(|(.., gold)| *gold)).filter(|(_, gold)| *gold).map(|(id, _)| id).collect();
        let mut site = Site::default();
        site.add(&page, &gold);
        site
    }

    proptest! {
        /// Every text that is chosen and would not be any more, one by one.
        #[test]
        fn it_is_what_would_be_missing(
            shape in proptest::collection::vec((0u8..4, 0u8..5, any::<bool>()), 1..25),
            named in proptest::collection::vec((any::<bool>(), 0u8..4, any::<bool>()), 30),
        ) {
            let site = site(&shape);
            let page = site.pages[0].as_ref().unwrap();
            let places = |is_named: &dyn Fn(&(bool, u8, bool)) -> bool| -> Vec<u32> {
                (0..page.parents().len() as u32).zip(&named).filter(|(_, of)| is_named(of)).map(|(at, _)| at).collect()
            };
            let (included, excluded, more) = (places(&|of| of.0), places(&|of| of.1 == 0), places(&|of| of.2));
            let mut both = [&excluded[..], &more].concat();
            both.sort_unstable();
            for exclusion in [Exclusion::Nearest, Exclusion::Subtracted] {
                let chosen = page.select(&included, &excluded, exclusion);
                let left = page.select(&included, &both, exclusion);
                let missing: Vec<bool> = chosen.iter().zip(&left).map(|(chosen, left)| *chosen && !left).collect();
                let found = Excess::new(page, &chosen, &included, exclusion).of(&more);
                prop_assert_eq!(found, *page.excess_before(&missing).last().unwrap(), "{:?}", exclusion);
            }
        }
    }
}
