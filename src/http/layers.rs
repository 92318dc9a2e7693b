//! What lies around every route.

mod cors;
mod gate;
mod panics;
mod request;
mod request_id;
mod server_timing;
mod trace;

pub(crate) use cors::cors;
pub(crate) use gate::{Gate, GateLayer};
pub(crate) use request::RequestLayer;
pub(crate) use request_id::RequestId;
pub(crate) use server_timing::Timing;
