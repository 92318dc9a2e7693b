//! The output to the GUI: `info` and `bestmove` lines.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::chess::{CastlingNotation, Move, Position, to_uci_inline};
use crate::engine::{Report, Score, Wdl};

/// The output stream. Any thread may write whole lines.
pub(super) struct Output {
    writer: Mutex<Box<dyn Write + Send>>,
}

impl Output {
    /// An output to this writer.
    pub(super) fn new(writer: Box<dyn Write + Send>) -> Output {
        Output { writer: Mutex::new(writer) }
    }

    /// Writes one or several lines at once. It adds the last line feed.
    pub(super) fn write_lines(&self, lines: &str) -> io::Result<()> {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        writer.write_all(lines.as_bytes())?;
        writer.write_all(b"\n")?;
        writer.flush()
    }

    /// Writes each line of a text as an `info string`.
    pub(super) fn write_info_string(&self, text: &str) -> io::Result<()> {
        text.lines().try_for_each(|line| self.write_lines(&format!("info string {line}")))
    }
}

/// A report of a search, to be formatted.
pub(super) struct Info<'a> {
    /// The root position.
    pub(super) root: &'a Position,
    /// The report.
    pub(super) report: &'a Report,
    /// Most lines to write.
    pub(super) multipv: usize,
    /// Fill of the transposition table in permille; `None` when it is not known.
    pub(super) hashfull_permille: Option<u32>,
    /// Write the chances of win, draw and loss.
    pub(super) show_wdl: bool,
    /// The notation of castling.
    pub(super) castling: CastlingNotation,
}

impl Info<'_> {
    /// One `info` line per MultiPV line.
    pub(super) fn format_lines(&self) -> String {
        let report = self.report;
        let alternatives = report
            .alternatives
            .iter()
            .map(|variation| (variation.score, variation.wdl, variation.pv.as_slice()));
        let variations =
            std::iter::once((report.score, report.wdl, report.pv.as_slice())).chain(alternatives);
        let mut text = String::new();
        for (index, (score, wdl, pv)) in variations.take(self.multipv).enumerate() {
            if index > 0 {
                text.push('\n');
            }
            self.push_variation(&mut text, index + 1, (score, wdl), pv);
        }
        text
    }

    fn push_variation(
        &self,
        text: &mut String,
        rank: usize,
        (score, wdl): (Score, Wdl),
        pv: &[Move],
    ) {
        let Report { depth, seldepth, nodes, elapsed, tb_hits, .. } = *self.report;
        // Writing to a String cannot fail.
        let _ = write!(
            text,
            "info depth {depth} seldepth {seldepth} multipv {rank} score {}",
            UciScore(score)
        );
        if self.show_wdl {
            let _ = write!(text, " wdl {} {} {}", wdl.win, wdl.draw, wdl.loss);
        }
        let _ = write!(text, " nodes {nodes} nps {}", nodes_per_second(nodes, elapsed));
        if let Some(permille) = self.hashfull_permille {
            let _ = write!(text, " hashfull {permille}");
        }
        let _ = write!(text, " tbhits {tb_hits} time {}", elapsed.as_millis());
        if !pv.is_empty() {
            text.push_str(" pv");
            push_moves(text, self.root, pv, self.castling);
        }
    }
}

/// A score in UCI notation.
struct UciScore(Score);

impl std::fmt::Display for UciScore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Score::Cp(value) => write!(f, "cp {value}"),
            Score::Mate(moves) => write!(f, "mate {moves}"),
        }
    }
}

/// The `bestmove` line, which ends a search.
pub(super) fn bestmove_line(root: &Position, pv: &[Move], castling: CastlingNotation) -> String {
    let Some(&best) = pv.first() else { return "bestmove (none)".to_owned() };
    let mut text = format!("bestmove {}", to_uci_inline(root, best, castling).as_str());
    if let Some(&ponder_move) = pv.get(1) {
        text.push_str(" ponder ");
        text.push_str(to_uci_inline(&root.after(best), ponder_move, castling).as_str());
    }
    text
}

fn push_moves(text: &mut String, root: &Position, pv: &[Move], castling: CastlingNotation) {
    let mut position = root.clone();
    for &mv in pv {
        text.push(' ');
        text.push_str(to_uci_inline(&position, mv, castling).as_str());
        position.play(mv);
    }
}

/// Nodes per second. A time below a microsecond counts as one.
pub(super) fn nodes_per_second(nodes: u64, elapsed: Duration) -> u64 {
    let per_second = u128::from(nodes) * 1_000_000 / elapsed.as_micros().max(1);
    u64::try_from(per_second).unwrap_or(u64::MAX)
}
