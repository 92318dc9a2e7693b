//! Arrows and circles, as the parameter `arrows` names them.

use std::str::FromStr;

use crate::chess::Square;

/// An arrow between two squares, or a circle around one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrow {
    /// The square that the arrow begins on.
    pub tail: Square,
    /// The square that the arrow points to; the tail for a circle.
    pub head: Square,
    /// The colour.
    pub color: ArrowColor,
}

/// The colour of an arrow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names of the variants are complete")]
pub enum ArrowColor {
    #[default]
    Green,
    Red,
    Yellow,
    Blue,
}

impl ArrowColor {
    /// The colour with this letter: `G`, `R`, `Y` or `B`.
    const fn from_letter(letter: char) -> Option<ArrowColor> {
        match letter {
            'G' => Some(ArrowColor::Green),
            'R' => Some(ArrowColor::Red),
            'Y' => Some(ArrowColor::Yellow),
            'B' => Some(ArrowColor::Blue),
            _ => None,
        }
    }

    /// The colour and its opacity in SVG. The pieces below an arrow stay visible.
    pub(super) const fn paint(self) -> (&'static str, &'static str) {
        match self {
            ArrowColor::Green => ("#15781b", "0.5"),
            ArrowColor::Red => ("#882020", "0.5"),
            ArrowColor::Yellow => ("#e68f00", "0.7"),
            ArrowColor::Blue => ("#003088", "0.5"),
        }
    }
}

/// The error for a text that is no arrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseArrowError;

impl FromStr for Arrow {
    type Err = ParseArrowError;

    /// Reads the letter of a colour, which may be missing, and one square or two.
    fn from_str(text: &str) -> Result<Arrow, ParseArrowError> {
        let color = text.chars().next().and_then(ArrowColor::from_letter);
        let squares = if color.is_some() { &text[1..] } else { text };
        let (tail, head) = squares.split_at_checked(2).ok_or(ParseArrowError)?;
        let tail = tail.parse().map_err(|_| ParseArrowError)?;
        let head = match head {
            "" => tail,
            head => head.parse().map_err(|_| ParseArrowError)?,
        };
        Ok(Arrow { tail, head, color: color.unwrap_or_default() })
    }
}
