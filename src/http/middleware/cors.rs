//! The CORS layer. It answers preflight requests before access control.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::extract::Request;
use axum::http::Method;
use axum::http::header::{
    ACCESS_CONTROL_REQUEST_METHOD, AUTHORIZATION, CONTENT_TYPE, ETAG, HeaderValue, IF_NONE_MATCH,
    LOCATION, ORIGIN, RETRY_AFTER,
};
use axum::response::Response;
use pin_project_lite::pin_project;
use tower::{Layer, Service};
use tower_http::cors::{AllowOrigin, Cors, CorsLayer};

use crate::http::headers::{
    IDEMPOTENCY_KEY, LAST_EVENT_ID, MCP_METHOD, MCP_NAME, MCP_PROTOCOL_VERSION, RATE_LIMIT,
    RATE_LIMIT_POLICY, SERVER_TIMING, X_API_KEY, X_REQUEST_ID,
};

const PREFLIGHT_MAX_AGE: Duration = Duration::from_secs(3_600);

/// The CORS layer for these origins (`*` for all); `None` without origins, which disables CORS.
pub(crate) fn cors_layer(origins: &[String]) -> Option<PreflightCorsLayer> {
    if origins.is_empty() {
        return None;
    }
    let allowed = if origins.iter().any(|origin| origin == "*") {
        AllowOrigin::any()
    } else {
        AllowOrigin::list(origins.iter().filter_map(|origin| HeaderValue::from_str(origin).ok()))
    };
    let layer = CorsLayer::new()
        .allow_origin(allowed)
        .allow_methods([Method::DELETE, Method::GET, Method::HEAD, Method::POST])
        .allow_headers([
            AUTHORIZATION,
            CONTENT_TYPE,
            IDEMPOTENCY_KEY,
            IF_NONE_MATCH,
            LAST_EVENT_ID,
            MCP_METHOD,
            MCP_NAME,
            MCP_PROTOCOL_VERSION,
            X_API_KEY,
            X_REQUEST_ID,
        ])
        .expose_headers([
            X_REQUEST_ID,
            RETRY_AFTER,
            LOCATION,
            SERVER_TIMING,
            ETAG,
            RATE_LIMIT,
            RATE_LIMIT_POLICY,
        ])
        .max_age(PREFLIGHT_MAX_AGE);
    Some(PreflightCorsLayer(layer))
}

/// The CORS layer of `tower_http`, for all requests but an `OPTIONS` request that is no preflight.
/// `tower_http` answers every `OPTIONS` request itself, so that it would pass access control.
#[derive(Clone)]
pub(crate) struct PreflightCorsLayer(CorsLayer);

impl<S: Clone> Layer<S> for PreflightCorsLayer {
    type Service = PreflightCors<S>;

    fn layer(&self, inner: S) -> PreflightCors<S> {
        PreflightCors { cors: self.0.layer(inner.clone()), inner }
    }
}

/// A route with CORS.
#[derive(Clone)]
pub(crate) struct PreflightCors<S> {
    cors: Cors<S>,
    inner: S,
}

impl<S: Service<Request, Response = Response>> Service<Request> for PreflightCors<S> {
    type Response = Response;
    type Error = S::Error;
    type Future = PreflightCorsFuture<<Cors<S> as Service<Request>>::Future, S::Future>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        ready!(Service::<Request>::poll_ready(&mut self.cors, context))?;
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        if request.method() == Method::OPTIONS && !is_preflight(&request) {
            PreflightCorsFuture::Inner { future: self.inner.call(request) }
        } else {
            PreflightCorsFuture::Cors { future: self.cors.call(request) }
        }
    }
}

pin_project! {
    /// The response with or without CORS.
    #[project = PreflightCorsProjection]
    pub(crate) enum PreflightCorsFuture<C, I> {
        /// The response of the CORS layer.
        Cors { #[pin] future: C },
        /// The response of the route alone.
        Inner { #[pin] future: I },
    }
}

impl<C: Future, I: Future<Output = C::Output>> Future for PreflightCorsFuture<C, I> {
    type Output = C::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<C::Output> {
        match self.project() {
            PreflightCorsProjection::Cors { future } => future.poll(context),
            PreflightCorsProjection::Inner { future } => future.poll(context),
        }
    }
}

/// Whether an `OPTIONS` request has the headers with which a browser asks for permission.
fn is_preflight(options: &Request) -> bool {
    let headers = options.headers();
    headers.contains_key(ORIGIN) && headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD)
}
