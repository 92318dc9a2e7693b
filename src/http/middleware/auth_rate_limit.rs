//! The layer that authenticates requests and applies rate limits.

use std::convert::Infallible;
use std::future::{Future, Ready, ready};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use pin_project_lite::pin_project;
use tower::{Layer, Service};

use super::{CatchPanic, Panicked};
use crate::analysis::SharedCounters;
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
    S: Service<Request, Response = Response, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send,
{
    type Response = Response;
    type Error = Infallible;
    type Future = AuthRateLimitFuture<S::Future>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, mut request: Request) -> Self::Future {
        if let Some(counters) = self.app.counters()
            && self.app.access_control().needs_cluster(&request)
        {
            // The clone is not ready; the service that was asked is.
            let clone = self.inner.clone();
            let inner = std::mem::replace(&mut self.inner, clone);
            let answer = answer_in_cluster(self.app.clone(), counters, inner, request);
            return AuthRateLimitFuture::InCluster { answer: Box::pin(answer) };
        }
        match self.app.access_control().admit(&mut request) {
            Ok(allowance) => AuthRateLimitFuture::Admitted {
                future: CatchPanic::new(|| self.inner.call(request)),
                allowance,
            },
            Err(refusal) => AuthRateLimitFuture::Refused { refusal: ready(Ok(*refusal)) },
        }
    }
}

/// The response of a node in a cluster, which asks the cluster before it admits a request.
async fn answer_in_cluster<S>(
    app: App,
    counters: Arc<dyn SharedCounters>,
    mut inner: S,
    mut request: Request,
) -> Result<Response, Infallible>
where
    S: Service<Request, Response = Response, Error = Infallible>,
{
    match app.access_control().admit_in_cluster(&mut request, &*counters).await {
        Ok(allowance) => {
            let future = CatchPanic::new(|| inner.call(request));
            AuthRateLimitFuture::Admitted { future, allowance }.await
        }
        Err(refusal) => Ok(*refusal),
    }
}

/// A response that is waited for.
type BoxedAnswer = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

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
        /// The response of a node in a cluster.
        InCluster { answer: BoxedAnswer },
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
            AuthRateLimitProjection::InCluster { answer } => answer.as_mut().poll(context),
        }
    }
}
