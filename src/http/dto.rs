//! What goes over the wire and is shared by several routes.

mod moves;
mod position_request;
mod schema;
mod state;
mod text;

pub(crate) use moves::{Dests, MoveDto};
pub(crate) use position_request::{PositionRequest, Resolved};
pub(crate) use schema::names_of;
pub(crate) use state::PositionState;
pub(crate) use text::{Hex, MoveText, SquareName};
