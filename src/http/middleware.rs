//! What lies around every route.

mod auth_rate_limit;
mod catch_panic;
mod cors;
mod request;
mod request_id;
mod server_timing;
mod trace;

pub(crate) use auth_rate_limit::{AccessControl, AuthRateLimitLayer};
pub(crate) use cors::cors_layer;
pub(crate) use request::RequestLayer;
pub(crate) use request_id::RequestId;
pub(crate) use server_timing::ServerTiming;
