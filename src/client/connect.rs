//! The check of a server at the start of a session.

use std::time::Duration;

use reqwest::header::LOCATION;
use reqwest::{StatusCode, Url};
use serde::Deserialize;

use super::error::RemoteError;
use super::problem::{ProblemText, with_cause};
use super::tls::handshake_error;

/// Timeout of the check. A server that has just started answers once its engine is ready.
const CHECK_TIMEOUT: Duration = Duration::from_secs(10);

/// The members of `GET /v1/engine` that the check reads.
#[derive(Deserialize)]
struct EngineBody {
    name: String,
}

/// The root URL of a server, without a slash at its end. `host:port` means `http://host:port`. A
/// path is where a proxy serves the API: the routes follow it.
///
/// # Errors
///
/// The text is no URL, its scheme is neither `http` nor `https`, or it has more than a path.
pub(super) fn root_url(server: &str) -> Result<String, RemoteError> {
    let url = if server.contains("://") { server.to_owned() } else { format!("http://{server}") };
    let parsed = Url::parse(&url)
        .map_err(|error| RemoteError::InvalidUrl(server.to_owned(), error.to_string()))?;
    if !matches!(parsed.scheme(), "http" | "https") {
        return Err(RemoteError::NotHttp(server.to_owned()));
    }
    if !parsed.username().is_empty() || parsed.password().is_some() {
        return Err(RemoteError::Credentials);
    }
    if parsed.query().is_some() || parsed.fragment().is_some() {
        return Err(RemoteError::QueryOrFragment(server.to_owned()));
    }
    Ok(url.trim_end_matches('/').to_owned())
}

/// Requests `GET /v1/engine`. A kibitzer server that is busy passes, because a search retries.
///
/// # Errors
///
/// The server does not answer, is not a kibitzer server, or refuses the API key.
pub(super) async fn check_server(
    client: &reqwest::Client,
    base_url: &str,
) -> Result<(), RemoteError> {
    let request = client.get(format!("{base_url}/v1/engine")).timeout(CHECK_TIMEOUT);
    let response = request.send().await.map_err(|error| unreachable(base_url, error))?;
    let status = response.status();
    if let Some(location) = response.headers().get(LOCATION).filter(|_| status.is_redirection()) {
        let location = String::from_utf8_lossy(location.as_bytes());
        let location = location.strip_suffix("/v1/engine").unwrap_or(&location);
        return Err(RemoteError::Redirected(base_url.to_owned(), location.to_owned()));
    }
    let not_kibitzer = |what: &str| RemoteError::NotKibitzer(base_url.to_owned(), what.to_owned());
    if status == StatusCode::OK {
        let engine: EngineBody =
            response.json().await.map_err(|_| not_kibitzer("another response"))?;
        let is_kibitzer = engine.name == env!("CARGO_PKG_NAME");
        return if is_kibitzer { Ok(()) } else { Err(not_kibitzer(&format!("{:?}", engine.name))) };
    }
    let problem = ProblemText::from_response(response).await;
    if problem.code.is_empty() {
        return Err(not_kibitzer(status.as_str()));
    }
    let is_busy = matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE);
    if is_busy {
        Ok(())
    } else {
        Err(RemoteError::Refused(base_url.to_owned(), problem.to_string()))
    }
}

/// The error of a request without a response.
pub(super) fn unreachable(base_url: &str, error: reqwest::Error) -> RemoteError {
    handshake_error(base_url, &error).unwrap_or_else(|| {
        RemoteError::Unreachable(base_url.to_owned(), with_cause(&error.without_url()))
    })
}
