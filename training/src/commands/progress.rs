//! The progress of a long command: a bar at a terminal, and lines in the output.

use std::io::{self, LineWriter, Write};
use std::time::{Duration, Instant};

use kibitzer::terminal::{AboveBar, ProgressBar, above_bar, progress_bar};

/// Interval of the lines.
const LINE_INTERVAL: Duration = Duration::from_secs(10);

/// A bar at a terminal, and a line of text from time to time.
pub(super) struct ProgressLog<'a> {
    bar: ProgressBar,
    out: LineWriter<AboveBar<'a>>,
    last_line: Instant,
    /// A closed output does not stop the work. The failure is reported at the end.
    written: io::Result<()>,
}

impl<'a> ProgressLog<'a> {
    /// A bar of `total` units.
    pub(super) fn new(total: u64, unit: &str, out: &'a mut dyn Write) -> ProgressLog<'a> {
        let bar = progress_bar(total, unit);
        let out = above_bar(&bar, out);
        ProgressLog { bar, out, last_line: Instant::now(), written: Ok(()) }
    }

    /// Moves the bar, and writes a line if one is due.
    pub(super) fn report(
        &mut self,
        done: u64,
        write_line: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) {
        self.bar.set_position(done);
        if self.written.is_ok() && self.last_line.elapsed() >= LINE_INTERVAL {
            self.last_line = Instant::now();
            self.written = write_line(&mut self.out);
        }
    }

    /// Sets the number of units.
    pub(super) fn set_total(&self, total: u64) {
        self.bar.set_length(total);
    }

    /// Removes the bar.
    ///
    /// # Errors
    /// A line could not be written.
    pub(super) fn finish(self) -> io::Result<()> {
        self.bar.finish_and_clear();
        self.written
    }
}
