//! Excerpts of a client's text for error messages.

/// The longest excerpt, in characters.
const EXCERPT_CHARS: usize = 200;

/// The part of a client's text that an error quotes: its first 200 characters.
pub fn excerpt(text: &str) -> &str {
    match text.char_indices().nth(EXCERPT_CHARS) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_ends_between_characters() {
        assert_eq!(excerpt("e4"), "e4");
        assert_eq!(excerpt(&"♞".repeat(201)), "♞".repeat(200));
        assert_eq!(excerpt(&"a".repeat(200)).len(), 200);
    }
}
