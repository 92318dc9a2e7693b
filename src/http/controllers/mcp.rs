//! `POST /mcp`: the tools for language models, over the protocol's streamable HTTP.

mod in_process;

use std::borrow::Cow;
use std::sync::Arc;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{FromRequestParts, Request, State};
use axum::http::header::{ACCEPT, CONTENT_TYPE, HOST};
use axum::http::request::Parts;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use rmcp::model::ClientJsonRpcMessage;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::{Value, json};
use utoipa::openapi::schema::{AdditionalProperties, Schema};
use utoipa::openapi::{ObjectBuilder, RefOr};
use utoipa::{PartialSchema, ToSchema};

use crate::http::App;
use crate::http::access::{disallowed_origin, request_host};
use crate::http::json::{
    BodyLimits, MembersInBody, check_encoding, content_type, may_be_json, read_bytes,
};
use crate::http::problem::{McpProblems, Problem};
use crate::http::request_memory::{Reservation, ShareExceeded};
use crate::mcp::ToolServer;
pub use in_process::InProcessApi;
pub(crate) use in_process::ToolRoutes;

/// The codes of JSON-RPC for a message that is no JSON, and for one that is no request.
const PARSE_ERROR: i32 = -32_700;
const INVALID_REQUEST: i32 = -32_600;

/// The media types that the protocol wants a client to accept. The server answers with the first.
const ACCEPTED: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");
const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// The memory that a value or a name in a message takes until the call ends, beside its text: a
/// `serde_json::Value` with its place in an object.
const VALUE_BYTES: usize = 128;

/// Longest text of the library in place of a response, for example about the protocol's version.
const MAX_LIBRARY_TEXT: usize = 4 << 10;

/// A message of JSON-RPC 2.0. The Model Context Protocol defines its members.
pub(crate) struct JsonRpcMessage;

impl PartialSchema for JsonRpcMessage {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .description(Some(
                "A message of JSON-RPC 2.0, as the Model Context Protocol defines it.",
            ))
            .additional_properties(Some(AdditionalProperties::FreeForm(true)))
            .into()
    }
}

impl ToSchema for JsonRpcMessage {
    fn name() -> Cow<'static, str> {
        "JsonRpcMessage".into()
    }
}

/// Call a tool
///
/// The Model Context Protocol over streamable HTTP, without sessions: one message of JSON-RPC, one
/// response. `tools/list` describes the tools. A call counts as one request of its client, and its
/// searches wait in the queue like those of any other route. `docs/mcp.md` says how to add the
/// server to an assistant.
///
/// `mcp.allowed_hosts` lists the hosts that a request may name. A web page needs the same host or
/// an origin of `http.cors_origins`.
#[utoipa::path(
    post,
    path = "/mcp",
    tag = "assistants",
    request_body = JsonRpcMessage,
    responses(
        (status = 200, description = "The response of JSON-RPC, also to a call that failed.",
            body = JsonRpcMessage),
        (status = 202, description = "A notification, which has no response."),
        (status = 400, description = "An error of JSON-RPC: the body is no message of the \
            protocol.", body = JsonRpcMessage),
        McpProblems,
    )
)]
pub(crate) async fn mcp(
    State(app): State<App>,
    Extension(routes): Extension<ToolRoutes>,
    Extension(memory): Extension<Arc<Reservation>>,
    request: Request,
) -> Result<Response, Problem> {
    let (mut parts, body) = request.into_parts();
    check_host_and_origin(&app, &parts)?;
    MembersInBody::from_request_parts(&mut parts, &app).await?;
    let bytes = read_message(&app, &parts.headers, body, &memory).await?;
    let parsed = bytes.len() + VALUE_BYTES * count_values(&bytes);
    memory.grow(parsed).map_err(|ShareExceeded| Problem::memory_share_exceeded())?;
    if let Err(error) = serde_json::from_slice::<ClientJsonRpcMessage>(&bytes) {
        return Ok(invalid_message(&bytes, &error));
    }
    let api = routes.api_for(&parts, memory.clone());
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .disable_allowed_hosts()
        .with_max_request_body_bytes(bytes.len());
    let service = StreamableHttpService::new(
        move || Ok(ToolServer::new(api.clone())),
        Arc::new(NeverSessionManager::default()),
        config,
    );
    let response = service.handle(message_request(parts, bytes)).await;
    match response.status() {
        StatusCode::OK | StatusCode::ACCEPTED => Ok(response.map(Body::new).into_response()),
        status => Ok(refused_by_library(status, response.map(Body::new)).await),
    }
}

/// The error of JSON-RPC for a request that the library refuses with a text.
async fn refused_by_library(status: StatusCode, response: Response) -> Response {
    let text = to_bytes(response.into_body(), MAX_LIBRARY_TEXT).await.unwrap_or_default();
    let error = json!({ "code": INVALID_REQUEST, "message": String::from_utf8_lossy(&text) });
    let body = json!({ "jsonrpc": "2.0", "id": null, "error": error });
    (status, Json(body)).into_response()
}

