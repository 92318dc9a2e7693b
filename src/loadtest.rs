//! Drives a server with requests and measures how it answers: `kibitzer bench http`.
//!
//! In a closed loop a number of connections ask one request after the other, so a slow server is
//! asked less. In an open loop requests are due at a steady rate, whatever became of those before
//! them, as the users of a site come; how long an answer took counts from when its request was due.
//! So a server that stalls can't hide the requests that it kept from being asked ("coordinated
//! omission": Gil Tene, "How NOT to Measure Latency").

mod driver;
mod error;
mod latency;
mod outcome;
mod positions;
mod report;
mod request;
mod stats;
mod target;

pub use driver::{LoadModel, LoadTest};
pub use error::LoadError;
pub use positions::{random_positions, read_positions};
pub use report::LoadReport;
pub use request::{RequestKind, RequestLimits};
pub use target::Target;
