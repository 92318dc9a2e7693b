//! The standard output of a command, whose reader may leave early.

use std::io::{self, LineWriter, StdoutLock, Write};

/// Standard output by lines, which remembers that its reader has left, as in
/// `kibitzer-trainer info FILE | head`.
///
/// The error alone does not tell: a pipe to another program, such as an evaluator that died, gives
/// the same one.
#[derive(Debug)]
pub struct Output {
    lines: LineWriter<StdoutLock<'static>>,
    reader_left: bool,
}

impl Output {
    /// The standard output, locked for as long as this value lives.
    #[must_use]
    pub fn lock() -> Output {
        Output { lines: LineWriter::new(io::stdout().lock()), reader_left: false }
    }

    /// Whether a write failed because nobody reads the output any more.
    #[must_use]
    pub const fn reader_left(&self) -> bool {
        self.reader_left
    }

    fn note<T>(&mut self, result: io::Result<T>) -> io::Result<T> {
        if let Err(error) = &result {
            self.reader_left |= error.kind() == io::ErrorKind::BrokenPipe;
        }
        result
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let result = self.lines.write(bytes);
        self.note(result)
    }

    fn flush(&mut self) -> io::Result<()> {
        let result = self.lines.flush();
        self.note(result)
    }
}
