//! The layer that authenticates requests and applies rate limits.

use std::convert::Infallible;
use std::future::{Future, Ready, ready};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use pin_project_lite::pin_project;
use tower::{Layer, Service};

use super::{CatchPanic, Panicked};
use crate::http::App;
use crate::http::access::{Allowance, with_rate_limit_headers};
use crate::http::problem::Problem;

/// Creates an [`AuthRateLimitService`] for each route.
#[derive(Clone)]
pub(crate) struct AuthRateLimitLayer {
    app: App,
}

impl AuthRateLimitLayer {
    /// Creates the layer with the access control of this application.
    pub(crate) fn new(app: App) -> AuthRateLimitLayer {
        AuthRateLimitLayer { app }
    }
}

/// A route with authentication and rate limits. With a rate limit, every response has the rate
/// limit headers, also the response to a panic.
#[derive(Clone)]
pub(crate) struct AuthRateLimitService<S> {
    inner: S,
    app: App,
}

impl<S> Layer<S> for AuthRateLimitLayer {
    type Service = AuthRateLimitService<S>;

    fn layer(&self, inner: S) -> AuthRateLimitService<S> {
        AuthRateLimitService { inner, app: self.app.clone() }
    }
}

impl<S> Service<Request> for AuthRateLimitService<S>
where
    S: Service<Request, Response = Response, Error = Infallible>,
{
    type Response = Response;
    type Error = Infallible;
    type Future = AuthRateLimitFuture<S::Future>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, mut request: Request) -> Self::Future {
        match self.app.access_control().admit(&mut request) {
            Ok(allowance) => AuthRateLimitFuture::Admitted {
                future: CatchPanic::new(|| self.inner.call(request)),
                allowance,
            },
            Err(refusal) => AuthRateLimitFuture::Refused { refusal: ready(Ok(*refusal)) },
        }
    }
}

pin_project! {
    /// The response to an admitted or a refused request.
    #[project = AuthRateLimitProjection]
    pub(crate) enum AuthRateLimitFuture<F> {
        /// The response of the route.
        Admitted {
            #[pin]
            future: CatchPanic<F>,
            allowance: Option<Allowance>,
        },
        /// The response of this layer.
        Refused { refusal: Ready<Result<Response, Infallible>> },
    }
}

impl<F: Future<Output = Result<Response, Infallible>>> Future for AuthRateLimitFuture<F> {
    type Output = Result<Response, Infallible>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match self.project() {
            AuthRateLimitProjection::Admitted { future, allowance } => {
                let outcome = ready!(future.poll(context));
                let response = outcome.unwrap_or_else(|Panicked| {
                    Ok(Problem::internal_already_logged().into_response())
                });
                Poll::Ready(response.map(|response| with_rate_limit_headers(response, *allowance)))
            }
            AuthRateLimitProjection::Refused { refusal } => Pin::new(refusal).poll(context),
        }
    }
}
