//! Lexer of PGN texts.

use std::borrow::Cow;

use super::headers::is_name_char;

/// A token of a PGN text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// `[Name "value"]`
    Header {
        name: &'a str,
        value: Cow<'a, str>,
        /// A blank line precedes the header.
        after_blank_line: bool,
    },
    /// The text in `{…}` or after `;`.
    Comment(&'a str),
    /// The text after a `{` without `}`, up to the next game.
    UnclosedComment(&'a str),
    /// `(`
    OpenParen,
    /// `)`
    CloseParen,
    /// `$n`
    Nag(u8),
    /// Any other word: a move, a move number, a result or a symbol.
    Word(&'a str),
}

/// A lexer. It reads each byte a bounded number of times.
#[derive(Clone, Debug)]
pub(super) struct Lexer<'a> {
    text: &'a str,
    offset: usize,
}

impl<'a> Lexer<'a> {
    pub(super) const fn new(text: &'a str) -> Lexer<'a> {
        Lexer { text, offset: 0 }
    }

    /// The byte offset at which the lexer looks for the next token.
    pub(super) const fn offset(&self) -> usize {
        self.offset
    }

    /// Continues at the start of an earlier token.
    pub(super) fn rewind_to(&mut self, start: usize) {
        self.offset = start;
    }

    /// The next token with the byte offset of its start; `None` at the end.
    pub(super) fn next(&mut self) -> Option<(usize, Token<'a>)> {
        loop {
            let after_blank_line = self.skip_whitespace() >= 2;
            let start = self.offset;
            let token = match *self.text.as_bytes().get(start)? {
                b'{' => Some(self.lex_comment()),
                b';' => {
                    Some(Token::Comment(self.take_line().strip_prefix(';').unwrap_or_default()))
                }
                b'%' if self.is_line_start() => {
                    self.take_line();
                    None
                }
                b'(' => Some(self.single_byte_token(Token::OpenParen)),
                b')' => Some(self.single_byte_token(Token::CloseParen)),
                b'$' => self.lex_nag(),
                b'[' => self.lex_header(after_blank_line),
                b'<' => {
                    // The standard reserves `<…>` for future use.
                    self.skip_past(b'>');
                    None
                }
                b'}' | b']' | b'>' => {
                    self.offset += 1;
                    None
                }
                _ => Some(self.lex_word()),
            };
            if let Some(token) = token {
                return Some((start, token));
            }
        }
    }

    /// Skips whitespace and returns the number of skipped line ends.
    fn skip_whitespace(&mut self) -> usize {
        let bytes = self.text.as_bytes();
        let mut line_ends = 0;
        while let Some(&byte) = bytes.get(self.offset) {
            if byte.is_ascii() {
                if !is_ascii_separator(byte) {
                    break;
                }
                line_ends += usize::from(
                    byte == b'\n' || (byte == b'\r' && bytes.get(self.offset + 1) != Some(&b'\n')),
                );
                self.offset += 1;
            } else if let Some(letter) = self.unicode_whitespace() {
                self.offset += letter.len_utf8();
            } else {
                break;
            }
        }
        line_ends
    }

    /// The non-ASCII whitespace character at the offset. A byte order mark counts as whitespace,
    /// because concatenated files contain it.
    fn unicode_whitespace(&self) -> Option<char> {
        let letter = self.text[self.offset..].chars().next()?;
        (letter.is_whitespace() || letter.is_control() || matches!(letter, '\u{feff}' | '\u{200b}'))
            .then_some(letter)
    }

    fn is_line_start(&self) -> bool {
        matches!(self.text.as_bytes()[..self.offset].last(), None | Some(b'\n' | b'\r'))
    }

    fn single_byte_token(&mut self, token: Token<'a>) -> Token<'a> {
        self.offset += 1;
        token
    }

    /// Skips the rest of the line and returns it.
    fn take_line(&mut self) -> &'a str {
        let rest = &self.text[self.offset..];
        let line = &rest[..line_length(rest)];
        self.offset += line.len();
        line
    }

    /// Skips past the next `end` byte, or to the end of the line.
    fn skip_past(&mut self, end: u8) {
        let rest = &self.text[self.offset..];
        let line = &rest.as_bytes()[..line_length(rest)];
        self.offset +=
            line.iter().position(|&byte| byte == end).map_or(line.len(), |index| index + 1);
    }

    fn lex_comment(&mut self) -> Token<'a> {
        let start = self.offset + 1;
        let bytes = self.text.as_bytes();
        let mut end = start;
        while let Some(&byte) = bytes.get(end) {
            if byte == b'}' {
                self.offset = end + 1;
                return Token::Comment(&self.text[start..end]);
            }
            end += 1;
            if matches!(byte, b'\n' | b'\r') && bytes[end..].starts_with(b"[Event \"") {
                break;
            }
        }
        self.offset = end;
        Token::UnclosedComment(&self.text[start..end])
    }

    /// Lexes `$n`. Numbers above 255, which the standard does not have, are dropped.
    fn lex_nag(&mut self) -> Option<Token<'a>> {
        let digits = &self.text[self.offset + 1..];
        let length = digits.bytes().take_while(u8::is_ascii_digit).count();
        self.offset += 1 + length;
        digits[..length].parse().ok().map(Token::Nag)
    }

    fn lex_word(&mut self) -> Token<'a> {
        let bytes = self.text.as_bytes();
        let start = self.offset;
        while let Some(&byte) = bytes.get(self.offset) {
            if byte.is_ascii() {
                // `e8(Q)` is one word.
                let is_promotion = byte == b'('
                    && matches!(bytes[self.offset + 1..], [b'Q' | b'R' | b'B' | b'N', b')', ..]);
                if is_promotion && self.offset > start {
                    self.offset += 3;
                    continue;
                }
                if is_ascii_separator(byte)
                    || matches!(
                        byte,
                        b'{' | b'}' | b'(' | b')' | b'[' | b']' | b'<' | b'>' | b';' | b'$'
                    )
                {
                    break;
                }
                self.offset += 1;
            } else if self.unicode_whitespace().is_some() {
                break;
            } else {
                self.offset += 1;
                while !self.text.is_char_boundary(self.offset) {
                    self.offset += 1;
                }
            }
        }
        Token::Word(&self.text[start..self.offset])
    }

    /// Lexes a header. Other text in brackets is skipped, for example `[%clk …]` outside a comment.
    fn lex_header(&mut self, after_blank_line: bool) -> Option<Token<'a>> {
        let rest = &self.text[self.offset + 1..];
        let line = &rest[..line_length(rest)];
        let inside = line.trim_start();
        let length = inside.find(|letter| !is_name_char(letter)).unwrap_or(inside.len());
        let (name, inside) = inside.split_at(length);
        if !name.starts_with(char::is_alphabetic) {
            self.skip_past(b']');
            return None;
        }
        let inside = inside.trim_start();
        let (value, rest_of_line) = match inside.strip_prefix('"') {
            Some(quoted) => parse_quoted(quoted),
            None => {
                let (value, rest) = inside.split_once(']').unwrap_or((inside, ""));
                (Cow::Borrowed(value.trim_end()), rest)
            }
        };
        self.offset += 1 + line.len() - rest_of_line.len();
        Some(Token::Header { name, value, after_blank_line })
    }
}

