//! Where in a text something stands, for people.

/// Counts lines on the way through a text, so that all positions together cost one walk.
#[derive(Clone, Debug)]
pub(super) struct LineCounter<'a> {
    text: &'a str,
    /// Counted up to here.
    counted_to: usize,
    line: usize,
    line_start: usize,
}

impl<'a> LineCounter<'a> {
    pub(super) const fn new(text: &'a str) -> LineCounter<'a> {
        LineCounter { text, counted_to: 0, line: 1, line_start: 0 }
    }

    /// Line and column of a byte, each from 1, the column in characters. Bytes are asked for from
    /// front to back.
    pub(super) fn locate(&mut self, offset: usize) -> (usize, usize) {
        let bytes = self.text.as_bytes();
        for index in self.counted_to..offset {
            // A lone carriage return ends a line too, as it did on old Macs.
            let ends = bytes[index] == b'\n'
                || (bytes[index] == b'\r' && bytes.get(index + 1) != Some(&b'\n'));
            if ends {
                self.line += 1;
                self.line_start = index + 1;
            }
        }
        self.counted_to = self.counted_to.max(offset);
        (
            self.line,
            1 + self.text.get(self.line_start..offset).map_or(0, |before| before.chars().count()),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_line_endings_are_counted() {
        let mut counter = LineCounter::new("a\nbé\r\n\rxy");
        assert_eq!(counter.locate(0), (1, 1));
        assert_eq!(counter.locate(5), (2, 3), "é is one character of two bytes");
        assert_eq!(counter.locate(9), (4, 2));
    }
}
