//! A scanner that finds the ends of the elements of a JSON array without parsing them.

/// The position of a scan inside an array, after its `[`.
#[derive(Clone, Debug, Default)]
pub(super) struct ArrayScanner {
    /// The number of open brackets and braces inside the current element.
    depth: usize,
    is_in_string: bool,
    /// The last byte was a backslash in a string, which escapes the next byte.
    is_escaped: bool,
    is_closed: bool,
}

impl ArrayScanner {
    /// Scans the next bytes of the array. Returns the place of the byte that ends the current
    /// element: a comma, or the `]` that closes the array. `None` if the element goes on.
    ///
    /// An element that is not JSON may end anywhere, because only its parser can say where it is
    /// wrong.
    pub(super) fn scan(&mut self, bytes: &[u8]) -> Option<usize> {
        bytes.iter().position(|&byte| self.ends_element(byte))
    }

    /// Whether the array was closed.
    pub(super) fn is_closed(&self) -> bool {
        self.is_closed
    }

    fn ends_element(&mut self, byte: u8) -> bool {
        if self.is_in_string {
            self.is_in_string = self.is_escaped || byte != b'"';
            self.is_escaped = byte == b'\\' && !self.is_escaped;
            return false;
        }
        match byte {
            b'"' => self.is_in_string = true,
            b'[' | b'{' => self.depth += 1,
            b']' if self.depth == 0 => self.is_closed = true,
            b',' if self.depth == 0 => return true,
            b']' | b'}' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        self.is_closed
    }
}
