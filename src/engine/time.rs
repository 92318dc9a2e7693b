//! The end of a search: its budget of nodes and time, and time management.

mod search_budget;
mod time_management;

pub(super) use search_budget::SearchBudget;
pub(super) use time_management::{IterationStats, TimeManager};
