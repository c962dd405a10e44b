//! What colours and shapes stand for, above the plot.

use super::bars;
use super::canvas::{Anchor, BLACK, Canvas, Drawn, FLAT, PLAIN, WORDS, colour};
use super::frame::{Frame, INSET, KEY, KEY_LINE, KEY_SIGN};
use super::{heat, strips};
use crate::report::layout::fit;
use crate::report::plot::{Plot, SeriesColour, Sign};

/// An entry of the key after the other.
pub(super) fn key(plot: &Plot, frame: &Frame, canvas: &Canvas<'_>) -> Drawn {
    let indent = if plot.x.bands.is_some() { 6.0 } else { INSET };
    for (key, (line, x)) in plot.key.iter().zip(&frame.key) {
        let (x, y) = (frame.left + indent + x, frame.key_from + *line as f64 * KEY_LINE);
        sign(key.sign, (x, y), canvas)?;
        let colour = if let Sign::Ink(ink) = key.sign { colour(ink) } else { BLACK };
        let text = fit(frame.say(&key.text), WORDS, KEY);
        canvas.text(&text, (x + KEY_SIGN - 2.0, y), Anchor::Start, (WORDS, colour, PLAIN))?;
    }
    Ok(())
}

fn sign(sign: Sign, at: (f64, f64), canvas: &Canvas<'_>) -> Drawn {
    match sign {
        Sign::Ink(ink) => canvas.shape(ink, at, if ink == SeriesColour::F1 { 5.0 } else { 3.6 }),
        Sign::Fill(fill, surface) => bars::sign((fill, surface), at, canvas),
        Sign::Dot => strips::dot(at, 3.5, canvas),
        Sign::End => strips::end(at, 7.0, canvas),
        Sign::Quartiles => strips::quartiles([(at.0 - 7.0, at.1), at, (at.0 + 7.0, at.1)], 8.0, canvas),
        Sign::Best => heat::star(at, canvas),
        Sign::Default => heat::triangle((at.0 - 5.0, at.1 - 5.0), canvas),
        Sign::FlatSpan => canvas.rectangle(heat::around(at, 12.0), FLAT),
        Sign::FlatCells => heat::border_around(at, canvas),
    }
}
