//! The gate before the routes that cost something: who asks, whether we know the key, and how often.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use axum::extract::{ConnectInfo, Request, State};
use axum::http::header::WWW_AUTHENTICATE;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::analysis::Client;
use crate::http::App;
use crate::http::access::{Access, Allowance, ApiKey, RateLimits, name};
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
}

/// Who has come through the gate.
#[derive(Clone, Debug)]
pub(crate) struct Visitor {
    pub(crate) client: Client,
    /// What it has left, where that is limited.
    pub(crate) allowance: Option<Allowance>,
}

impl Gate {
    /// With nobody counted yet.
    pub(crate) fn new(access: Access) -> Gate {
        let rate = access.rate.and_then(RateLimits::new);
        let own = access.keys.iter().filter_map(|key| Some((key.name.clone(), RateLimits::new(key.rate?)?)));
        let own_rates = own.collect();
        Gate { access, rate, own_rates }
    }

    /// The client of a request, and the key that it shows.
    fn client(&self, peer: Option<IpAddr>, headers: &HeaderMap) -> Result<(Client, Option<&ApiKey>), Problem> {
        let key = self.access.keys.shown(headers).map_err(|_| Problem::unauthorized())?;
        let client = match key {
            Some(key) => Client::new(&format!("key {}", key.name)),
            None => {
                let peer = peer.unwrap_or(Ipv4Addr::UNSPECIFIED.into());
                Client::new(&name(self.access.proxies.client(peer, headers)))
            }
        };
        Ok((client, key))
    }

    fn limits(&self, key: Option<&ApiKey>) -> Option<&RateLimits> {
        key.and_then(|key| self.own_rates.get(&key.name)).or(self.rate.as_ref())
    }
}

/// Lets a request through, or answers it.
pub(crate) async fn gate(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let gate = app.gate();
    if !GUARDED.iter().any(|prefix| request.uri().path().starts_with(prefix)) {
        return next.run(request).await;
    }
    let peer = request.extensions().get::<ConnectInfo<Peer>>().map(|ConnectInfo(Peer(address))| address.ip());
    let (client, key) = match gate.client(peer, request.headers()) {
        Ok(found) => found,
        Err(problem) => {
            let mut response = problem.into_response();
            response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            return response;
        }
    };
    let allowance = match gate.limits(key).map(|limits| limits.ask(&client)).transpose() {
        Ok(allowance) => allowance,
        Err(allowance) => return with_rate(Problem::rate_limited(allowance.after).into_response(), &allowance),
    };
    request.extensions_mut().insert(Visitor { client, allowance });
    let response = next.run(request).await;
    match allowance {
        Some(allowance) => with_rate(response, &allowance),
        None => response,
    }
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
