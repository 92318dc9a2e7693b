//! Who asks.

use std::convert::Infallible;
use std::net::IpAddr;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use super::App;
use super::access::{Identity, client_for_address};
use super::middleware::RequestId;
use crate::analysis::Client;

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

impl FromRequestParts<App> for Caller {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Caller, Infallible> {
        let anonymous = || Identity { client: Client::new(""), key: None, allowance: None };
        let identity = parts.extensions.get().cloned().unwrap_or_else(anonymous);
        Ok(Caller {
            identity,
            request_id: parts.extensions.get().cloned(),
            path: parts.uri.path().into(),
        })
    }
}
