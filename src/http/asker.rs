//! Who asks.

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};

use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::request::Parts;

use super::App;
use super::layers::RequestId;
use crate::analysis::Client;

/// The other end of a connection.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub SocketAddr);

/// A client with its request.
#[derive(Clone, Debug)]
pub(crate) struct Asker {
    client: Client,
    request_id: String,
    path: String,
}

impl Asker {
    /// The client: what is one for one address, is another for another.
    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    /// The id of the request.
    pub(crate) fn request_id(&self) -> &str {
        &self.request_id
    }

    /// The path of the request.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }
}

impl FromRequestParts<App> for Asker {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Asker, Infallible> {
        let peer = parts.extensions.get::<ConnectInfo<Peer>>().map(|ConnectInfo(Peer(address))| address.ip());
        let request_id = parts.extensions.get::<RequestId>().map(|id| id.as_str().to_owned()).unwrap_or_default();
        let path = parts.uri.path().to_owned();
        Ok(Asker { client: by_address(peer), request_id, path })
    }
}

fn by_address(address: Option<IpAddr>) -> Client {
    Client::new(&address.map(|address| address.to_canonical().to_string()).unwrap_or_default())
}
