//! The headers of a game: who played whom, where and when.

/// Names and values, in the order in which they were written. A name stands once, whatever its
/// case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Headers {
    pairs: Vec<(String, String)>,
}

impl Headers {
    /// None.
    pub const fn new() -> Headers {
        Headers { pairs: Vec::new() }
    }

    /// The value of a header, whose name is looked for without regard to case.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.index_of(name).map(|place| self.pairs[place].1.as_str())
    }

    /// Sets a header. One that is there keeps its place and takes the new value.
    ///
    /// What no header can hold is mended: a name begins with its first letter and goes on without
    /// blanks, quotes, brackets and control characters, in a value a control character becomes a
    /// blank. A name of which nothing is left sets nothing.
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

    /// How many there are.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// `true` without a header.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Names and values in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.pairs.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    fn index_of(&self, name: &str) -> Option<usize> {
        self.pairs.iter().position(|(known, _)| known.eq_ignore_ascii_case(name))
    }
}

/// `true` for what may stand in a header's name.
pub(super) fn is_name_char(letter: char) -> bool {
    !letter.is_whitespace() && !letter.is_control() && !matches!(letter, '"' | '[' | ']')
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
