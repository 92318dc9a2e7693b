//! Progress bars on standard error. Without a terminal they show nothing.

use std::io::{self, LineWriter, Write};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// The time between two drawings of a bar that does not move. Its clock goes on.
const TICK: Duration = Duration::from_millis(500);

/// A bar of `total` units, such as `moves`.
pub fn progress_bar(total: u64, unit: &str) -> ProgressBar {
    bar(total, &format!("{{wide_bar}} {{pos}}/{{len}} {unit}, {{eta}} left"))
}

/// A bar of `total` units with a message that changes, such as a speed.
pub fn progress_bar_with_message(total: u64, unit: &str) -> ProgressBar {
    bar(total, &format!("{{wide_bar}} {{pos}}/{{len}} {unit}, {{msg}}, {{eta}} left"))
}

fn bar(total: u64, template: &str) -> ProgressBar {
    let bar = ProgressBar::new(total);
    // The templates are constants, and the tests see them drawn.
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.progress_chars("━╸─"));
    }
    if !bar.is_hidden() {
        bar.enable_steady_tick(TICK);
    }
    bar
}

/// A writer of lines above a bar, for a log on the same terminal.
pub fn above_bar<'a>(bar: &ProgressBar, out: &'a mut dyn Write) -> LineWriter<AboveBar<'a>> {
    LineWriter::new(AboveBar { bar: bar.clone(), out })
}

/// A writer that hides a bar while it writes.
pub struct AboveBar<'a> {
    bar: ProgressBar,
    out: &'a mut dyn Write,
}

impl Write for AboveBar<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bar.suspend(|| self.out.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
