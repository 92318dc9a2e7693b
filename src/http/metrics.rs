//! Figures for the operator: counted where things happen, written down when somebody asks.

mod exposition;
mod gauge;
mod process;
mod requests;
mod text_format;

pub(crate) use exposition::{CoreSnapshot, MetricsSnapshot, render};
pub use gauge::{Gauge, GaugeGuard};
pub(crate) use requests::{CLIENT_CLOSED_REQUEST, RequestMetrics, RouteHandle, RouteMetrics};
pub(crate) use text_format::TextFormat;
