//! The gate before the routes that cost something: who asks, whether we know the key, and how
//! often.

use std::collections::HashMap;
use std::convert::Infallible;
use std::future::{Future, Ready, ready};
use std::net::Ipv4Addr;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::extract::Request;
use axum::http::header::WWW_AUTHENTICATE;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Uri};
use axum::response::{IntoResponse, Response};
use pin_project_lite::pin_project;
use tower::{Layer, Service};

use crate::analysis::Client;
use crate::http::App;
use crate::http::access::{
    Access, Allowance, NoTicket, RateLimits, Tickets, Visitor, address_client,
};
use crate::http::asker::Peer;
use crate::http::problem::Problem;

use super::panics::{Panicked, UnlessPanic};

pub(super) const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
pub(super) const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// What stands behind the gate; probes, metrics and the contract are open.
const GUARDED: [&str; 2] = ["/v1/", "/api/"];

/// Knows the keys, and counts requests.
pub(crate) struct Gate {
    access: Access,
    /// Of all clients without a rate of their own.
    rate: Option<RateLimits>,
    /// Of keys with a rate of their own, by name.
    own_rates: HashMap<String, RateLimits>,
    tickets: Tickets,
}

impl Gate {
    /// With nobody counted yet.
    pub(crate) fn new(access: Access) -> Gate {
        let rate = access.rate.and_then(RateLimits::new);
        let own = access
            .keys
            .iter()
            .filter_map(|key| Some((key.name.clone(), RateLimits::new(key.rate?)?)));
        let own_rates = own.collect();
        Gate { access, rate, own_rates, tickets: Tickets::default() }
    }

    /// Whose request it is, by its key or its address; `None` for a key that is not known.
    fn visitor(&self, peer: Option<&Peer>, headers: &HeaderMap) -> Option<Visitor> {
        let Some(key) = self.access.keys.shown(headers).ok()? else {
            return Some(self.at_address(peer, headers));
        };
        let client = Client::new(&format!("key {}", key.name));
        Some(Visitor { client, key: Some(key.name.as_str().into()), allowance: None })
    }

    /// Whose request it is by its address alone.
    fn at_address(&self, peer: Option<&Peer>, headers: &HeaderMap) -> Visitor {
        let address = peer.map_or(Ipv4Addr::UNSPECIFIED.into(), Peer::address);
        let client = match (self.access.proxies.client(address, headers), peer) {
            (speaker, Some(peer)) if speaker == address => peer.client().clone(),
            (speaker, _) => address_client(speaker),
        };
        Visitor { client, key: None, allowance: None }
    }

    fn limits(&self, visitor: &Visitor) -> Option<&RateLimits> {
        visitor.key.as_deref().and_then(|key| self.own_rates.get(key)).or(self.rate.as_ref())
    }

    /// Counts a request of a visitor: what is left, where that is limited.
    ///
    /// # Errors
    /// The allowance of one who has made all the requests that it may make for now.
    pub(crate) fn count(&self, visitor: &Visitor) -> Result<Option<Allowance>, Allowance> {
        self.limits(visitor).map(|limits| limits.ask(&visitor.client)).transpose()
    }

    /// What a visitor has left, where that is limited. Nothing is counted.
    fn look(&self, visitor: &Visitor) -> Option<Allowance> {
        self.limits(visitor).map(|limits| limits.look(&visitor.client))
    }

    /// `true` where any client's requests are limited.
    fn is_limited(&self) -> bool {
        self.rate.is_some() || !self.own_rates.is_empty()
    }

    /// Lets a request through, and tells it whose it is: what its client has left, where that is
    /// limited.
    ///
    /// # Errors
    /// The answer to one that has to stay outside.
    fn admit(&self, request: &mut Request) -> Result<Option<Allowance>, Box<Response>> {
        let peer = request.extensions().get::<Peer>().cloned();
        if !GUARDED.iter().any(|prefix| request.uri().path().starts_with(prefix)) {
            let allowance = self.is_limited().then(|| {
                let visitor = self.visitor(peer.as_ref(), request.headers());
                self.look(
                    &visitor.unwrap_or_else(|| self.at_address(peer.as_ref(), request.headers())),
                )
            });
            return Ok(allowance.flatten());
        }
        let known = match take_ticket(request.uri_mut()) {
            Some(ticket) => self.tickets.take(&ticket),
            None => self.visitor(peer.as_ref(), request.headers()),
        };
        let is_known = known.is_some();
        // Who guesses keys is counted as the address that it guesses from.
        let visitor = known.unwrap_or_else(|| self.at_address(peer.as_ref(), request.headers()));
        let allowance = self.count(&visitor).map_err(|allowance| {
            with_rate(Problem::rate_limited(allowance.after).into_response(), Some(allowance))
        })?;
        if !is_known {
            let mut response = Problem::unauthorized().into_response();
            response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            return Err(Box::new(with_rate(response, allowance)));
        }
        request.extensions_mut().insert(Visitor { allowance, ..visitor });
        Ok(allowance)
    }

