//! The lines of an analysis, as a table of scores and moves.

use std::fmt::Write as _;
use std::time::Duration;

use console::Style;
use serde::Deserialize;

use super::screen::Screen;
use crate::chess::{Color, Position};

/// The columns of the longest score, `#-100`, and of most others.
const SCORE_COLUMNS: usize = 6;

/// A terminal with fewer columns has no place for the win chance beside the moves.
const NARROW_COLUMNS: usize = 60;

/// The members of an `info` line that a terminal shows. Scores are from White's point of view.
#[derive(Clone, Debug, Deserialize)]
pub struct AnalysisInfo {
    source: String,
    depth: u32,
    seldepth: u32,
    nodes: u64,
    time_ms: u64,
    nps: u64,
    lines: Vec<PvLine>,
}

#[derive(Clone, Debug, Deserialize)]
struct PvLine {
    rank: usize,
    score: Score,
    win_chance: f64,
    pv_san: Vec<String>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(tag = "type", content = "value", rename_all = "snake_case")]
enum Score {
    Cp(i64),
    Mate(i64),
}

/// The text of an analysis of a position.
#[derive(Clone, Copy, Debug)]
pub struct AnalysisText<'a> {
    screen: &'a Screen,
    turn: Color,
    fullmove_number: u16,
}

impl<'a> AnalysisText<'a> {
    /// The text for this screen.
    pub fn new(position: &Position, screen: &'a Screen) -> AnalysisText<'a> {
        let (turn, fullmove_number) = (position.turn(), position.fullmove_number());
        AnalysisText { screen, turn, fullmove_number }
    }

    /// The lines of a result: what the search did, and the best moves.
    pub fn lines(&self, info: &AnalysisInfo) -> Vec<String> {
        let head = self.screen.dim(&head(info));
        std::iter::once(head).chain(info.lines.iter().map(|line| self.line(line))).collect()
    }

    fn line(&self, line: &PvLine) -> String {
        let PvLine { rank, score, win_chance, ref pv_san } = *line;
        let (text, is_white_better) = match score {
            Score::Cp(value) => (format!("{:+.2}", value as f64 / 100.0), value.signum()),
            Score::Mate(moves) => {
                (format!("#{moves}"), if moves == 0 { 0 } else { moves.signum() })
            }
        };
        let style = match is_white_better {
            1 => Style::new().green(),
            -1 => Style::new().red(),
            _ => Style::new(),
        };
        let score = self.screen.paint(style.bold(), &format!("{text:>SCORE_COLUMNS$}"));
        let chance = match self.screen.columns() {
            Some(..NARROW_COLUMNS) => String::new(),
            _ => self.screen.dim(&format!("{win_chance:>3.0} %  ")),
        };
        format!("{rank:>2}  {score}  {chance}{}", self.numbered(pv_san))
    }

    /// Moves with their numbers: `12… Nf6 13. d4`. The first one is the advice.
    fn numbered(&self, sans: &[String]) -> String {
        let mut text = String::new();
        let (mut number, mut is_white) = (self.fullmove_number, self.turn.is_white());
        for (index, san) in sans.iter().enumerate() {
            match (index, is_white) {
                (_, true) => _ = write!(text, "{} ", self.screen.dim(&format!("{number}."))),
                (0, false) => _ = write!(text, "{} ", self.screen.dim(&format!("{number}..."))),
                (_, false) => {}
            }
            let san = if index == 0 { self.screen.bold(san) } else { san.clone() };
            let _ = write!(text, "{san} ");
            number = number.saturating_add(u16::from(!is_white));
            is_white = !is_white;
        }
        text.truncate(text.trim_end().len());
        text
    }
}

/// What the search did.
fn head(info: &AnalysisInfo) -> String {
    let AnalysisInfo { ref source, depth, seldepth, nodes, time_ms, nps, .. } = *info;
    match source.as_str() {
        "memory" => format!("depth {depth}, from the evaluation cache"),
        "tablebase" => "from the tablebases".to_owned(),
        _ => {
            let seconds = Duration::from_millis(time_ms).as_secs_f64();
            let (nodes, nps) = (short(nodes), short(nps));
            format!("depth {depth}/{seldepth}, {nodes} nodes, {nps}/s, {seconds:.1} s")
        }
    }
}

/// A number with three digits and its unit: `1.23M`.
fn short(number: u64) -> String {
    let units = [(1_000_000_000, "G"), (1_000_000, "M"), (1_000, "k")];
    let Some((unit, letter)) = units.into_iter().find(|(unit, _)| number >= *unit) else {
        return number.to_string();
    };
    let value = number as f64 / unit as f64;
    let decimals = if value < 9.995 { 2 } else { usize::from(value < 99.95) };
    format!("{value:.decimals$}{letter}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_result_is_a_table() {
        let line = |rank, score, pv: &[&str]| json!({ "rank": rank, "score": score, "win_chance": 53.7, "pv_san": pv });
        let info: AnalysisInfo = serde_json::from_value(json!({
            "source": "search", "depth": 18, "seldepth": 27, "nodes": 1_234_567, "nps": 850_900,
            "time_ms": 1_449, "lines": [
                line(1, json!({ "type": "cp", "value": -35 }), &["c5", "Nf3", "d6"]),
                line(2, json!({ "type": "mate", "value": 3 }), &["e5"]),
            ],
        }))
        .unwrap();
        let fen = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
        let screen = Screen::fake(false, false);
        let lines = AnalysisText::new(&Position::from_fen(fen).unwrap(), &screen).lines(&info);
        assert_eq!(
            lines,
            [
                "depth 18/27, 1.23M nodes, 851k/s, 1.4 s",
                " 1   -0.35   54 %  1... c5 2. Nf3 d6",
                " 2      #3   54 %  1... e5",
            ]
        );
    }

    #[test]
    fn numbers_are_short() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1.00k"),
            (9_996, "10.0k"),
            (999_960, "1000k"),
            (12_345_678, "12.3M"),
            (5_000_000_000, "5.00G"),
        ] {
            assert_eq!(short(number), text);
        }
    }
}