/// At least the number of values and names in a JSON text.
fn count_values(text: &[u8]) -> usize {
    let mut count = 1;
    let mut is_in_string = false;
    let mut bytes = text.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => is_in_string = !is_in_string,
            b'\\' if is_in_string => _ = bytes.next(),
            b',' | b':' | b'[' | b'{' if !is_in_string => count += 1,
            _ => {}
        }
    }
    count
}

/// Protects against DNS rebinding: a web page that lets its own name point to this server.
fn check_host_and_origin(app: &App, parts: &Parts) -> Result<(), Problem> {
    let host = request_host(&parts.headers, &parts.uri).unwrap_or_default();
    if !is_allowed_host(host, &app.caps().mcp_hosts) {
        return Err(Problem::host_refused(host));
    }
    match disallowed_origin(&parts.headers, &parts.uri, &app.caps().cors_origins) {
        Some(origin) => Err(Problem::origin_refused(origin, "to call tools")),
        None => Ok(()),
    }
}

/// Whether a host is in the list, with its port or without. `*` allows all.
fn is_allowed_host(host: &str, allowed: &[String]) -> bool {
    let name = host.parse::<Authority>().ok();
    let name = name.as_ref().map_or("", Authority::host).trim_matches(['[', ']']);
    allowed.iter().any(|allowed| {
        let is_name =
            !name.is_empty() && allowed.trim_matches(['[', ']']).eq_ignore_ascii_case(name);
        allowed == "*" || allowed.eq_ignore_ascii_case(host) || is_name
    })
}

async fn read_message(
    app: &App,
    headers: &HeaderMap,
    body: Body,
    memory: &Arc<Reservation>,
) -> Result<Bytes, Problem> {
    let declared = content_type(headers);
    check_encoding(headers)?;
    if !may_be_json(declared) {
        return Err(Problem::not_json(declared));
    }
    let caps = app.caps();
    let limits = BodyLimits { max_bytes: caps.body_bytes, timeout: caps.body_timeout };
    read_bytes(headers, body, limits, Some(&mut memory.part())).await
}

/// The response of JSON-RPC to a body that is no message of the protocol.
fn invalid_message(bytes: &[u8], error: &serde_json::Error) -> Response {
    let (code, message, id) = match serde_json::from_slice::<Value>(bytes) {
        Err(_) => (PARSE_ERROR, format!("the body is not valid JSON: {error}"), Value::Null),
        Ok(Value::Array(_)) => {
            let message = "the body is an array; it must be one message of JSON-RPC 2.0";
            (INVALID_REQUEST, message.to_owned(), Value::Null)
        }
        Ok(value) => {
            let id = value.get("id").filter(|id| id.is_string() || id.is_i64() || id.is_u64());
            let message = "the body must be a request or a notification of JSON-RPC 2.0, with \
                `jsonrpc`, `method` and, for a request, an `id` that is a string or an integer";
            (INVALID_REQUEST, message.to_owned(), id.cloned().unwrap_or_default())
        }
    };
    let error = json!({ "code": code, "message": message });
    let body = json!({ "jsonrpc": "2.0", "id": id, "error": error });
    (StatusCode::BAD_REQUEST, Json(body)).into_response()
}

/// The request as the library reads it. It wants media types that many clients do not send.
fn message_request(parts: Parts, bytes: Bytes) -> Request {
    let host = request_host(&parts.headers, &parts.uri).and_then(|host| host.parse().ok());
    let mut request = Request::new(Body::from(bytes));
    *request.method_mut() = parts.method;
    *request.uri_mut() = Uri::from_static("/mcp");
    *request.headers_mut() = parts.headers;
    let headers = request.headers_mut();
    headers.insert(HOST, host.unwrap_or(HeaderValue::from_static("localhost")));
    headers.insert(ACCEPT, ACCEPTED);
    headers.insert(CONTENT_TYPE, JSON);
    request
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_outside_of_texts() {
        for (text, count) in [
            ("5", 1),
            ("[1,2,3]", 4),
            (r#"{"a":"x,y:[","b\"{":{}}"#, 6),
            (r#"["\\",1]"#, 3),
            ("", 1),
        ] {
            assert_eq!(count_values(text.as_bytes()), count, "{text}");
        }
    }

    #[test]
    fn a_host_is_allowed_by_its_name_or_with_its_port() {
        let allowed = ["localhost", "::1", "chess.example:8443"].map(str::to_owned);
        for host in ["localhost", "LOCALHOST:8080", "[::1]", "[::1]:80", "chess.example:8443"] {
            assert!(is_allowed_host(host, &allowed), "{host}");
        }
        for host in ["", "evil.example", "chess.example", "localhost.evil.example", "a b", "@"] {
            assert!(!is_allowed_host(host, &allowed), "{host}");
        }
        assert!(is_allowed_host("evil.example", &["*".to_owned()]));
        assert!(!is_allowed_host("localhost", &[]));
    }
}
