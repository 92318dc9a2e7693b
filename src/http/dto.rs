//! What goes over the wire and is shared by several routes.

pub(crate) mod bit_order;
mod castle_flags;
mod clamped;
mod moves;
mod position_request;
mod schema;
mod score;
mod state;
mod text;
mod wdl;

pub(crate) use castle_flags::CastleFlagsView;
pub(crate) use clamped::Clamped;
pub(crate) use moves::{Dests, MoveDto, destinations, side_name};
pub(crate) use position_request::{PositionRequest, Resolved};
pub(crate) use schema::{names_of, nullable, owner, role, side_to_move, varying, varying_text};
pub(crate) use score::ScoreDto;
pub(crate) use state::PositionState;
pub(crate) use text::{Hex, MoveText, SquareName};
pub(crate) use wdl::WdlDto;
