//! `POST /v1` and the WebSocket `/v1`: searches in the format of chess-api.com, for its unmodified
//! clients.

mod connection;
mod game_text;
mod request;
mod response;

pub(crate) use request::ChessApiRequest;
pub(crate) use response::ChessApiAnswer;

use axum::extract::State;
use axum::response::{IntoResponse, Response};

use crate::analysis::AnalysisError;
use crate::http::App;
use crate::http::access::Caller;
use crate::http::controllers::live::AdmittedSocket;
use crate::http::json::{Json, Reply};
use crate::http::problem::{ChessApiProblems, ChessApiSocketProblems, Problem};
use connection::ChessApiConnection;
use response::{ChessApiError, MessageKind};

/// Find the best move as on chess-api.com
///
/// Returns the best move in the format of <https://chess-api.com>. The server ignores unknown
/// members and clamps numbers to their range. It reads a number also from a string. Bad input gets
/// the status 200 with `"type": "error"`. Every other refusal is a problem, as on each route.
#[utoipa::path(
    post,
    path = "/v1",
    tag = "compat",
    request_body = ChessApiRequest,
    responses(
        (status = 200, description = "The best move, or an error.", body = ChessApiAnswer),
        ChessApiProblems,
    )
)]
pub(crate) async fn chess_api(
    State(app): State<App>,
    caller: Caller,
    request: Result<Json<ChessApiRequest>, Problem>,
) -> Result<Response, Problem> {
    let request = match request {
        Ok(Json(request)) => request,
        Err(problem) => return ChessApiError::from_unreadable(problem).map(as_reply),
    };
    let search = match request.resolve() {
        Ok(search) => search.with_one_line(),
        Err(error) => return Ok(as_reply(error)),
    };
    let (request, context) = search.into_request(caller.client(), app.caps());
    let report = app.service().await.best_move(request).await?.report;
    let best = context.message(MessageKind::BestMove, report.score, &report.pv, &report);
    // Only a shutdown ends a search before it has found a move.
    Ok(Reply(best.ok_or_else(AnalysisError::shutting_down)?).into_response())
}

fn as_reply(error: ChessApiError) -> Response {
    Reply(error).into_response()
}

#[utoipa::path(
    get,
    path = "/v1",
    tag = "compat",
    summary = "Follow a search as on chess-api.com",
    description = include_str!("chess_api/description.md"),
    params(("ticket" = Option<String>, Query, description = "A ticket from `POST /v1/tickets`, for \
        clients that can't send an API key.")),
    responses(
        (status = 101, description = "The connection is now a WebSocket."),
        ChessApiSocketProblems,
    )
)]
pub(crate) async fn chess_api_socket(State(app): State<App>, admitted: AdmittedSocket) -> Response {
    let service = app.service().await.clone();
    admitted.open(None, move |app, caller, socket| async move {
        ChessApiConnection::new(&app, &service, &caller, socket).run().await;
    })
}
