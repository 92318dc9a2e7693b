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

/// The remote end of a connection, an extension of each of its requests.
#[derive(Clone, Debug)]
pub struct Peer {
    address: IpAddr,
    /// Created once for all requests of the connection.
    client: Client,
}

impl Peer {
    /// The peer at this address.
    pub fn new(address: IpAddr) -> Peer {
        let address = address.to_canonical();
        Peer { address, client: client_for_address(address) }
    }

    /// Its canonical address, never an IPv4-mapped IPv6 address.
    pub(crate) fn address(&self) -> IpAddr {
        self.address
    }

    /// The client at this address, if the peer is not a trusted proxy.
    pub(crate) fn client(&self) -> &Client {
        &self.client
    }
}

/// The client at the address of a request, an extension of each request. The address behind proxies
/// is determined once.
#[derive(Clone, Debug)]
pub(crate) struct AddressClient(pub(crate) Client);

/// The client, id and path of a request.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    identity: Identity,
    request_id: Option<RequestId>,
    /// Copied, because the URI would keep the connection's whole buffer alive while the request
    /// waits.
    path: Box<str>,
}

impl Caller {
    /// The client.
    pub(crate) fn client(&self) -> &Client {
        &self.identity.client
    }

    /// The identity of the client.
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
        let unknown = || Identity::without_key(Client::new(""));
        let identity = parts.extensions.get().cloned().unwrap_or_else(unknown);
        Ok(Caller {
            identity,
            request_id: parts.extensions.get().cloned(),
            path: parts.uri.path().into(),
        })
    }
}

/// The identity of an admitted client.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    /// The client.
    pub(crate) client: Client,
    /// The name of the key with which it authenticated, directly or by a ticket.
    pub(crate) key: Option<Arc<str>>,
    /// The remaining allowance, if its rate is limited.
    pub(crate) allowance: Option<Allowance>,
}

impl Identity {
    /// The identity of a client without a key.
    pub(crate) fn without_key(client: Client) -> Identity {
        Identity { client, key: None, allowance: None }
    }
}
