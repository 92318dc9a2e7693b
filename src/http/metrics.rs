//! Figures for the operator: counted where things happen, written down when somebody asks.

mod gauge;
mod page;
mod process;
mod requests;
mod text;

pub use gauge::{Gauge, Inside};
pub(crate) use page::{CoreFigures, Figures, render};
pub(crate) use requests::{LEFT, Requests, RouteCounts, RouteSeat};
pub(crate) use text::TextForm;
