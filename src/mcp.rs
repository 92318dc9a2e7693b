//! The Model Context Protocol: chess tools for language models.
//!
//! Every tool sends requests to the HTTP API, through [`Api`]. So a model gets the positions,
//! limits, priorities and errors of every other client. The API is that of this process, or of a
//! server ([`RemoteApi`]).

mod answer;
mod api;
mod arguments;
mod end_of_input;
mod error;
mod position;
mod remote;
mod schema;
mod server;
mod text;
mod tools;

pub use api::{Api, ApiBody, ApiRequest, MAX_RESPONSE_BYTES, long_response};
pub use error::ToolError;
pub use remote::RemoteApi;
pub use server::ToolServer;
