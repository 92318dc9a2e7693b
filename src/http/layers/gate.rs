//! The gate before the routes that cost something: who asks, whether we know the key, and how often.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use axum::extract::{ConnectInfo, Request, State};
use axum::http::header::WWW_AUTHENTICATE;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::analysis::Client;
use crate::http::App;
use crate::http::access::{Access, Allowance, NoTicket, RateLimits, Tickets, Visitor, name};
use crate::http::asker::Peer;
use crate::http::problem::Problem;

use super::panics::{Panicked, unless_panic};

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
        let own = access.keys.iter().filter_map(|key| Some((key.name.clone(), RateLimits::new(key.rate?)?)));
        let own_rates = own.collect();
        Gate { access, rate, own_rates, tickets: Tickets::default() }
    }

    /// Whose request it is, by its key or its address; `None` for a key that is not known.
    fn visitor(&self, peer: Option<IpAddr>, headers: &HeaderMap) -> Option<Visitor> {
        let Some(key) = self.access.keys.shown(headers).ok()? else {
            return Some(self.at_address(peer, headers));
        };
        let client = Client::new(&format!("key {}", key.name));
        Some(Visitor { client, key: Some(key.name.as_str().into()), allowance: None })
    }

    /// Whose request it is by its address alone.
    fn at_address(&self, peer: Option<IpAddr>, headers: &HeaderMap) -> Visitor {
        let peer = peer.unwrap_or(Ipv4Addr::UNSPECIFIED.into());
        let client = Client::new(&name(self.access.proxies.client(peer, headers)));
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

    /// Gives a ticket to a visitor.
    ///
    /// # Errors
    /// As [`Tickets::give`].
    pub(crate) fn give_ticket(&self, visitor: &Visitor) -> Result<String, NoTicket> {
        self.tickets.give(visitor.clone())
    }
}

/// Lets a request through, or answers it. Where requests are limited every answer tells what is left, also that to a panic.
pub(crate) async fn gate(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let gate = app.gate();
    let peer = request.extensions().get::<ConnectInfo<Peer>>().map(|ConnectInfo(Peer(address))| address.ip());
    if !GUARDED.iter().any(|prefix| request.uri().path().starts_with(prefix)) {
        let allowance = gate.is_limited().then(|| {
            let visitor = gate.visitor(peer, request.headers());
            gate.look(&visitor.unwrap_or_else(|| gate.at_address(peer, request.headers())))
        });
        return with_rate(pass(request, next).await, allowance.flatten());
    }
    let visitor = match take_ticket(request.uri_mut()) {
        Some(ticket) => gate.tickets.take(&ticket),
        None => gate.visitor(peer, request.headers()),
    };
    // Who guesses keys is counted as the address that it guesses from.
    let counted = visitor.clone().unwrap_or_else(|| gate.at_address(peer, request.headers()));
    let allowance = match gate.count(&counted) {
        Ok(allowance) => allowance,
        Err(allowance) => {
            return with_rate(Problem::rate_limited(allowance.after).into_response(), Some(allowance));
        }
    };
    let Some(visitor) = visitor else {
        let mut response = Problem::unauthorized().into_response();
        response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        return with_rate(response, allowance);
    };
    request.extensions_mut().insert(Visitor { allowance, ..visitor });
    with_rate(pass(request, next).await, allowance)
}

async fn pass(request: Request, next: Next) -> Response {
    unless_panic(next.run(request)).await.unwrap_or_else(|Panicked| Problem::masked().into_response())
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

/// With the headers of the IETF's draft "RateLimit header fields for HTTP", in its structured form, where there is a limit.
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
            ("/v1/analysis?fen=startpos&ticket=abc&depth=3", Some("abc"), "/v1/analysis?fen=startpos&depth=3"),
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
