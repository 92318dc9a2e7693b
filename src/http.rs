//! HTTP: text and JSON become proven types on the way in, and types become JSON on the way out. No
//! chess logic.
//!
//! - [`router()`]: the URL map, on one screen;
//! - `controllers`: one file a route, its DTOs beside the handler: extract, one call, convert;
//! - `json`, `problem`: how requests are read, and how everything that goes wrong is told;
//! - `stream`: answers that come line by line;
//! - `access`: who may ask, under which name, and how often;
//! - `layers`: what lies around every route;
//! - `metrics`: figures for the operator;
//! - `openapi`: the contract, generated from the code.

mod access;
mod caller;
mod controllers;
mod dto;
mod etag;
mod json;
mod metrics;
mod middleware;
mod openapi;
mod problem;
mod router;
mod state;
mod stream;
mod upload_permits;

pub use access::{AccessConfig, ApiKey, ApiKeys, RateLimit, TrustedProxies};
pub use caller::Peer;
pub(crate) use controllers::explore::explore_memory_bound;
pub use metrics::{Gauge, GaugeGuard};
pub use openapi::contract;
pub use problem::{Problem, ProblemCode};
pub use router::{router, split_routers, with_middleware};
pub use state::{App, Caps, JobCaps};
pub use stream::StreamOptions;
