//! A load generator for a kibitzer server or several nodes: throughput, latency percentiles,
//! refusals and scaling.
//!
//! In a closed loop, each connection sends a request, waits for the answer and sends the next one,
//! so a slow server gets fewer requests. In an open loop, requests are due at a fixed rate,
//! whatever happened to earlier ones, as with the users of a site. Latency counts from the time
//! when a request was due. A server that stalls therefore cannot hide the requests that it delayed
//! ("coordinated omission": Gil Tene, "How NOT to Measure Latency").

mod driver;
mod error;
mod latency;
mod load_test;
mod outcome;
mod positions;
mod report;
mod request;
mod scaling;
mod stats;
mod target;

pub use error::LoadError;
pub use load_test::{LoadModel, LoadTest};
pub use positions::{random_positions, read_positions};
pub use report::LoadReport;
pub use request::{RequestKind, RequestLimits};
pub use scaling::ScalingReport;
pub use target::Target;
