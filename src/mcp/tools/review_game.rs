//! `review_game`: the mistakes of a game.

use std::time::Duration;

use serde_json::{Map, Value, json};
use tokio::time::{Instant, sleep};

use crate::chess::{Position, SanWriter, parse_move, pgn};
use crate::mcp::answer::{Answer, Description, members, with_state};
use crate::mcp::api::{Api, Document, get, post};
use crate::mcp::arguments::Arguments;
use crate::mcp::error::ToolError;
use crate::mcp::position::read_game;
use crate::mcp::schema;
use crate::mcp::text::{joined, position_of};

const DEFAULT_WAIT_S: u64 = 20;
const MAX_WAIT_S: u64 = 50;
const MAX_NODES: u64 = 1_000_000_000;

/// The time until the first look at a job, and the longest time between two looks. Each look is a
/// request to the API.
const FIRST_WAIT: Duration = Duration::from_millis(50);
const LONGEST_WAIT: Duration = Duration::from_secs(2);

const STARTPOS: &str = "startpos";

/// The moves of the better line.
const LINE_MOVES: usize = 8;

pub(super) const DESCRIPTION: Description = Description {
    name: "review_game",
    title: "Review a game",
    text: "Reviews a whole chess game with the engine: each player's accuracy, and every \
        inaccuracy, mistake and blunder with the better line. Use it when a user gives a game as \
        PGN and asks what went wrong. A long review goes on in the background: `status` is then \
        queued or running, and a call with `job` alone continues to wait for it. `accuracy` is 0 \
        to 100, and `average_centipawn_loss` counts hundredths of a pawn per move. In `mistakes`, \
        `before` and `after` are scores for the player who moves, `win_chance_loss` is in \
        percentage points, and `ply` counts half-moves from 1.",
    schema,
};

fn schema() -> Map<String, Value> {
    let properties = json!({
        "pgn": { "type": "string", "description": "The game as PGN. One game; others are left \
            out. Give either pgn or job." },
        "nodes": { "type": "integer", "minimum": 1, "maximum": MAX_NODES,
            "description": "Search effort per position, in positions visited. By default the \
                server chooses." },
        "job": { "type": "string", "description": "The job of an earlier call whose review was \
            not done yet." },
        "wait_s": { "type": "integer", "minimum": 0, "maximum": MAX_WAIT_S,
            "default": DEFAULT_WAIT_S,
            "description": "The longest time to wait for the review, in seconds." },
    });
    match properties {
        Value::Object(properties) => schema::object(properties, &[]),
        _ => Map::new(),
    }
}

pub(super) async fn call(api: &impl Api, arguments: &Arguments) -> Result<Answer, ToolError> {
    let wait = arguments.number("wait_s", 0..=MAX_WAIT_S)?.unwrap_or(DEFAULT_WAIT_S);
    let nodes = arguments.number("nodes", 1..=MAX_NODES)?;
    let job = match (arguments.text("pgn")?, arguments.text("job")?) {
        (Some(_), Some(_)) => return Err(refused("pgn and job can't both be given")),
        (None, None) => return Err(refused("pgn is missing; to continue a review, give its job")),
        (None, Some(_)) if nodes.is_some() => {
            return Err(refused("nodes belongs to pgn; a job has its limits already"));
        }
        (None, Some(job)) => job_id(job)?.to_owned(),
        (Some(pgn), None) => submit(api, pgn, nodes).await?,
    };
    let review = wait_for(api, &job, Duration::from_secs(wait)).await?;
    answer(api, &job, &review).await
}

fn refused(detail: &str) -> ToolError {
    ToolError::invalid_request(detail)
}

/// Checks the id of a job, which becomes a part of a path.
fn job_id(job: &str) -> Result<&str, ToolError> {
    let is_valid = job.len() == 32 && job.bytes().all(|byte| byte.is_ascii_hexdigit());
    let error = || {
        refused(&format!("job is {:.40?}; it must be the id that an earlier call has given", job))
    };
    is_valid.then_some(job).ok_or_else(error)
}

/// Submits the first game of a text and returns the id of its job.
async fn submit(api: &impl Api, text: &str, nodes: Option<u64>) -> Result<String, ToolError> {
    let mut request = json!({ "pgn": pgn::write(&read_game(text)?) });
    if let Some(nodes) = nodes {
        request["nodes"] = json!(nodes);
    }
    let submitted = post(api, "/v1/games", request).await?;
    let id = submitted["id"].as_str().map(str::to_owned);
    id.ok_or_else(|| ToolError::unexpected_response("/v1/games"))
}

/// The review when it is done, or as it is after this time.
async fn wait_for(api: &impl Api, job: &str, time: Duration) -> Result<Document, ToolError> {
    let mut deadline = Instant::now() + time;
    let mut pause = FIRST_WAIT;
    loop {
        let looked = get(api, &format!("/v1/games/{job}")).await;
        let wait = match &looked {
            Ok(review) if is_unfinished(review) => pause,
            Ok(_) => return looked,
            Err(error) => match error.retry_after_ms() {
                Some(wait) => Duration::from_millis(wait),
                None => return looked.map_err(|error| error.of_job(job)),
            },
        };
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return looked.map_err(|error| error.of_job(job));
        }
        drop(looked);
        tokio::select! {
            () = sleep(wait.min(left)) => pause = (pause * 2).min(LONGEST_WAIT),
            // The answer names the job before the connection ends.
            () = api.closing() => deadline = Instant::now(),
        }
    }
}

