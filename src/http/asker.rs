//! Who asks.

use std::convert::Infallible;
use std::net::IpAddr;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use super::App;
use super::access::{Visitor, address_client};
use super::layers::RequestId;
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
        Peer { address, client: address_client(address) }
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
pub(crate) struct Asker {
    visitor: Visitor,
    request_id: Option<RequestId>,
    /// A copy: the URI itself is a piece of the connection's buffer, and would keep all of that for
    /// as long as the request waits.
    path: Box<str>,
}

impl Asker {
    /// The client.
    pub(crate) fn client(&self) -> &Client {
        &self.visitor.client
    }

    /// The client, as it has come through the gate.
    pub(crate) fn visitor(&self) -> &Visitor {
        &self.visitor
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

impl FromRequestParts<App> for Asker {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Asker, Infallible> {
        let nobody = || Visitor { client: Client::new(""), key: None, allowance: None };
        let visitor = parts.extensions.get().cloned().unwrap_or_else(nobody);
        Ok(Asker {
            visitor,
            request_id: parts.extensions.get().cloned(),
            path: parts.uri.path().into(),
        })
    }
}
