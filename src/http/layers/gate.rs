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

    /// Whose request it is, by its key or its address.
    fn visitor(&self, peer: Option<IpAddr>, headers: &HeaderMap) -> Option<Visitor> {
        let key = self.access.keys.shown(headers).ok()?;
        let client = match key {
            Some(key) => Client::new(&format!("key {}", key.name)),
            None => {
                let peer = peer.unwrap_or(Ipv4Addr::UNSPECIFIED.into());
                Client::new(&name(self.access.proxies.client(peer, headers)))
            }
        };
        Some(Visitor { client, key: key.map(|key| key.name.as_str().into()), allowance: None })
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

    /// Gives a ticket to a visitor.
    ///
    /// # Errors
    /// As [`Tickets::give`].
    pub(crate) fn give_ticket(&self, visitor: &Visitor) -> Result<String, NoTicket> {
        self.tickets.give(visitor.clone())
    }
}

/// Lets a request through, or answers it.
pub(crate) async fn gate(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let gate = app.gate();
    if !GUARDED.iter().any(|prefix| request.uri().path().starts_with(prefix)) {
        return next.run(request).await;
    }
    let peer = request.extensions().get::<ConnectInfo<Peer>>().map(|ConnectInfo(Peer(address))| address.ip());
    let visitor = match take_ticket(request.uri_mut()) {
        Some(ticket) => gate.tickets.take(&ticket),
        None => gate.visitor(peer, request.headers()),
    };
    let Some(visitor) = visitor else {
        let mut response = Problem::unauthorized().into_response();
        response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        return response;
    };
    let allowance = match gate.count(&visitor) {
        Ok(allowance) => allowance,
        Err(allowance) => return with_rate(Problem::rate_limited(allowance.after).into_response(), &allowance),
    };
    request.extensions_mut().insert(Visitor { allowance, ..visitor });
    let response = next.run(request).await;
    match allowance {
        Some(allowance) => with_rate(response, &allowance),
        None => response,
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

/// With the headers of the IETF's draft "RateLimit header fields for HTTP", in its structured form.
fn with_rate(mut response: Response, allowance: &Allowance) -> Response {
    let Allowance { rate, remaining, after } = *allowance;
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
