//! What goes over the wire and is shared by several routes.

mod best_move;
pub(crate) mod bit_order;
mod castle_flags;
mod clamped;
mod correlation_id;
mod moves;
mod numbers;
mod position_request;
mod position_state;
mod schema;
mod score;
mod search_request;
mod search_stats;
mod text;
mod wdl;

pub(crate) use best_move::BestMove;
pub(crate) use castle_flags::CastleFlagsView;
pub(crate) use clamped::Clamped;
pub(crate) use correlation_id::CorrelationId;
pub(crate) use moves::{Dests, MoveDto, castling_side_name, destinations};
pub(crate) use numbers::{per_second, whole_ms};
pub(crate) use position_request::{PositionRequest, ResolvedPosition};
pub(crate) use position_state::PositionState;
pub(crate) use schema::{
    nullable_string_enum, owner, ref_or_null, reversible_move, role, side_to_move, string_enum,
    varying, varying_text,
};
pub(crate) use score::{ScoreDto, score_or_null};
pub(crate) use search_request::SearchRequest;
pub(crate) use search_stats::{SearchStats, memory_verdicts, sources, stop_reasons};
pub(crate) use text::{Hex, MoveText, SquareName, hex_digits, line_texts};
pub(crate) use wdl::{WdlDto, wdl_or_null};
