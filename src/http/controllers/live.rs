//! `GET /v1/live`: a live board over a WebSocket.

mod connection;
mod handshake;
mod message;
mod socket;

pub(crate) use handshake::AdmittedSocket;
pub(crate) use message::{Deeper, Go, LiveLine, MultiPv, Ready, SetPosition, Stop};
pub(crate) use socket::{ClientFrame, ClientSocket, SocketEvent, SocketResult};

use axum::extract::State;
use axum::response::Response;

use crate::http::App;
use crate::http::json::{NoParameters, Query};
use crate::http::problem::LiveProblems;
use connection::LiveConnection;

/// The subprotocol, selected if the client requests it.
const SUBPROTOCOL: &str = "kibitzer.v1";

#[utoipa::path(
    get,
    path = "/v1/live",
    tag = "analysis",
    summary = "A live board",
    description = include_str!("live/description.md"),
    params(("ticket" = Option<String>, Query, description = "A ticket from `POST /v1/tickets`, for \
        clients that can't send an API key.")),
    responses(
        (status = 101, description = "The connection is now a WebSocket."),
        LiveProblems,
    )
)]
pub(crate) async fn live(
    State(app): State<App>,
    Query(NoParameters): Query<NoParameters>,
    admitted: AdmittedSocket,
) -> Response {
    let service = app.service().await.clone();
    admitted.open(Some(SUBPROTOCOL), move |app, caller, socket| async move {
        LiveConnection::new(&app, &service, &caller, socket).run().await;
    })
}
