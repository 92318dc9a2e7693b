//! The HTTP API, as the tools call it.

use std::future::{Future, pending};
use std::ops::Deref;

use serde_json::Value;

use super::error::ToolError;
use crate::chess::excerpt;

/// A request to the API: `POST` with a JSON body, otherwise `GET`.
#[derive(Clone, Debug)]
pub struct ApiRequest {
    /// The path, with its query.
    pub path: String,
    /// The JSON body.
    pub body: Option<Value>,
}

/// The longest response that is read. The review of a game of 1,200 moves has half of that.
pub const MAX_RESPONSE_BYTES: usize = 1 << 20;

/// The body of a response.
pub struct ApiBody {
    /// The bytes, at most [`MAX_RESPONSE_BYTES`].
    pub bytes: Vec<u8>,
    /// Accounts for the memory of the bytes and of what is read from them, until it is dropped.
    pub memory: HeldMemory,
}

/// A guard that gives memory back when it is dropped.
type HeldMemory = Option<Box<dyn Send + Sync>>;

/// The HTTP API of this process or of a server.
pub trait Api: Clone + Send + Sync + 'static {
    /// Sends a request and returns the body of the response.
    ///
    /// # Errors
    /// The response has an error status or is too long, or there is none.
    fn send(&self, request: ApiRequest) -> impl Future<Output = Result<ApiBody, ToolError>> + Send;

    /// Resolves when this process begins to shut down, and with it the API.
    fn closing(&self) -> impl Future<Output = ()> + Send {
        pending()
    }
}

/// The error for a response of more than [`MAX_RESPONSE_BYTES`].
pub fn long_response(path: &str) -> ToolError {
    let path = excerpt(path);
    let detail = format!("the response of {path} has more than {MAX_RESPONSE_BYTES} bytes");
    ToolError::new("response_too_long", detail)
}

/// A JSON document of the API.
pub(super) struct Document {
    value: Value,
    _memory: HeldMemory,
}

impl Deref for Document {
    type Target = Value;

    fn deref(&self) -> &Value {
        &self.value
    }
}

/// Sends a JSON body to this path.
pub(super) async fn post(api: &impl Api, path: &str, body: Value) -> Result<Document, ToolError> {
    send(api, path, Some(body)).await
}

/// Reads the JSON at this path.
pub(super) async fn get(api: &impl Api, path: &str) -> Result<Document, ToolError> {
    send(api, path, None).await
}

async fn send(api: &impl Api, path: &str, body: Option<Value>) -> Result<Document, ToolError> {
    let ApiBody { bytes, memory } = api.send(ApiRequest { path: path.to_owned(), body }).await?;
    let value = serde_json::from_slice(&bytes).map_err(|_| ToolError::unexpected_response(path))?;
    Ok(Document { value, _memory: memory })
}
