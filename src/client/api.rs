//! The HTTP API of a server or of this process: the same requests, responses and errors.

use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::header::{HOST, RETRY_AFTER};
use axum::http::{HeaderValue, Request, Uri};
use http_body::Frame;
use reqwest::{Method, RequestBuilder, Response};
use tokio::time::{Instant, sleep, timeout};
use tower::ServiceExt;

use super::ServerClient;
use super::error::RemoteError;
use super::problem::{ProblemText, with_cause};
use super::tls::plain_http;

/// The root URL of the API of this process. No request goes there.
const LOCAL_URL: &str = "http://localhost";
const LOCALHOST: HeaderValue = HeaderValue::from_static("localhost");

/// The wait before another try, if no response names one.
const DEFAULT_RETRY_WAIT: Duration = Duration::from_secs(1);

/// The time for a request and its response, unless the request has another timeout.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(60);

/// The time until a stream begins.
const STREAM_TIMEOUT: Duration = Duration::from_secs(60);

/// The timeout of a request that takes as long as its search.
pub const NO_TIMEOUT: Duration = Duration::from_secs(366 * 86_400);

/// The HTTP API of a server or of this process.
#[derive(Clone, Debug)]
pub struct ApiClient {
    base_url: String,
    http: reqwest::Client,
    /// The routes of this process, which answer instead of a server.
    router: Option<Router>,
}

/// A request without a successful response.
#[derive(Debug, thiserror::Error)]
pub enum ApiError {
    /// There is no response.
    #[error("{0}: the server cannot be reached: {1}")]
    Unreachable(String, String),
    /// The response has an error status.
    #[error("{}", describe(.0))]
    Refused(ProblemText, Option<Duration>),
    /// The body of the response broke off.
    #[error("the response of {0} broke off: {1}")]
    Interrupted(String, String),
}

/// The text of a refusal, for people.
fn describe(problem: &ProblemText) -> String {
    if problem.code.is_empty() { problem.to_string() } else { problem.detail.clone() }
}

impl ApiError {
    /// Makes the error of a response of this path from the failure to read its body.
    pub fn interrupted(path: &str) -> impl FnOnce(reqwest::Error) -> ApiError {
        |error| ApiError::Interrupted(path.to_owned(), error.to_string())
    }

    /// The wait after which the request may succeed. `None` if it can't.
    fn retry_wait(&self) -> Option<Duration> {
        match self {
            ApiError::Refused(problem, wait) if matches!(problem.status, 429 | 503) => {
                Some(wait.unwrap_or(DEFAULT_RETRY_WAIT))
            }
            error => error.is_lost().then_some(DEFAULT_RETRY_WAIT),
        }
    }

    /// `true` if the same request may succeed later.
    pub fn is_temporary(&self) -> bool {
        self.retry_wait().is_some()
    }

    /// `true` if the server is gone or a proxy answers for it.
    pub fn is_lost(&self) -> bool {
        match self {
            ApiError::Unreachable(..) | ApiError::Interrupted(..) => true,
            ApiError::Refused(problem, _) => problem.status >= 500 && problem.code.is_empty(),
        }
    }

    /// The code of the refusal, empty without one.
    pub fn code(&self) -> &str {
        match self {
            ApiError::Refused(problem, _) => &problem.code,
            ApiError::Unreachable(..) | ApiError::Interrupted(..) => "",
        }
    }
}

impl ApiClient {
    /// The API of this server.
    pub fn of_server(server: ServerClient) -> ApiClient {
        ApiClient { base_url: server.base_url, http: server.http, router: None }
    }

    /// The API of these routes, without a connection.
    ///
    /// # Errors
    /// The HTTP client that builds the requests cannot be made.
    pub fn in_process(router: Router) -> Result<ApiClient, RemoteError> {
        let (base_url, http) = (LOCAL_URL.to_owned(), plain_http()?.build()?);
        Ok(ApiClient { base_url, http, router: Some(router) })
    }

    /// A request for this path. The timeout that it has by default is for small bodies, and for
    /// routes that do not search.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, format!("{}{path}", self.base_url)).timeout(REQUEST_TIMEOUT)
    }

    /// Sends a request.
    ///
    /// # Errors
    /// There is no response, or it has an error status.
    async fn send(&self, request: RequestBuilder) -> Result<Response, ApiError> {
        let response = self
            .execute(request)
            .await
            .map_err(|error| self.unreachable(with_cause(&error.without_url())))?;
        if response.status().is_success() {
            return Ok(response);
        }
        let wait = response.headers().get(RETRY_AFTER);
        let wait = wait.and_then(|wait| wait.to_str().ok()?.parse().ok());
        let problem = ProblemText::from_response(response).await;
        Err(ApiError::Refused(problem, wait.map(Duration::from_secs)))
    }

    /// Sends a request for this path and reads the whole response. It tries again while the server
    /// is too busy or away, or the response breaks off, until this time has passed.
    ///
    /// # Errors
    /// There is no complete response, or it has an error status.
    pub async fn fetch_patiently(
        &self,
        patience: Duration,
        path: &str,
        request: impl Fn(&ApiClient) -> RequestBuilder,
    ) -> Result<Bytes, ApiError> {
        retry(patience, async || {
            let response = self.send(request(self)).await?;
            response.bytes().await.map_err(ApiError::interrupted(path))
        })
        .await
    }

    /// Sends a request whose response is a stream. It tries again while the server is too busy or
    /// away, until this time has passed. The stream may last, but it must begin in time.
    ///
    /// # Errors
    /// There is no response, or it has an error status.
    pub async fn open_stream(
        &self,
        patience: Duration,
        request: impl Fn(&ApiClient) -> RequestBuilder,
    ) -> Result<Response, ApiError> {
        retry(patience, async || {
            let response = self.send(request(self).timeout(NO_TIMEOUT));
            timeout(STREAM_TIMEOUT, response).await.map_err(|_| {
                self.unreachable(format!("no response within {} s", STREAM_TIMEOUT.as_secs()))
            })?
        })
        .await
    }

    fn unreachable(&self, reason: String) -> ApiError {
        ApiError::Unreachable(self.base_url.clone(), reason)
    }

    async fn execute(&self, request: RequestBuilder) -> reqwest::Result<Response> {
        let request = request.build()?;
        let Some(router) = self.router.clone() else { return self.http.execute(request).await };
        let mut request: Request<reqwest::Body> = request.try_into()?;
        // The form in which a server receives a request.
        let path = request.uri().path_and_query().cloned();
        *request.uri_mut() = path.map_or_else(Uri::default, Uri::from);
        request.headers_mut().insert(HOST, LOCALHOST);
        let Ok(response) = router.oneshot(request).await;
        Ok(response.map(|body| reqwest::Body::wrap(SharedBody(Mutex::new(body)))).into())
    }
}

/// Tries again after errors that may pass, until this time has passed.
async fn retry<T>(
    patience: Duration,
    attempt: impl AsyncFn() -> Result<T, ApiError>,
) -> Result<T, ApiError> {
    let deadline = Instant::now() + patience;
    loop {
        let error = match attempt().await {
            Ok(result) => return Ok(result),
            Err(error) => error,
        };
        match error.retry_wait() {
            Some(wait) if wait <= deadline.saturating_duration_since(Instant::now()) => {
                sleep(wait).await;
            }
            _ => return Err(error),
        }
    }
}

/// The body of a response of this process. A body of axum is not `Sync`, but one of reqwest is.
/// Nothing locks the mutex: whoever polls the body owns it.
struct SharedBody(Mutex<Body>);

impl http_body::Body for SharedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let body = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        Pin::new(body).poll_frame(context)
    }
}
