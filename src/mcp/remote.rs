//! The API of a server, for `kibitzer mcp --server URL`.

use std::time::Duration;

use reqwest::header::ACCEPT;

use super::api::{Api, ApiBody, ApiRequest, MAX_RESPONSE_BYTES, long_response};
use super::error::ToolError;
use crate::client::{ServerClient, with_cause};

/// Longest time of a request: the longest search of a tool and a long wait in the queue.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(90);

/// The API of a server.
#[derive(Clone, Debug)]
pub struct RemoteApi(ServerClient);

impl RemoteApi {
    /// The API of this server.
    pub fn new(server: ServerClient) -> RemoteApi {
        RemoteApi(server)
    }
}

impl Api for RemoteApi {
    async fn send(&self, request: ApiRequest) -> Result<ApiBody, ToolError> {
        let RemoteApi(server) = self;
        let ApiRequest { path, body } = request;
        let url = format!("{}{path}", server.base_url);
        let http = &server.http;
        let builder = match &body {
            Some(body) => http.post(url).json(body),
            None => http.get(url),
        };
        let unreachable = |error: reqwest::Error| {
            let cause = with_cause(&error.without_url());
            let detail = format!("the server {} cannot be reached: {cause}", server.base_url);
            ToolError::new("server_unreachable", detail)
        };
        let builder = builder.header(ACCEPT, "application/json, */*").timeout(REQUEST_TIMEOUT);
        let mut response = builder.send().await.map_err(unreachable)?;
        let status = response.status();
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(unreachable)? {
            if bytes.len() + chunk.len() > MAX_RESPONSE_BYTES {
                return Err(long_response(&path));
            }
            bytes.extend_from_slice(&chunk);
        }
        if status.is_success() {
            Ok(ApiBody { bytes, memory: None })
        } else {
            Err(ToolError::from_response(&path, status.as_u16(), &bytes))
        }
    }
}
