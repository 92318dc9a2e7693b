//! The client of the HTTP API, for the commands: that of a server with `--server URL`, or that of
//! this process.

mod api;
mod connect;
mod error;
mod event_stream;
mod line_stream;
mod problem;
mod tls;

use std::time::Duration;

use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use reqwest::redirect::{Attempt, Policy};

pub use api::{ApiClient, ApiError, NO_TIMEOUT};
use connect::{check_server, root_url, unreachable};
pub use error::RemoteError;
pub use event_stream::{Event, EventStream};
pub use line_stream::{LineStream, StreamError};
pub use problem::{ProblemText, with_cause};
pub use tls::{blocking_plain_http, plain_http};

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
    /// with an optional API key. It checks that the server answers. With `https` it trusts the
    /// certificate authorities of the system, or those in the file that `SSL_CERT_FILE` names.
    ///
    /// # Errors
    /// The URL is not HTTP, the key cannot be sent in a header, or the server cannot be used.
    pub async fn connect(server: &str, api_key: Option<&str>) -> Result<ServerClient, RemoteError> {
        let base_url = root_url(server)?;
        let headers = api_key.map(authorization_headers).transpose()?.unwrap_or_default();
        let http = client_for(&base_url)?.default_headers(headers).build()?;
        check_server(&http, &base_url).await?;
        Ok(ServerClient { base_url, http })
    }
}

/// The status of a route of the server at a root URL.
///
/// # Errors
/// The URL is not HTTP, or the server does not answer in time.
pub async fn probe_route(
    server: &str,
    route: &str,
    timeout: Duration,
) -> Result<reqwest::StatusCode, RemoteError> {
    let base_url = root_url(server)?;
    let client = client_for(&base_url)?.timeout(timeout).build()?;
    let response = client.get(format!("{base_url}{route}")).send().await;
    response.map(|response| response.status()).map_err(|error| unreachable(&base_url, error))
}

/// A builder of clients of this server.
fn client_for(base_url: &str) -> Result<reqwest::ClientBuilder, RemoteError> {
    let builder = if base_url.starts_with("https:") { tls::https()? } else { plain_http()? };
    Ok(builder.connect_timeout(CONNECT_TIMEOUT).redirect(Policy::custom(redirect_within_origin)))
}

/// Follows redirects, but to no other scheme, host or port: a redirected POST may become a GET, and
/// another host does not get the key.
fn redirect_within_origin(attempt: Attempt<'_>) -> reqwest::redirect::Action {
    let previous = attempt.previous();
    if previous.len() > 10 {
        attempt.error("too many redirects")
    } else if previous.iter().any(|url| url.origin() != attempt.url().origin()) {
        attempt.stop()
    } else {
        attempt.follow()
    }
}

fn authorization_headers(api_key: &str) -> Result<HeaderMap, RemoteError> {
    let mut bearer = HeaderValue::try_from(format!("Bearer {api_key}"))
        .map_err(|_| RemoteError::InvalidApiKey)?;
    bearer.set_sensitive(true);
    Ok(HeaderMap::from_iter([(AUTHORIZATION, bearer)]))
}