    /// Gives a ticket to a visitor.
    ///
    /// # Errors
    /// As [`Tickets::give`].
    pub(crate) fn give_ticket(&self, visitor: &Visitor) -> Result<String, NoTicket> {
        self.tickets.give(visitor.clone())
    }
}

/// Makes [`GateService`]s, one for each route.
#[derive(Clone)]
pub(crate) struct GateLayer {
    app: App,
}

impl GateLayer {
    /// The gate of this application.
    pub(crate) fn new(app: App) -> GateLayer {
        GateLayer { app }
    }
}

/// A route behind the gate. Where requests are limited every answer tells what is left, also that
/// to a panic.
#[derive(Clone)]
pub(crate) struct GateService<S> {
    inner: S,
    app: App,
}

impl<S> Layer<S> for GateLayer {
    type Service = GateService<S>;

    fn layer(&self, inner: S) -> GateService<S> {
        GateService { inner, app: self.app.clone() }
    }
}

impl<S> Service<Request> for GateService<S>
where
    S: Service<Request, Response = Response, Error = Infallible>,
{
    type Response = Response;
    type Error = Infallible;
    type Future = GateFuture<S::Future>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, mut request: Request) -> Self::Future {
        match self.app.gate().admit(&mut request) {
            Ok(allowance) => GateFuture::Admitted {
                answer: UnlessPanic::of(|| self.inner.call(request)),
                allowance,
            },
            Err(refusal) => GateFuture::Refused { refusal: ready(Ok(*refusal)) },
        }
    }
}

pin_project! {
    /// The answer to a request that has come to the gate.
    #[project = GateProjection]
    pub(crate) enum GateFuture<F> {
        /// The route's.
        Admitted {
            #[pin]
            answer: UnlessPanic<F>,
            allowance: Option<Allowance>,
        },
        /// The gate's own.
        Refused { refusal: Ready<Result<Response, Infallible>> },
    }
}

impl<F: Future<Output = Result<Response, Infallible>>> Future for GateFuture<F> {
    type Output = Result<Response, Infallible>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match self.project() {
            GateProjection::Admitted { answer, allowance } => {
                let answer = ready!(answer.poll(context));
                let response =
                    answer.unwrap_or_else(|Panicked| Ok(Problem::masked().into_response()));
                Poll::Ready(response.map(|response| with_rate(response, *allowance)))
            }
            GateProjection::Refused { refusal } => Pin::new(refusal).poll(context),
        }
    }
}

/// Takes the ticket out of a query, if it has one: the routes know nothing of tickets.
fn take_ticket(uri: &mut Uri) -> Option<String> {
    const NAME: &str = "ticket=";
    let ticket = uri.query()?.split('&').find_map(|pair| pair.strip_prefix(NAME))?.to_owned();
    let rest: Vec<&str> = uri.query()?.split('&').filter(|pair| !pair.starts_with(NAME)).collect();
    let path_and_query = match rest.as_slice() {
        [] => uri.path().to_owned(),
        rest => format!("{}?{}", uri.path(), rest.join("&")),
    };
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(path_and_query.try_into().ok()?);
    *uri = Uri::from_parts(parts).ok()?;
    Some(ticket)
}

/// With the headers of the IETF's draft "RateLimit header fields for HTTP", in its structured form,
/// where there is a limit.
fn with_rate(mut response: Response, allowance: Option<Allowance>) -> Response {
    let Some(Allowance { rate, remaining, after }) = allowance else { return response };
    let policy = format!("\"client\";q={};w={}", rate.requests, seconds(rate.window));
    let limit = format!("\"client\";r={remaining};t={}", seconds(after));
    for (name, text) in [(RATE_LIMIT_POLICY, policy), (RATE_LIMIT, limit)] {
        if let Ok(value) = HeaderValue::try_from(text) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

/// Whole seconds, rounded up.
fn seconds(time: Duration) -> u128 {
    time.as_millis().div_ceil(1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_is_taken_out_of_the_query() {
        for (before, ticket, after) in [
            ("/v1/live?ticket=abc", Some("abc"), "/v1/live"),
            (
                "/v1/analysis?fen=startpos&ticket=abc&depth=3",
                Some("abc"),
                "/v1/analysis?fen=startpos&depth=3",
            ),
            ("/v1/analysis?ticket=&fen=startpos", Some(""), "/v1/analysis?fen=startpos"),
            ("/v1/analysis?fen=ticket=", None, "/v1/analysis?fen=ticket="),
            ("/v1/live", None, "/v1/live"),
        ] {
            let mut uri = Uri::from_static(before);
            assert_eq!(take_ticket(&mut uri).as_deref(), ticket, "{before}");
            assert_eq!(uri.to_string(), after);
        }
    }
}