fn line_length(text: &str) -> usize {
    text.bytes().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(text.len())
}

const fn is_ascii_separator(byte: u8) -> bool {
    byte <= b' ' || byte == 0x7f
}

/// Splits the rest of a line after an opening quote into the quoted value and the text after the
/// header.
///
/// The closing quote is the first unescaped quote before a closing bracket, so a value may contain
/// unescaped quotes. Without a closing quote, the value is the rest of the line.
fn parse_quoted(line: &str) -> (Cow<'_, str>, &str) {
    let bytes = line.as_bytes();
    let mut index = 0;
    while index < bytes.len() {
        match bytes[index] {
            b'\\' => index += 1,
            b'"' => {
                let after_quote = line[index + 1..].trim_start_matches([' ', '\t']);
                if let Some(rest) = after_quote.strip_prefix(']') {
                    return (unescape(&line[..index]), rest);
                }
            }
            _ => {}
        }
        index += 1;
    }
    let value = line.trim_end();
    let value = value.strip_suffix(']').unwrap_or(value).trim_end();
    (unescape(value.strip_suffix('"').unwrap_or(value)), "")
}

/// Replaces `\"` and `\\` by the characters that they escape.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<Token<'_>> {
        let mut lexer = Lexer::new(text);
        std::iter::from_fn(|| lexer.next()).map(|(_, token)| token).collect()
    }

    fn value(text: &str) -> String {
        match tokens(text).as_slice() {
            [Token::Header { value, .. }] => value.to_string(),
            other => panic!("{text} is not a single header: {other:?}"),
        }
    }

    #[test]
    fn header_values_end_at_the_intended_quote() {
        for (text, expected) in [
            (r#"[Event "a"]"#, "a"),
            (r#"[Event "a \"b\" \\ c"]"#, r#"a "b" \ c"#),
            (r#"[Event "The "Big" one" ]"#, r#"The "Big" one"#),
            (r#"[ Event  "a]b"]"#, "a]b"),
            (r#"[Event "C:\games\"]"#, r"C:\games\"),
            (r#"[Event "open]"#, "open"),
            (r#"[Event "open"#, "open"),
            (r#"[Event bare]"#, "bare"),
            (r#"[Event]"#, ""),
            (r#"[Event ""]"#, ""),
        ] {
            assert_eq!(value(text), expected, "{text}");
        }
    }

    #[test]
    fn headers_may_share_a_line() {
        assert_eq!(tokens("[A \"1\"] [B \"2\"]").len(), 2);
        assert_eq!(tokens("[A \"1\"]e4").last(), Some(&Token::Word("e4")));
    }

    #[test]
    fn words_end_at_delimiters_and_unicode_whitespace() {
        assert_eq!(
            tokens("1.e4{x}e5;y\n(d4)$1 e8(Q)\u{a0}♘f3"),
            [
                Token::Word("1.e4"),
                Token::Comment("x"),
                Token::Word("e5"),
                Token::Comment("y"),
                Token::OpenParen,
                Token::Word("d4"),
                Token::CloseParen,
                Token::Nag(1),
                Token::Word("e8(Q)"),
                Token::Word("♘f3"),
            ]
        );
    }

    #[test]
    fn escaped_lines_reserved_brackets_and_unknown_numbers_are_skipped() {
        assert_eq!(tokens("% e4\n e5 <x y> ] } [%clk 1] $256 $"), [Token::Word("e5")]);
        assert_eq!(
            tokens("e4 %x"),
            [Token::Word("e4"), Token::Word("%x")],
            "an escape is only at the start of a line"
        );
    }

    #[test]
    fn a_comment_without_end_stops_at_the_next_game() {
        let tokens = tokens("{a\n[Event \"x\"]\n{b");
        assert_eq!(tokens.first(), Some(&Token::UnclosedComment("a\n")));
        assert_eq!(tokens.last(), Some(&Token::UnclosedComment("b")));
        assert_eq!(tokens.len(), 3);
    }
}
