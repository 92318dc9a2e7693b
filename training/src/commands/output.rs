//! The standard output of a command, whose reader may leave early.

use std::fmt::{self, Display, Formatter};
use std::io::{self, StdoutLock, Write};

/// The cause of a write error: the reader of standard output closed it, as in
/// `kibitzer-trainer info FILE | head`.
///
/// The kind of the error alone does not tell: a pipe to another program, such as an evaluator that
/// died, gives the same one.
#[derive(Debug)]
struct ReaderLeft;

impl Display for ReaderLeft {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str("the reader of standard output closed it")
    }
}

impl std::error::Error for ReaderLeft {}

/// Standard output. [`is_reader_left`] recognises its write errors.
#[derive(Debug)]
pub struct Output(StdoutLock<'static>);

impl Output {
    /// The standard output, locked for as long as this value lives.
    #[must_use]
    pub fn lock() -> Output {
        Output(io::stdout().lock())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_that_left_is_recognised_under_a_context() {
        let broken_pipe = name_cause(io::ErrorKind::BrokenPipe.into());
        let error = anyhow::Error::from(broken_pipe).context("cannot write the losses");
        assert!(is_reader_left(&error));
    }

    #[test]
    fn a_full_disk_is_not_a_reader_that_left() {
        let error = anyhow::Error::from(name_cause(io::ErrorKind::StorageFull.into()));
        assert!(!is_reader_left(&error));
    }
}
