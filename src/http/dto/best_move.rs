//! The move that a search chooses, and the answer that it expects.

use serde::Serialize;
use utoipa::ToSchema;

use super::MoveText;

/// The best move and the answer to it, each in UCI and in SAN.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub(crate) struct BestMove {
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

impl BestMove {
    /// The first two moves of a line, each in UCI and in SAN.
    pub(crate) fn from_line(mut line: impl Iterator<Item = (MoveText, MoveText)>) -> BestMove {
        let (best, reply) = (line.next(), line.next());
        BestMove {
            best_move: best.map(|(uci, _)| uci),
            best_move_san: best.map(|(_, san)| san),
            ponder: reply.map(|(uci, _)| uci),
            ponder_san: reply.map(|(_, san)| san),
        }
    }
}
