//! How a game ended, as it was written down.

use crate::chess::Color;

/// The result that stands at the end of a game. What was agreed, claimed or lost on time cannot be
/// told from the moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum GameResult {
    /// `1-0`
    WhiteWins,
    /// `0-1`
    BlackWins,
    /// `1/2-1/2`
    Draw,
    /// `*`: the game goes on, or nobody knows.
    #[default]
    Unknown,
}

impl GameResult {
    /// Reads a result as the standard writes it, or as some people do (`1/2`, `1:0`).
    pub fn parse(text: &str) -> Option<GameResult> {
        Some(match text {
            "1-0" | "1:0" => GameResult::WhiteWins,
            "0-1" | "0:1" => GameResult::BlackWins,
            "1/2-1/2" | "1/2" | "1/2:1/2" | "0.5-0.5" => GameResult::Draw,
            "*" => GameResult::Unknown,
            _ => return None,
        })
    }

    /// The text in PGN.
    pub const fn as_str(self) -> &'static str {
        match self {
            GameResult::WhiteWins => "1-0",
            GameResult::BlackWins => "0-1",
            GameResult::Draw => "1/2-1/2",
            GameResult::Unknown => "*",
        }
    }

    /// Who has won.
    pub const fn winner(self) -> Option<Color> {
        match self {
            GameResult::WhiteWins => Some(Color::White),
            GameResult::BlackWins => Some(Color::Black),
            GameResult::Draw | GameResult::Unknown => None,
        }
    }
}
