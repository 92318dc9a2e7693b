//! An HTTP client that records each response for the coverage.

use std::net::SocketAddr;
use std::time::Duration;

use kibitzer::client::plain_http;
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use reqwest::{Method, RequestBuilder};
use serde_json::Value;

use super::coverage;

/// A client of one server.
#[derive(Clone)]
pub(crate) struct Client {
    http: reqwest::Client,
    base: String,
}

/// A response.
#[derive(Debug)]
pub(crate) struct TestResponse {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

impl Client {
    pub(crate) fn new(address: SocketAddr) -> Client {
        Client::from_builder(address, plain_http().expect("a client"))
    }

    /// A client that opens a connection for each request.
    pub(crate) fn without_keep_alive(address: SocketAddr) -> Client {
        let builder = plain_http().expect("a client");
        Client::from_builder(address, builder.pool_max_idle_per_host(0))
    }

    fn from_builder(address: SocketAddr, builder: reqwest::ClientBuilder) -> Client {
        let http = builder
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .timeout(Duration::from_secs(60))
            .build()
            .expect("a client");
        Client { http, base: format!("http://{address}") }
    }

    /// Waits until the server is ready.
    pub(crate) async fn wait_until_ready(&self) {
        for _ in 0..500 {
            let probe = self.http.get(format!("{}/readyz", self.base)).send().await;
            if probe.is_ok_and(|answer| answer.status() == 200) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("{} is not ready after 5 s", self.base);
    }

    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, format!("{}{path}", self.base))
    }

    /// Sends a request and records the response.
    pub(crate) async fn send(&self, request: RequestBuilder) -> TestResponse {
        self.try_send(request).await.expect("an answer")
    }

    /// Sends a request, like [`Client::send`], and may fail.
    pub(crate) async fn try_send(&self, request: RequestBuilder) -> reqwest::Result<TestResponse> {
        let request = request.build()?;
        let (method, path) = (request.method().clone(), request.url().path().to_owned());
        let response = self.http.execute(request).await?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        coverage::record_response(method.as_str(), &path, status);
        Ok(TestResponse { status, headers, body: response.text().await? })
    }

    /// Sends a request and records the response, whose body is streamed.
    pub(crate) async fn open_stream(&self, request: RequestBuilder) -> reqwest::Response {
        let request = request.build().expect("a request");
        let (method, path) = (request.method().clone(), request.url().path().to_owned());
        let response = self.http.execute(request).await.expect("an answer");
        coverage::record_response(method.as_str(), &path, response.status().as_u16());
        response
    }

    pub(crate) async fn get(&self, path: &str) -> TestResponse {
        self.send(self.request(Method::GET, path)).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> TestResponse {
        self.send(self.request(Method::POST, path).json(body)).await
    }

    /// The review of a job, once it is done.
    pub(crate) async fn wait_for_review(&self, job: &str) -> Value {
        // With an id above all events, the stream has only the end event.
        let events = self
            .request(Method::GET, &format!("{job}/events"))
            .header("last-event-id", "999999999");
        let response = self.send(events).await;
        assert!(response.body.contains("event: end\n"), "{} {}", response.status, response.body);
        let review = self.get(job).await;
        assert_eq!(review.status, 200, "{}", review.body);
        review.json()
    }

    /// Posts a text with the content type JSON.
    pub(crate) async fn post_text(
        &self,
        path: &str,
        body: impl Into<reqwest::Body>,
    ) -> TestResponse {
        self.send(
            self.request(Method::POST, path).header(CONTENT_TYPE, "application/json").body(body),
        )
        .await
    }

    /// Posts and expects 200.
    pub(crate) async fn post_ok(&self, path: &str, body: &Value) -> Value {
        let answer = self.post(path, body).await;
        assert_eq!(answer.status, 200, "{path} {body}: {}", answer.body);
        answer.json()
    }

    /// Posts and expects a problem.
    pub(crate) async fn post_expecting_problem(
        &self,
        path: &str,
        body: &Value,
        status: u16,
        code: &str,
    ) -> Value {
        let answer = self.post(path, body).await;
        answer.expect_problem(status, code)
    }
}

impl TestResponse {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("visible ASCII"))
    }

    /// Expects a problem with this status and code, and checks its common members and headers.
    pub(crate) fn expect_problem(&self, status: u16, code: &str) -> Value {
        let problem = self.json();
        assert_eq!((self.status, problem["code"].as_str()), (status, Some(code)), "{}", self.body);
        assert_eq!(self.header("content-type"), "application/problem+json");
        assert_eq!(problem["status"], status);
        assert_eq!(problem["type"], format!("/problems/{code}"));
        assert_eq!(problem["request_id"], self.header("x-request-id"));
        for member in ["title", "detail", "instance"] {
            assert!(
                problem[member].as_str().is_some_and(|text| !text.is_empty()),
                "{member} in {}",
                self.body
            );
        }
        assert_eq!(matches!(status, 429 | 503), !self.header("retry-after").is_empty());
        if matches!(status, 429 | 503) {
            let seconds: u64 = self.header("retry-after").parse().expect("whole seconds");
            let wait = problem["retry_after_ms"].as_u64().expect("whole milliseconds");
            assert!(wait >= 1 && seconds == wait.div_ceil(1_000), "{seconds} s, {problem}");
        } else {
            assert!(problem.get("retry_after_ms").is_none(), "{problem}");
        }
        problem
    }
}
