//! Drives a server with requests and measures how it answers: `kibitzer bench http`.
//!
//! In a closed loop a number of connections ask one request after the other, so a slow server is
//! asked less. In an open loop requests are due at a steady rate, whatever became of those before
//! them, as the users of a site come; how long an answer took counts from when its request was due.
//! So a server that stalls can't hide the requests that it kept from being asked ("coordinated
//! omission": Gil Tene, "How NOT to Measure Latency").

mod answer;
mod driver;
mod error;
mod latencies;
mod positions;
mod question;
mod report;
mod tally;
mod target;

pub use driver::{Load, Pace};
pub use error::LoadError;
pub use positions::{different, from_file};
pub use question::{Kind, Limits};
pub use report::Report;
pub use target::Target;
