//! The move that a search chooses, and the answer that it expects.

use serde::Serialize;
use utoipa::ToSchema;

use super::MoveText;

/// The best move and the answer to it, each in UCI and in SAN.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub(crate) struct Choice {
    /// The best move in UCI; null when there is none.
    #[schema(required, value_type = Option<String>)]
    pub(crate) best_move: Option<MoveText>,
    /// The same in SAN.
    #[schema(required, value_type = Option<String>)]
    pub(crate) best_move_san: Option<MoveText>,
    /// The answer that is expected to it, in UCI; null when none is known.
    #[schema(required, value_type = Option<String>)]
    pub(crate) ponder: Option<MoveText>,
    /// The same in SAN.
    #[schema(required, value_type = Option<String>)]
    pub(crate) ponder_san: Option<MoveText>,
}

impl Choice {
    /// The first two moves of a line, each in UCI and in SAN.
    pub(crate) fn of(mut line: impl Iterator<Item = (MoveText, MoveText)>) -> Choice {
        let (best, answer) = (line.next(), line.next());
        Choice {
            best_move: best.map(|(uci, _)| uci),
            best_move_san: best.map(|(_, san)| san),
            ponder: answer.map(|(uci, _)| uci),
            ponder_san: answer.map(|(_, san)| san),
        }
    }
}
