//! The client of the HTTP API, for the commands: of a server with `--server URL`, or of this process.

mod api;
mod connect;
mod error;
mod event_stream;
mod line_stream;
mod problem;

use std::time::Duration;

use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};

pub use api::{ApiClient, ApiError};
use connect::{check_server, root_url};
pub use error::RemoteError;
pub use event_stream::{Event, EventStream};
pub use line_stream::{LineStream, StreamError};
pub use problem::{ProblemText, with_cause};

/// Timeout of a connection's start.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// A server that answers, and the HTTP client that sends requests to it.
#[derive(Clone, Debug)]
pub struct ServerClient {
    /// The root URL of the server, without a slash at its end.
    pub base_url: String,
    /// The HTTP client. It sends the API key with each request.
    pub http: reqwest::Client,
}

impl ServerClient {
    /// A client of the server at a root URL such as `http://127.0.0.1:8080`, or at `host:port`,
    /// with an optional API key. It checks that the server answers.
    ///
    /// # Errors
    /// The URL is not plain HTTP, the key cannot be sent in a header, or the server cannot be used.
    pub async fn connect(server: &str, api_key: Option<&str>) -> Result<ServerClient, RemoteError> {
        let base_url = root_url(server)?;
        let headers = api_key.map(authorization_headers).transpose()?.unwrap_or_default();
        let http = reqwest::Client::builder()
            .default_headers(headers)
            .connect_timeout(CONNECT_TIMEOUT)
            .build()?;
        check_server(&http, &base_url).await?;
        Ok(ServerClient { base_url, http })
    }
}

fn authorization_headers(api_key: &str) -> Result<HeaderMap, RemoteError> {
    let mut bearer = HeaderValue::try_from(format!("Bearer {api_key}"))
        .map_err(|_| RemoteError::InvalidApiKey)?;
    bearer.set_sensitive(true);
    Ok(HeaderMap::from_iter([(AUTHORIZATION, bearer)]))
}
