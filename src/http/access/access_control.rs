//! Authentication and rate limiting of requests.

use std::collections::HashMap;
use std::net::Ipv4Addr;

use axum::extract::Request;
use axum::http::header::WWW_AUTHENTICATE;
use axum::http::{HeaderMap, HeaderValue, Uri};
use axum::response::{IntoResponse, Response};

use super::caller::{AddressClient, Identity, Peer};
use super::client_address::client_for_address;
use super::rate_limit::{Allowance, ClientRateLimiter};
use super::tickets::{Tickets, parse_token};
use super::{AccessConfig, KeyError};
use crate::analysis::{Client, TicketToken};
use crate::http::headers::{RATE_LIMIT, RATE_LIMIT_POLICY, whole_seconds};
use crate::http::problem::Problem;

/// The open paths, which need no key and have no rate limit: probes, pages and the contract. Every
/// other path is protected, also one without a route.
const OPEN_PATHS: [&str; 5] = ["/", "/assets", "/docs", "/livez", "/readyz"];

/// The prefixes of further open paths.
const OPEN_PREFIXES: [&str; 4] = ["/assets/", "/docs/", "/openapi.", "/problems/"];

/// The path of the metrics, which is open where it has an address of its own.
const METRICS_PATH: &str = "/metrics";
const TICKETS_PATH: &str = "/v1/tickets";

/// Whether a path needs no key and has no rate limit.
pub(crate) fn is_open_path(path: &str) -> bool {
    OPEN_PATHS.contains(&path) || OPEN_PREFIXES.iter().any(|prefix| path.starts_with(prefix))
}

/// Identifies the client of a request and applies its rate limit.
pub(crate) struct AccessControl {
    access: AccessConfig,
    /// The limiter of all clients without their own rate.
    default_limiter: Option<ClientRateLimiter>,
    /// The limiters of keys with their own rate, by key name.
    key_limiters: HashMap<String, ClientRateLimiter>,
    tickets: Tickets,
}

impl AccessControl {
    /// Creates the limiters for these settings.
    pub(crate) fn new(access: AccessConfig) -> AccessControl {
        let default_limiter = access.default_rate_limit.and_then(ClientRateLimiter::new);
        let limiters = access
            .keys
            .iter()
            .filter_map(|key| Some((key.name.clone(), ClientRateLimiter::new(key.rate?)?)));
        let key_limiters = limiters.collect();
        AccessControl { access, default_limiter, key_limiters, tickets: Tickets::default() }
    }

    /// Whether the server refuses requests without a key or ticket.
    pub(crate) fn is_key_required(&self) -> bool {
        self.access.is_key_required
    }

    /// Identifies the client by its key or, without one, as the client at its address.
    pub(super) fn identify(
        &self,
        at_address: &Client,
        headers: &HeaderMap,
    ) -> Result<Identity, KeyError> {
        let Some(key) = self.access.keys.authenticate(headers)? else {
            return Ok(Identity::without_key(at_address.clone()));
        };
        let client = Client::new(&format!("key {}", key.name));
        Ok(Identity { client, key: Some(key.name.as_str().into()), allowance: None })
    }

    /// The client at the address of a request.
    pub(crate) fn client_at_address(&self, peer: Option<&Peer>, headers: &HeaderMap) -> Client {
        let address = peer.map_or(Ipv4Addr::UNSPECIFIED.into(), Peer::address);
        match (self.access.proxies.client_address(address, headers), peer) {
            (client_address, Some(peer)) if client_address == address => peer.client().clone(),
            (client_address, _) => client_for_address(client_address),
        }
    }

    pub(super) fn limiter(&self, identity: &Identity) -> Option<&ClientRateLimiter> {
        identity
            .key
            .as_deref()
            .and_then(|key| self.key_limiters.get(key))
            .or(self.default_limiter.as_ref())
    }

    /// Counts a request of this client. Returns its remaining allowance, or `None` without a limit.
    ///
    /// # Errors
    /// Returns the allowance as an error if the rate limit is exceeded.
    pub(crate) fn count_request(
        &self,
        identity: &Identity,
    ) -> Result<Option<Allowance>, Allowance> {
        self.limiter(identity).map(|limits| limits.check(&identity.client)).transpose()
    }

    /// The remaining allowance of this client, without counting a request.
    fn peek_allowance(&self, identity: &Identity) -> Option<Allowance> {
        self.limiter(identity).map(|limits| limits.peek(&identity.client))
    }

    /// Whether any client has a rate limit.
    pub(super) fn has_rate_limits(&self) -> bool {
        self.default_limiter.is_some() || !self.key_limiters.is_empty()
    }

