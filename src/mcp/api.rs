//! The HTTP API, as the tools call it.

use std::future::Future;

use serde_json::Value;

use super::error::ToolError;

/// A request to the API: `POST` with a JSON body, otherwise `GET`.
#[derive(Clone, Debug)]
pub struct ApiRequest {
    /// The path, with its query.
    pub path: String,
    /// The JSON body.
    pub body: Option<Value>,
}

/// The HTTP API of this process or of a server.
pub trait Api: Clone + Send + Sync + 'static {
    /// Sends a request and returns the body of the response.
    ///
    /// # Errors
    /// The response has an error status, or there is none.
    fn send(&self, request: ApiRequest) -> impl Future<Output = Result<Vec<u8>, ToolError>> + Send;
}

/// Sends a JSON body to this path.
pub(super) async fn post(api: &impl Api, path: &str, body: Value) -> Result<Value, ToolError> {
    send(api, path, Some(body)).await
}

/// Reads the JSON at this path.
pub(super) async fn get(api: &impl Api, path: &str) -> Result<Value, ToolError> {
    send(api, path, None).await
}

async fn send(api: &impl Api, path: &str, body: Option<Value>) -> Result<Value, ToolError> {
    let bytes = api.send(ApiRequest { path: path.to_owned(), body }).await?;
    serde_json::from_slice(&bytes).map_err(|_| ToolError::unexpected_response(path))
}
