//! Examples of the contract. `examples/<operation>.json` holds requests with their responses, the
//! ordinary ones first; every other problem gets an example document. The tests send each request
//! to a new server and compare. A list stands for the lines of NDJSON or of a stream.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::Modify;
use utoipa::openapi::example::ExampleBuilder;
use utoipa::openapi::path::{Operation, Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{Schema, SchemaType, Type};
use utoipa::openapi::{Content, OpenApi, RefOr, Response};

use crate::analysis::AnalysisError;
use crate::analysis::jobs::JobError;
use crate::http::problem::{Problem, ProblemCode, render_object};
use crate::http::stream::{ResponseFormat, stream_text};
use crate::tablebase::ProbeError;

/// The examples of each operation.
const FILES: [(&str, &str); 36] = [
    ("analyse", include_str!("examples/analyse.json")),
    ("annotated_games", include_str!("examples/annotated_games.json")),
    ("batch", include_str!("examples/batch.json")),
    ("best_move", include_str!("examples/best_move.json")),
    ("board_png", include_str!("examples/board_png.json")),
    ("board_svg", include_str!("examples/board_svg.json")),
    ("chess_api", include_str!("examples/chess_api.json")),
    ("cloud_eval", include_str!("examples/cloud_eval.json")),
    ("delete_games", include_str!("examples/delete_games.json")),
    ("engine", include_str!("examples/engine.json")),
    ("evaluate", include_str!("examples/evaluate.json")),
    ("explore", include_str!("examples/explore.json")),
    ("follow_analysis", include_str!("examples/follow_analysis.json")),
    ("game_events", include_str!("examples/game_events.json")),
    ("game_review", include_str!("examples/game_review.json")),
    ("judgement", include_str!("examples/judgement.json")),
    ("legal_moves", include_str!("examples/legal_moves.json")),
    ("limits", include_str!("examples/limits.json")),
    ("live", include_str!("examples/live.json")),
    ("livez", include_str!("examples/livez.json")),
    ("look_up", include_str!("examples/look_up.json")),
    ("mcp", include_str!("examples/mcp.json")),
    ("perft", include_str!("examples/perft.json")),
    ("play", include_str!("examples/play.json")),
    ("position", include_str!("examples/position.json")),
    ("readyz", include_str!("examples/readyz.json")),
    ("show_best_move", include_str!("examples/show_best_move.json")),
    ("show_evaluation", include_str!("examples/show_evaluation.json")),
    ("show_legal_moves", include_str!("examples/show_legal_moves.json")),
    ("show_position", include_str!("examples/show_position.json")),
    ("show_tablebase", include_str!("examples/show_tablebase.json")),
    ("standard", include_str!("examples/standard.json")),
    ("standard_mainline", include_str!("examples/standard_mainline.json")),
    ("stockfish_online", include_str!("examples/stockfish_online.json")),
    ("submit_games", include_str!("examples/submit_games.json")),
    ("tickets", include_str!("examples/tickets.json")),
];

/// The responses that all routes share, with their codes.
const SHARED_RESPONSES: [(&str, ProblemCode); 3] = [
    ("Internal", ProblemCode::Internal),
    ("unauthorized", ProblemCode::Unauthorized),
    ("rate_limited", ProblemCode::RateLimited),
];

/// A request and its response.
#[derive(Deserialize)]
struct ExampleExchange {
    name: String,
    summary: String,
    /// The body or the query parameters; `None` for routes without either.
    request: Option<Value>,
    status: u16,
    /// Null for a picture, which the contract does not hold.
    response: Value,
}

/// Adds the examples to the contract.
pub(crate) struct Examples;

impl Modify for Examples {
    fn modify(&self, contract: &mut OpenApi) {
        for (path, item) in &mut contract.paths.paths {
            for operation in [&mut item.get, &mut item.post, &mut item.delete].into_iter().flatten()
            {
                add_exchanges(operation);
                add_problems(path, operation);
            }
        }
        let Some(components) = &mut contract.components else { return };
        for (name, code) in SHARED_RESPONSES {
            if let Some(RefOr::T(response)) = components.responses.get_mut(name) {
                add_problem(response, code, "/v1/legal-moves");
            }
        }
    }
}

fn add_exchanges(operation: &mut Operation) {
    let id = operation.operation_id.as_deref().unwrap_or_default();
    let Some((_, file)) = FILES.iter().find(|(name, _)| *name == id) else {
        return;
    };
    // An invalid file yields a contract without its examples, which fails a test.
    let exchanges: Vec<ExampleExchange> = serde_json::from_str(file).unwrap_or_default();
    let first_success = exchanges.iter().find(|exchange| exchange.status < 400);
    if let Some(Value::Object(query)) = first_success.and_then(|first| first.request.as_ref()) {
        for parameter in operation.parameters.iter_mut().flatten() {
            if let RefOr::T(parameter) = parameter {
                add_parameter_example(parameter, query);
            }
        }
    }
    for (index, exchange) in exchanges.into_iter().enumerate() {
        let ExampleExchange { name, summary, request, status, response } = exchange;
        // A document has its examples in the order of their names.
        let name = format!("{:02}_{name}", index + 1);
        if let Some(request) = request
            && let Some(RefOr::T(body)) = &mut operation.request_body
        {
            insert_example(&mut body.content, &name, &summary, &request);
        }
        if !response.is_null()
            && let Some(RefOr::T(stored)) =
                operation.responses.responses.get_mut(&status.to_string())
        {
            let is_stream = response.is_array();
            let contents = stored.content.iter_mut();
            let fitting = contents.filter(|(media_type, _)| !(is_stream && is_json(media_type)));
            insert_example(fitting, &name, &summary, &response);
        }
    }
}

/// Adds the value of a query parameter in the first example request that succeeds.
fn add_parameter_example(parameter: &mut Parameter, query: &Map<String, Value>) {
    if parameter.parameter_in != ParameterIn::Query {
        return;
    }
    let Some(text) = query.get(&parameter.name).and_then(Value::as_str) else { return };
    let example = match &parameter.schema {
        Some(RefOr::T(Schema::Array(_))) => text.split(',').collect(),
        Some(RefOr::T(Schema::Object(object)))
            if object.schema_type == SchemaType::new(Type::Integer) =>
        {
            text.parse::<u64>().map_or(Value::Null, Value::from)
        }
        _ => Value::from(text),
    };
    let described = ParameterBuilder::from(std::mem::take(parameter));
    *parameter = described.example(Some(example)).build();
}

/// Adds the problems that no example request causes.
fn add_problems(path: &str, operation: &mut Operation) {
    for code in ProblemCode::ALL {
        if code.status().as_u16() != 422
            && let Some(RefOr::T(response)) =
                operation.responses.responses.get_mut(code.status().as_str())
            && response.description.contains(&format!("`{}`: ", code.name()))
        {
            add_problem(response, code, path);
        }
    }
}

fn add_problem(response: &mut Response, code: ProblemCode, path: &str) {
    insert_example(&mut response.content, code.name(), code.title(), &example_problem(code, path));
}

/// Adds an example to the contents that can hold it.
fn insert_example<'a>(
    contents: impl IntoIterator<Item = (&'a String, &'a mut RefOr<Content>)>,
    name: &str,
    summary: &str,
    value: &Value,
) {
    for (media_type, content) in contents {
        if let RefOr::T(content) = content
            && let Some(value) = example_as(media_type, value)
        {
            let example = ExampleBuilder::new().summary(summary).value(Some(value)).build();
            content.examples.insert(name.to_owned(), RefOr::T(example));
        }
    }
}

