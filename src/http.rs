//! The HTTP layer. It turns text and JSON into validated types, and types into JSON. It contains no
//! chess logic.
//!
//! - [`router()`]: the URL map, on one screen;
//! - `controllers`: one file per resource with its DTOs; a handler extracts a request, makes one
//!   call and converts the result;
//! - `dto`, `schema`: types and schemas that several routes share;
//! - `json`, `problem`: parsing of requests and rendering of errors;
//! - `stream`: responses that consist of lines or chunks;
//! - `access`: authentication and rate limits;
//! - `request_memory`: the memory of concurrent requests, shared out between clients;
//! - `middleware`: layers around every route;
//! - `metrics`: Prometheus metrics;
//! - `openapi`: the OpenAPI contract, generated from the code.

mod access;
mod caps;
mod controllers;
mod dto;
mod etag;
mod headers;
mod json;
mod metrics;
mod middleware;
mod openapi;
mod problem;
mod request_memory;
mod router;
mod schema;
mod state;
mod stream;

pub use access::{AccessConfig, ApiKey, ApiKeys, Peer, RateLimit, TrustedProxies};
pub use caps::{Caps, JobCaps};
pub(crate) use controllers::explore::explore_memory_bound;
pub use controllers::mcp::InProcessApi;
pub(crate) use controllers::picture::picture_memory_bound;
pub use metrics::{Gauge, GaugeGuard};
pub use openapi::contract;
pub(crate) use problem::head_problem_document;
pub use problem::{Problem, ProblemCode};
pub(crate) use request_memory::{REQUEST_BYTES, Reservation, UNREAD_BODY_BYTES};
pub use router::{router, split_routers, with_middleware};
pub use state::App;
pub use stream::StreamOptions;
