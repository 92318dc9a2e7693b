//! What lies around every route.

mod cors;
mod request;
mod request_id;
mod server_timing;

pub use cors::cors;
pub use request::RequestLayer;
pub use request_id::RequestId;
pub use server_timing::{Timing, server_timing};
