//! The search. Synchronous; knows nothing of HTTP or tokio.

mod limits;
mod report;
mod score;

pub use limits::{Limits, StopFlag};
pub use report::{Report, StopReason};
pub use score::Score;