    /// Admits a request and attaches the identity of its client. Returns the remaining allowance,
    /// or `None` without a limit.
    ///
    /// # Errors
    /// Returns the response to a refused request.
    pub(crate) fn admit(&self, request: &mut Request) -> Result<Option<Allowance>, Box<Response>> {
        let Claim { at_address, credential } = self.claim(request);
        let identified = match credential {
            Credential::Open => {
                return Ok(self.peek_allowance_of(at_address, request.headers()));
            }
            Credential::Ticket(token) => {
                token.and_then(|token| self.tickets.redeem(&token)).ok_or(KeyError::Unknown)
            }
            Credential::Key(identified) => identified,
        };
        let (identity, refusal) = self.judge(identified, at_address);
        let counted = self.count_request(&identity);
        conclude(request, identity, refusal, counted)
    }

    /// Reads who has sent a request, and takes the ticket out of its query.
    pub(super) fn claim(&self, request: &mut Request) -> Claim {
        let at_address = match request.extensions().get() {
            Some(AddressClient(client)) => client.clone(),
            None => Client::new(""),
        };
        let path = request.uri().path();
        if is_open_path(path) || (self.access.are_metrics_separate && path == METRICS_PATH) {
            return Claim { at_address, credential: Credential::Open };
        }
        let credential = match take_ticket(request.uri_mut()) {
            // Otherwise a leaked address could be renewed for ever without the key.
            Some(_) if request.uri().path() == TICKETS_PATH => {
                Credential::Key(Err(KeyError::TicketForTicket))
            }
            Some(text) => Credential::Ticket(parse_token(&text)),
            None => Credential::Key(self.identify(&at_address, request.headers())),
        };
        Claim { at_address, credential }
    }

    /// The remaining allowance of a request to an open path, which does not count.
    fn peek_allowance_of(&self, at_address: Client, headers: &HeaderMap) -> Option<Allowance> {
        if !self.has_rate_limits() {
            return None;
        }
        let identity = self.identify(&at_address, headers);
        self.peek_allowance(&identity.unwrap_or_else(|_| Identity::without_key(at_address)))
    }

    /// The identity under which a request counts, and its problem if it is not admitted.
    pub(super) fn judge(
        &self,
        identified: Result<Identity, KeyError>,
        at_address: Client,
    ) -> (Identity, Option<Problem>) {
        let refusal = self.refusal(&identified);
        // A request with an unknown key counts for its address, to slow down guessing.
        (identified.unwrap_or_else(|_| Identity::without_key(at_address)), refusal)
    }

    /// The problem of a client that is not admitted.
    fn refusal(&self, identified: &Result<Identity, KeyError>) -> Option<Problem> {
        match identified {
            Err(KeyError::Unknown) => Some(Problem::unauthorized()),
            Err(KeyError::OtherScheme) => Some(Problem::other_auth_scheme()),
            Err(KeyError::TicketForTicket) => Some(Problem::ticket_for_ticket()),
            Ok(identity) if self.access.is_key_required && identity.key.is_none() => {
                Some(Problem::key_required())
            }
            Ok(_) => None,
        }
    }

    /// The tickets of this server.
    pub(super) fn tickets(&self) -> &Tickets {
        &self.tickets
    }

    /// Whether a ticket for this key may be redeemed here.
    pub(super) fn has_key(&self, name: &str) -> bool {
        self.access.keys.iter().any(|key| key.name == name)
    }
}

/// The client of a request, as far as the request says.
pub(super) struct Claim {
    /// The client at its address.
    pub(super) at_address: Client,
    pub(super) credential: Credential,
}

/// How a request identifies its client.
pub(super) enum Credential {
    /// Not at all: its path is open.
    Open,
    /// By a ticket; `None` for a text that is no ticket.
    Ticket(Option<TicketToken>),
    /// By a key or by its address.
    Key(Result<Identity, KeyError>),
}

/// Attaches the identity of an admitted client to a request.
///
/// # Errors
/// Returns the response to a refused request.
pub(super) fn conclude(
    request: &mut Request,
    identity: Identity,
    refusal: Option<Problem>,
    counted: Result<Option<Allowance>, Allowance>,
) -> Result<Option<Allowance>, Box<Response>> {
    let allowance = counted.map_err(|allowance| {
        with_rate_limit_headers(allowance.exceeded().into_response(), Some(allowance))
    })?;
    if let Some(problem) = refusal {
        let mut response = problem.into_response();
        response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        return Err(Box::new(with_rate_limit_headers(response, allowance)));
    }
    request.extensions_mut().insert(Identity { allowance, ..identity });
    Ok(allowance)
}

/// Removes the ticket from a query, if it has one. The routes do not know tickets.
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

/// Adds the headers of the IETF draft "RateLimit header fields for HTTP", in their structured form,
/// if there is a limit.
pub(crate) fn with_rate_limit_headers(
    mut response: Response,
    allowance: Option<Allowance>,
) -> Response {
    let Some(Allowance { rate, remaining, reset_after: after }) = allowance else {
        return response;
    };
    let policy = format!("\"client\";q={};w={}", rate.requests, whole_seconds(rate.window));
    let limit = format!("\"client\";r={remaining};t={}", whole_seconds(after));
    for (name, text) in [(RATE_LIMIT_POLICY, policy), (RATE_LIMIT, limit)] {
        if let Ok(value) = HeaderValue::try_from(text) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ticket_is_removed_from_the_query() {
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
