//! What goes over the wire and is shared by several routes.

pub(crate) mod bit_order;
mod castle_flags;
mod choice;
mod clamped;
mod found;
mod id;
mod moves;
mod numbers;
mod position_request;
mod schema;
mod score;
mod search_request;
mod state;
mod text;
mod wdl;

pub(crate) use castle_flags::CastleFlagsView;
pub(crate) use choice::Choice;
pub(crate) use clamped::Clamped;
pub(crate) use found::{Found, reasons, sources, verdicts};
pub(crate) use id::Id;
pub(crate) use moves::{Dests, MoveDto, destinations, side_name};
pub(crate) use numbers::{per_second, whole_ms};
pub(crate) use position_request::{PositionRequest, Resolved};
pub(crate) use schema::{
    instruction, names_of, nullable, or_null, owner, role, side_to_move, varying, varying_text,
};
pub(crate) use score::{ScoreDto, score_or_null};
pub(crate) use search_request::SearchRequest;
pub(crate) use state::PositionState;
pub(crate) use text::{Hex, MoveText, SquareName, hex_digits, line_texts};
pub(crate) use wdl::{WdlDto, wdl_or_null};
