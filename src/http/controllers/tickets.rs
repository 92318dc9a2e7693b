//! `POST /v1/tickets`

use axum::extract::State;
use axum::http::header::CACHE_CONTROL;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::ObjectBuilder;

use crate::http::App;
use crate::http::access::{Caller, TICKET_LIFETIME, TicketError};
use crate::http::dto::whole_ms;
use crate::http::json::Reply;
use crate::http::problem::{Problem, TicketProblems};
use crate::http::schema::varying_text;

/// A ticket.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct Ticket {
    /// Good for one request, as the parameter `ticket` of its query.
    #[schema(schema_with = ticket_text)]
    ticket: String,
    /// How long it is good, in milliseconds.
    expires_in_ms: u64,
}

/// A ticket
///
/// Browsers send no API key with a WebSocket or an EventSource. Whoever has a key gets a ticket by
/// it, and opens `/v1/live?ticket=…` or `/v1/analysis?…&ticket=…` as the holder of that key, once.
/// Without a key it stands for the address.
#[utoipa::path(
    post,
    path = "/v1/tickets",
    tag = "server",
    responses((status = 200, description = "The ticket.", body = Ticket), TicketProblems)
)]
pub(crate) async fn tickets(State(app): State<App>, caller: Caller) -> Result<Response, Problem> {
    let ticket =
        app.access_control().issue_ticket(caller.identity()).map_err(|error| match error {
            TicketError::TooMany(after) => Problem::rate_limited(after),
            TicketError::Random(error) => Problem::internal(&error),
        })?;
    let reply = Reply(Ticket { ticket, expires_in_ms: whole_ms(TICKET_LIFETIME) });
    Ok(([(CACHE_CONTROL, "no-store")], reply).into_response())
}

fn ticket_text() -> ObjectBuilder {
    varying_text("Good for one request, as the parameter `ticket` of its query.")
}
