//! The client behind a request: its connection, its identity and its request id.

use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use super::client_address::client_for_address;
use super::rate_limit::Allowance;
use crate::analysis::Client;
use crate::http::headers::RequestId;

/// The other end of a connection; an extension of each of its requests.
#[derive(Clone, Debug)]
pub struct Peer {
    address: IpAddr,
    /// Made once, for all requests of the connection.
    client: Client,
}

impl Peer {
    /// The one at this address.
    pub fn new(address: IpAddr) -> Peer {
        let address = address.to_canonical();
        Peer { address, client: client_for_address(address) }
    }

    /// Its address; never IPv4 in the clothes of IPv6.
    pub(crate) fn address(&self) -> IpAddr {
        self.address
    }

    /// The client that it is, unless it speaks for others.
    pub(crate) fn client(&self) -> &Client {
        &self.client
    }
}

/// A client with its request.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    identity: Identity,
    request_id: Option<RequestId>,
    /// A copy: the URI itself is a piece of the connection's buffer, and would keep all of that for
    /// as long as the request waits.
    path: Box<str>,
}

impl Caller {
    /// The client.
    pub(crate) fn client(&self) -> &Client {
        &self.identity.client
    }

    /// The client, as it has come through the gate.
    pub(crate) fn identity(&self) -> &Identity {
        &self.identity
    }

    /// The id of the request.
    pub(crate) fn request_id(&self) -> &str {
        self.request_id.as_ref().map_or("", RequestId::as_str)
    }

    /// The path of the request.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }
}

impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Caller, Infallible> {
        let anonymous = || Identity { client: Client::new(""), key: None, allowance: None };
        let identity = parts.extensions.get().cloned().unwrap_or_else(anonymous);
        Ok(Caller {
            identity,
            request_id: parts.extensions.get().cloned(),
            path: parts.uri.path().into(),
        })
    }
}

/// A client that has come through the gate.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    /// The client.
    pub(crate) client: Client,
    /// The name of the key that it has shown, itself or by a ticket.
    pub(crate) key: Option<Arc<str>>,
    /// What it has left, where that is limited.
    pub(crate) allowance: Option<Allowance>,
}
