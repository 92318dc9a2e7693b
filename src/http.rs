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
mod asker;
mod controllers;
mod dto;
mod json;
mod layers;
mod metrics;
mod openapi;
mod problem;
mod router;
mod state;
mod stream;
mod texts;
mod unchanging;

pub use access::{Access, ApiKey, ApiKeys, Proxies, Rate};
pub use asker::Peer;
pub(crate) use controllers::explore::explore_bound;
pub use metrics::{Gauge, Inside};
pub use openapi::contract;
pub use problem::{Code, Problem};
pub use router::{around, router, routers};
pub use state::{App, Caps, JobCaps};
pub use stream::StreamRules;