/// The example in this media type; `None` if it has no such form.
fn example_as(media_type: &str, value: &Value) -> Option<Value> {
    let format = match media_type {
        "application/x-ndjson" => ResponseFormat::NdJson,
        "text/event-stream" => ResponseFormat::Sse,
        media_type => return is_json(media_type).then(|| value.clone()),
    };
    stream_text(format, value.as_array()?).ok().map(Value::from)
}

fn is_json(media_type: &str) -> bool {
    matches!(media_type, "application/json" | "application/problem+json")
}

const REQUEST_ID: &str = "5f0c9a3e77d1b284";
const RETRY_AFTER: Duration = Duration::from_secs(2);

/// A problem with this code on this path; null for codes whose details depend on a request.
fn example_problem(code: ProblemCode, path: &str) -> Value {
    let path =
        path.replace("{code}", "unheard_of").replace("{id}", "3b0c44298fc1c149afbf4c8996fb9242");
    let problem = match code {
        ProblemCode::MalformedJson => Problem::malformed_json("expected value", 1, 9),
        ProblemCode::MalformedQuery => Problem::malformed_query("fen=%zz"),
        ProblemCode::NotAcceptable => Problem::not_acceptable(
            "text/html",
            "application/json, application/x-ndjson and text/event-stream",
        ),
        ProblemCode::Unauthorized => Problem::unauthorized(),
        ProblemCode::OriginRefused => {
            let purpose = if path == "/mcp" { "to call tools" } else { "to open a WebSocket" };
            Problem::origin_refused("https://elsewhere.example", purpose)
        }
        ProblemCode::UpgradeRequired => Problem::upgrade_required("the header Upgrade is missing"),
        ProblemCode::RateLimited => {
            Problem::rate_limited(120, Duration::from_secs(60), RETRY_AFTER)
        }
        ProblemCode::NotFound if path.starts_with("/v1/games/") => Problem::no_such_job(&path),
        ProblemCode::NotFound => Problem::not_found(&path),
        ProblemCode::NoTablebase => Problem::no_tablebase(),
        ProblemCode::MethodNotAllowed => Problem::method_not_allowed(&path, "DELETE", &["POST"]),
        ProblemCode::RequestTimeout => Problem::request_timeout(Duration::from_secs(10)),
        ProblemCode::BodyTooLarge => Problem::body_too_large(65_536),
        ProblemCode::JobTooLarge => Problem::from_job_error(
            JobError::TooManyNodes {
                nodes: 100_000_000,
                positions: 200,
                max: 10_000_000_000,
                max_per_position: 50_000_000,
            },
            &path,
        ),
        ProblemCode::TablebaseUnavailable => {
            Problem::tablebase_unavailable(&ProbeError::TooManyMen { men: 32, max: 5 })
        }
        ProblemCode::UnsupportedMediaType => Problem::not_json(Some("text/plain")),
        ProblemCode::IdempotencyConflict => Problem::idempotency_conflict(),
        ProblemCode::Gone => Problem::gone(),
        ProblemCode::Internal => Problem::internal_already_logged(),
        ProblemCode::QueueFull => {
            AnalysisError::QueueFull { length: 128, retry_after: RETRY_AFTER }.into()
        }
        ProblemCode::Deadline => {
            AnalysisError::Deadline { waited: Duration::from_secs(30), retry_after: RETRY_AFTER }
                .into()
        }
        ProblemCode::ShuttingDown => {
            AnalysisError::ShuttingDown { retry_after: RETRY_AFTER }.into()
        }
        ProblemCode::NotReady if path.starts_with("/v1/games") => Problem::not_ready("store"),
        ProblemCode::NotReady => Problem::not_ready("shutting_down"),
        // The server writes the first two before it knows the route.
        ProblemCode::HeadTooLarge
        | ProblemCode::MalformedHead
        | ProblemCode::InvalidRequest
        | ProblemCode::InvalidFen
        | ProblemCode::IllegalMove
        | ProblemCode::InvalidPgn
        | ProblemCode::PerftTooLarge => {
            return Value::Null;
        }
    };
    render_object(&problem, &path, REQUEST_ID).map(Value::Object).unwrap_or_default()
}
