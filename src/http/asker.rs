//! Who asks.

use std::convert::Infallible;
use std::net::SocketAddr;

use axum::extract::FromRequestParts;
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
    request_id: String,
    path: String,
}

impl Asker {
    /// The client.
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
        let visitor = parts.extensions.get::<Visitor>();
        let client = visitor.map_or_else(|| Client::new(""), |visitor| visitor.client.clone());
        let request_id = parts.extensions.get::<RequestId>().map(|id| id.as_str().to_owned()).unwrap_or_default();
        let path = parts.uri.path().to_owned();
        Ok(Asker { client, request_id, path })
    }
}
