//! A short ASCII string on the stack: the text of one move without an allocation.

use std::fmt;

/// Up to seven ASCII characters. No move in UCI or SAN is longer (`Qa1xb2#`, `axb8=Q+`).
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct InlineStr {
    bytes: [u8; 7],
    len: u8,
}

impl InlineStr {
    /// The empty string.
    pub const EMPTY: InlineStr = InlineStr { bytes: [0; 7], len: 0 };

    /// Appends a character. A non-ASCII character and an eighth character are dropped.
    #[inline]
    pub(super) fn push(&mut self, letter: char) {
        if let Some(slot) = self.bytes.get_mut(usize::from(self.len))
            && letter.is_ascii()
        {
            *slot = letter as u8;
            self.len += 1;
        }
    }

    /// Appends ASCII characters.
    #[inline]
    pub(super) fn push_str(&mut self, text: &str) {
        text.chars().for_each(|letter| self.push(letter));
    }

    /// Appends the name of a square.
    #[inline]
    pub(super) fn push_square(&mut self, square: super::Square) {
        self.push(square.file().letter());
        self.push((b'1' + square.rank() as u8) as char);
    }

    /// The string slice.
    #[inline]
    pub fn as_str(&self) -> &str {
        // Only ASCII is pushed, so the default is never used.
        self.bytes
            .get(..usize::from(self.len))
            .and_then(|bytes| std::str::from_utf8(bytes).ok())
            .unwrap_or_default()
    }
}

impl fmt::Display for InlineStr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for InlineStr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl AsRef<str> for InlineStr {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seven_characters_fit_and_an_eighth_is_dropped() {
        let mut text = InlineStr::EMPTY;
        text.push_str("Qa1xb2#");
        text.push('!');
        assert_eq!(text.as_str(), "Qa1xb2#");
        assert_eq!(InlineStr::EMPTY.as_str(), "");
    }
}