fn is_unfinished(review: &Value) -> bool {
    matches!(review["status"].as_str(), Some("queued" | "running"))
}

async fn answer(api: &impl Api, job: &str, review: &Value) -> Result<Answer, ToolError> {
    let game = &review["games"][0];
    if let Some(detail) = game["error"]["detail"].as_str() {
        return Err(ToolError::new("invalid_pgn", detail));
    }
    if review["status"] == "failed" {
        let detail = format!("the review {job} has failed; give the pgn again");
        return Err(ToolError::new("internal", detail));
    }
    let moves = game["moves"].as_array();
    let last = moves.and_then(|moves| moves.last());
    // A game without moves, or a review that has not begun, shows no position of its own.
    let fen = last.and_then(|mv| mv["fen"].as_str()).unwrap_or(STARTPOS);
    let state = post(api, "/v1/position", json!({ "fen": fen, "views": [] }))
        .await
        .map_err(|error| error.of_job(job))?;
    let moves_of_game = moves.map_or(&[][..], Vec::as_slice);
    let start = game["headers"]["FEN"].as_str().unwrap_or(STARTPOS);
    let mistakes: Vec<Value> = moves_of_game
        .iter()
        .enumerate()
        .filter(|(_, mv)| mv["judgement"].is_string())
        .map(|(index, mv)| {
            let earlier =
                index.checked_sub(1).and_then(|index| moves_of_game[index]["fen"].as_str());
            describe_mistake(mv, earlier.unwrap_or(start))
        })
        .collect();
    let mut structured = Map::from_iter([
        ("job".to_owned(), json!(job)),
        ("status".to_owned(), review["status"].clone()),
        ("progress".to_owned(), review["progress"].clone()),
    ]);
    let names = ["headers", "opening", "result", "accuracy", "average_centipawn_loss"];
    structured.extend(members(game, &names));
    structured.insert("reviewed_moves".to_owned(), json!(moves_of_game.len()));
    structured.insert("mistakes".to_owned(), Value::from(mistakes.clone()));
    let summary = summary(job, review, game, &mistakes);
    structured.insert("fen".to_owned(), state["fen"].clone());
    Ok(Answer::new(Value::Object(structured), &with_state(&state, json!({})), summary))
}

/// A move with a judgement, played in the position of this FEN.
fn describe_mistake(mv: &Value, fen: &str) -> Value {
    let mut mistake = members(
        mv,
        &["ply", "san", "judgement", "win_chance_loss", "before", "after", "best_san", "fen"],
    );
    let line = mv["line"].as_array().into_iter().flatten().filter_map(Value::as_str);
    mistake.insert("better_line_san".to_owned(), json!(sans(fen, line.take(LINE_MOVES))));
    Value::Object(mistake)
}

/// A line in SAN.
fn sans<'a>(fen: &str, line: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut position = match fen {
        STARTPOS => Position::startpos(),
        fen => match position_of(fen) {
            Some(position) => position,
            None => return Vec::new(),
        },
    };
    let san = |text: &str| {
        let mv = parse_move(&position, text).ok()?;
        let san = SanWriter::new(&position).write(mv).text.as_str().to_owned();
        position.play(mv);
        Some(san)
    };
    line.map_while(san).collect()
}

fn summary(job: &str, review: &Value, game: &Value, mistakes: &[Value]) -> String {
    let status = review["status"].as_str().unwrap_or_default();
    let mut lines = Vec::new();
    if status != "done" {
        let progress = &review["progress"];
        let advice = match is_unfinished(review) {
            true => format!(" Call review_game with job {job:?} to continue."),
            false => String::new(),
        };
        lines.push(format!(
            "The review is {status}: {} of {} moves are done.{advice}",
            progress["moves_done"], progress["moves"]
        ));
    }
    if let Some(name) = game["opening"]["name"].as_str() {
        lines.push(format!("Opening: {name}"));
    }
    for (key, name) in [("white", "White"), ("black", "Black")] {
        if let Some(accuracy) = game["accuracy"][key].as_f64() {
            let loss = &game["average_centipawn_loss"][key];
            lines.push(format!(
                "{name}: accuracy {accuracy}, average loss {loss} centipawns per move"
            ));
        }
    }
    lines.extend(mistakes.iter().map(mistake_text));
    lines.join("\n")
}

fn mistake_text(mistake: &Value) -> String {
    let ply = mistake["ply"].as_u64().unwrap_or_default();
    let number = ply.div_ceil(2);
    let dots = if ply % 2 == 1 { "." } else { "..." };
    let text = |name: &str| mistake[name].as_str().unwrap_or_default().to_owned();
    format!(
        "ply {ply} ({number}{dots} {}): {}, costs {} percentage points; better: {}",
        text("san"),
        text("judgement"),
        mistake["win_chance_loss"],
        joined(&mistake["better_line_san"])
    )
}
