//! Who asks.

use std::convert::Infallible;
use std::net::SocketAddr;

use axum::extract::FromRequestParts;
use axum::http::Uri;
use axum::http::request::Parts;

use super::App;
use super::layers::{RequestId, Visitor};
use crate::analysis::Client;

/// The other end of a connection.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub SocketAddr);

/// A client with its request.
#[derive(Clone, Debug)]
pub(crate) struct Asker {
    client: Client,
    request_id: Option<RequestId>,
    uri: Uri,
}

impl Asker {
    /// The client.
    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    /// The id of the request.
    pub(crate) fn request_id(&self) -> &str {
        self.request_id.as_ref().map_or("", RequestId::as_str)
    }

    /// The path of the request.
    pub(crate) fn path(&self) -> &str {
        self.uri.path()
    }
}

impl FromRequestParts<App> for Asker {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Asker, Infallible> {
        let visitor = parts.extensions.get::<Visitor>();
        let client = visitor.map_or_else(|| Client::new(""), |visitor| visitor.client.clone());
        Ok(Asker { client, request_id: parts.extensions.get().cloned(), uri: parts.uri.clone() })
    }
}
