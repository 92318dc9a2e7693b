//! Lines at the end of a terminal that are redrawn in place.

use std::io;

use console::{measure_text_width, truncate_str};

use super::screen::Screen;

/// Lines at the end of a terminal that are redrawn in place. A pipe gets only the last ones.
#[derive(Debug)]
pub struct LiveBlock<'a> {
    screen: &'a Screen,
    /// The widths of the lines that are drawn.
    drawn: Vec<usize>,
}

impl<'a> LiveBlock<'a> {
    /// A block without lines.
    pub fn new(screen: &'a Screen) -> LiveBlock<'a> {
        LiveBlock { screen, drawn: Vec::new() }
    }

    /// Replaces the lines, in one write so that nothing flickers. Nothing happens in a pipe.
    ///
    /// # Errors
    /// The terminal can't be written.
    pub fn redraw(&mut self, lines: &[String]) -> io::Result<()> {
        if !self.screen.is_live() {
            return Ok(());
        }
        // The cursor can't go back to a line that has left the screen.
        let rows = self.screen.rows().saturating_sub(2).max(1);
        self.draw(&lines[..lines.len().min(rows)])
    }

    /// Draws the last lines, which stay.
    ///
    /// # Errors
    /// The output can't be written.
    pub fn finish(mut self, lines: &[String]) -> io::Result<()> {
        self.draw(lines)
    }

    fn draw(&mut self, lines: &[String]) -> io::Result<()> {
        let term = self.screen.term();
        let columns = self.screen.columns();
        if let Some(columns) = columns {
            // A narrower window has wrapped the lines that are there.
            let rows = self.drawn.iter().map(|width| width.div_ceil(columns.max(1)).max(1)).sum();
            term.move_cursor_up(rows)?;
        }
        self.drawn.clear();
        for line in lines {
            let shown = match columns {
                Some(columns) => truncate_str(line, columns, "…"),
                None => line.into(),
            };
            if self.screen.is_live() {
                term.clear_line()?;
            }
            term.write_line(&shown)?;
            self.drawn.push(measure_text_width(&shown));
        }
        if self.screen.is_live() {
            term.clear_to_end_of_screen()?;
        }
        term.flush()
    }
}
