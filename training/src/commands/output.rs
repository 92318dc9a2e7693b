//! The standard output of a command, whose reader may leave early.

use std::fmt::{self, Display, Formatter};
use std::io::{self, LineWriter, StdoutLock, Write};

/// The cause of a write error: nobody reads standard output any more, as in
/// `kibitzer-trainer info FILE | head`.
///
/// The kind of the error alone does not tell: a pipe to another program, such as an evaluator that
/// died, gives the same one.
#[derive(Debug)]
struct ReaderLeft;

impl Display for ReaderLeft {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str("nobody reads the output any more")
    }
}

impl std::error::Error for ReaderLeft {}

/// Standard output by lines. [`is_reader_left`] knows its errors.
#[derive(Debug)]
pub struct Output(LineWriter<StdoutLock<'static>>);

impl Output {
    /// The standard output, locked for as long as this value lives.
    #[must_use]
    pub fn lock() -> Output {
        Output(LineWriter::new(io::stdout().lock()))
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).map_err(name_cause)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush().map_err(name_cause)
    }
}

fn name_cause(error: io::Error) -> io::Error {
    if error.kind() == io::ErrorKind::BrokenPipe {
        io::Error::new(error.kind(), ReaderLeft)
    } else {
        error
    }
}

/// Whether a command failed because the reader of its [`Output`] left.
#[must_use]
pub fn is_reader_left(error: &anyhow::Error) -> bool {
    let cause = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
    cause.is_some_and(|cause| cause.is::<ReaderLeft>())
}
