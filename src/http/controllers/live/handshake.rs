//! The handshake of a WebSocket: who may open one, and the limits on its messages.

use std::future::Future;

use axum::extract::FromRequestParts;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{WebSocket, WebSocketUpgrade};
use axum::http::HeaderValue;
use axum::http::header::{SEC_WEBSOCKET_VERSION, UPGRADE};
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use tracing::Instrument;

use super::socket::MAX_MESSAGE_BYTES;
use crate::analysis::AnalysisError;
use crate::http::App;
use crate::http::access::{Caller, disallowed_origin};
use crate::http::problem::Problem;
use crate::http::stream::Permit;

/// A message longer than this fails the socket at once. For a message between the two limits, the
/// server closes the socket with the code 1009. A fragment and the message that it continues may
/// take this much each, which the memory of a connection and of a stream covers.
const HARD_MAX_MESSAGE_BYTES: usize = MAX_MESSAGE_BYTES + (8 << 10);

/// The size of the read buffer. It is small because messages are small.
const READ_BUFFER_BYTES: usize = 4 << 10;

/// A handshake of a client that may open a WebSocket, with the permit of a stream.
pub(crate) struct AdmittedSocket {
    app: App,
    caller: Caller,
    upgrade: WebSocketUpgrade,
    permit: Permit,
}

impl FromRequestParts<App> for AdmittedSocket {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<AdmittedSocket, Response> {
        let origins = &app.caps().cors_origins;
        if let Some(origin) = disallowed_origin(&parts.headers, &parts.uri, origins) {
            return Err(Problem::origin_refused(origin, "to open a WebSocket").into_response());
        }
        let Ok(caller) = Caller::from_request_parts(parts, app).await;
        let upgrade =
            WebSocketUpgrade::from_request_parts(parts, app).await.map_err(upgrade_rejected)?;
        if app.is_shutting_down() {
            return Err(Problem::from(AnalysisError::shutting_down()).into_response());
        }
        let permit = app.stream_permit(caller.client()).map_err(IntoResponse::into_response)?;
        Ok(AdmittedSocket { app: app.clone(), caller, upgrade, permit })
    }
}

impl AdmittedSocket {
    /// Accepts the handshake, with this subprotocol if the client requests it. `serve` runs until
    /// the socket is closed.
    pub(crate) fn open<F>(
        self,
        subprotocol: Option<&'static str>,
        serve: impl FnOnce(App, Caller, WebSocket) -> F + Send + 'static,
    ) -> Response
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let AdmittedSocket { app, caller, upgrade, permit } = self;
        let span = tracing::Span::current();
        upgrade
            .protocols(subprotocol)
            .read_buffer_size(READ_BUFFER_BYTES)
            .max_message_size(HARD_MAX_MESSAGE_BYTES)
            .max_frame_size(HARD_MAX_MESSAGE_BYTES)
            .on_upgrade(move |socket| {
                async move {
                    serve(app, caller, socket).await;
                    drop(permit);
                }
                .instrument(span)
            })
    }
}

fn upgrade_rejected(rejection: WebSocketUpgradeRejection) -> Response {
    let mut response = Problem::upgrade_required(&rejection.body_text()).into_response();
    response.headers_mut().insert(UPGRADE, HeaderValue::from_static("websocket"));
    response.headers_mut().insert(SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"));
    response
}
