//! The value of a header, as it stands in quotes.

use std::borrow::Cow;

/// What stands in quotes at the start of a line's rest, and what follows the header. The closing
/// quote is the first one that is not escaped and has the closing bracket behind it: so quotes that
/// somebody forgot to escape belong to the value. Without one the value is the rest of the line.
pub(super) fn parse_quoted(line: &str) -> (Cow<'_, str>, &str) {
    let bytes = line.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'"' => {
                let after_quote = line[at + 1..].trim_start_matches([' ', '\t']);
                if let Some(left) = after_quote.strip_prefix(']') {
                    return (unescape(&line[..at]), left);
                }
            }
            _ => {}
        }
        at += 1;
    }
    let value = line.trim_end();
    let value = value.strip_suffix(']').unwrap_or(value).trim_end();
    (unescape(value.strip_suffix('"').unwrap_or(value)), "")
}

/// `\"` and `\\` as the characters that they stand for.
fn unescape(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        plain.push(match letter {
            '\\' => letters.next_if(|next| matches!(next, '"' | '\\')).unwrap_or('\\'),
            _ => letter,
        });
    }
    Cow::Owned(plain)
}
