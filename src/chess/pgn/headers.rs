//! Headers of a game: players, event, date and start position.

use std::borrow::Cow;

use super::PgnErrorKind;
use crate::chess::Position;

/// Names and values of headers, in the order of their insertion. Names are unique and compared
/// without regard to case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Headers {
    pairs: Vec<(String, String)>,
}

impl Headers {
    /// No headers.
    pub const fn new() -> Headers {
        Headers { pairs: Vec::new() }
    }

    /// The value of the header with a name, compared without regard to case.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.index_of(name).map(|index| self.pairs[index].1.as_str())
    }

    /// Sets a header. An existing header keeps its index and takes the new value.
    ///
    /// Characters that a header cannot contain are removed. A name starts at its first letter and
    /// loses whitespace, quotes, brackets and control characters. In a value, a control character
    /// becomes a space. A name that becomes empty sets no header.
    pub fn set(&mut self, name: &str, value: &str) {
        let name: String = name
            .chars()
            .skip_while(|letter| !letter.is_alphabetic())
            .filter(|&letter| is_name_char(letter))
            .collect();
        let value = value.replace(char::is_control, " ");
        match self.index_of(&name) {
            Some(index) => self.pairs[index].1 = value,
            None if name.is_empty() => {}
            None => self.pairs.push((name, value)),
        }
    }

    /// The number of headers.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// `true` when there are no headers.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Names and values in their order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.pairs.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The start position according to the headers `Variant`, `SetUp` and `FEN`.
    ///
    /// A `FEN` header also counts without `SetUp`, but not with `SetUp "0"`. Chess960 needs no
    /// further information, because X-FEN and Shredder-FEN contain all castling rights.
    ///
    /// # Errors
    ///
    /// The value of the invalid header, and the kind of the error.
    pub(super) fn start_position(&self) -> Result<Position, (Cow<'_, str>, PgnErrorKind)> {
        let variant = self.get("Variant");
        if let Some(variant) = variant.filter(|variant| !is_supported_variant(variant)) {
            return Err((variant.into(), PgnErrorKind::Variant));
        }
        match self.get("FEN").map(str::trim) {
            Some(fen)
                if !matches!(fen, "" | "?" | "startpos") && self.get("SetUp") != Some("0") =>
            {
                Position::from_fen(fen).map_err(|error| (fen.into(), PgnErrorKind::Fen(error)))
            }
            _ => Ok(Position::startpos()),
        }
    }

    fn index_of(&self, name: &str) -> Option<usize> {
        self.pairs.iter().position(|(other, _)| other.eq_ignore_ascii_case(name))
    }
}

/// `true` for the characters that the name of a header may contain.
pub(super) fn is_name_char(letter: char) -> bool {
    !letter.is_whitespace() && !letter.is_control() && !matches!(letter, '"' | '[' | ']')
}

/// `true` for the names of chess and Chess960.
fn is_supported_variant(variant: &str) -> bool {
    let name: String = variant
        .chars()
        .filter(|letter| letter.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect();
    let names = [
        "",
        "standard",
        "chess",
        "normal",
        "fromposition",
        "960",
        "chess960",
        "freestyle",
        "freestylechess",
    ];
    names.contains(&name.as_str()) || name.starts_with("fischer")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_header_takes_the_new_value_and_keeps_its_position() {
        let mut headers = Headers::new();
        headers.set("White", "A");
        headers.set("Black", "B");
        headers.set("white", "C");
        assert_eq!(headers.iter().collect::<Vec<_>>(), [("White", "C"), ("Black", "B")]);
        assert_eq!(headers.get("WHITE"), Some("C"));
        assert_eq!(headers.get("Event"), None);
    }

    #[test]
    fn invalid_characters_are_removed_from_headers() {
        let mut headers = Headers::new();
        headers.set("1 My \"Tag]\"", "two\nlines");
        headers.set("[\" ]", "nothing");
        assert_eq!(headers.iter().collect::<Vec<_>>(), [("MyTag", "two lines")]);
    }
}
