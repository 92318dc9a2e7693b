//! Random arguments of tools: every call gets an answer of JSON-RPC.

use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Map, Value, json};

use super::{FOOLS_MATE, start, tool_call};

crate::trials![every_call_gets_an_answer];

const CALLS: usize = 400;

const TOOLS: [&str; 8] = [
    "legal_moves",
    "check_move",
    "analyse_position",
    "play_moves",
    "review_game",
    "tablebase",
    "opening",
    "board_image",
];

const NAMES: [&str; 18] = [
    "fen",
    "pgn",
    "ply",
    "moves",
    "move",
    "lines",
    "depth",
    "movetime_ms",
    "nodes",
    "job",
    "wait_s",
    "orientation",
    "size",
    "arrows",
    "squares",
    "coordinates",
    "",
    "x",
];

const TEXTS: [&str; 22] = [
    "startpos",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "4k3/8/8/8/8/8/8/4K2R w K - 99 1",
    "8/8/8/8/3k4/8/8/R3K3 w - - 0 1",
    "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
    "8/8/8/8/8/8/8/8 w - - 0 1",
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    FOOLS_MATE,
    "[FEN \"4k3/8/8/8/8/8/8/4K2R w K - 0 1\"]\n\n1. O-O *",
    "1. e4 (1. d4 {d} d5) e5 $1 *",
    "{",
    "e4",
    "e7e5",
    "O-O",
    "a7a8q",
    "white",
    "Ge2e4",
    "\u{0}",
    "é\u{301}🙂",
    "../../livez?x=1#y",
    "&size=16",
    "",
];

/// A value of some type, mostly one that a tool may take.
fn value() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        6 => select(&TEXTS[..]).prop_map(str::to_owned),
        1 => ".{0,40}",
    ];
    let scalar = prop_oneof![
        6 => text.prop_map(Value::from),
        // Small numbers: they bound the time of searches.
        4 => (-2_i64..40).prop_map(Value::from),
        1 => any::<i64>().prop_map(|number| json!(number | i64::MIN)),
        1 => any::<f64>().prop_map(|number| json!(number)),
        1 => any::<bool>().prop_map(Value::from),
        1 => Just(Value::Null),
    ];
    let list = prop::collection::vec(scalar.clone(), 0..4);
    prop_oneof![6 => scalar.clone(), 3 => list.clone().prop_map(Value::from),
        1 => list.prop_map(|items| json!({ "items": items }))]
}

fn arguments() -> impl Strategy<Value = Map<String, Value>> {
    let named = (select(&NAMES[..]), value()).prop_map(|(name, value)| (name.to_owned(), value));
    let position = select(&TEXTS[..8]);
    (prop::option::weighted(0.7, position), prop::collection::vec(named, 0..4)).prop_map(
        |(position, named)| {
            let name = |text: &str| if text.contains("1.") { "pgn" } else { "fen" }.to_owned();
            let position = position.map(|text| (name(text), json!(text)));
            let bounds = [("movetime_ms", json!(5)), ("wait_s", json!(0)), ("move", json!("e4"))];
            let bounds = bounds.map(|(name, value)| (name.to_owned(), value));
            bounds.into_iter().chain(position).chain(named).collect()
        },
    )
}

/// Removes what the tool does not know from most calls, so that they reach the API.
fn fitting(tool: &Value, mut arguments: Map<String, Value>, keep_all: bool) -> Map<String, Value> {
    let known = tool["inputSchema"]["properties"].as_object().expect("properties");
    if !keep_all {
        arguments.retain(|name, _| known.contains_key(name));
    }
    arguments
}

async fn every_call_gets_an_answer() {
    let server = start().await;
    let list = super::message("tools/list", json!({}));
    let tools = server.post_ok("/mcp", &list).await["result"]["tools"].clone();
    let tool_of = |name: &str| {
        let tools = tools.as_array().expect("tools");
        tools.iter().find(|tool| tool["name"] == name).expect("a tool").clone()
    };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let strategy = (select(&TOOLS[..]), arguments(), prop::bool::weighted(0.15));
    let mut succeeded = 0;
    for _ in 0..CALLS {
        let (name, arguments, keep_all) = strategy.new_tree(&mut runner).expect("a case").current();
        let arguments = Value::Object(fitting(&tool_of(name), arguments, keep_all));
        let call = tool_call(name, &arguments);
        let response = server.post("/mcp", &call).await;
        assert_eq!(response.status, 200, "{call}: {}", response.body);
        let result = &response.json()["result"];
        assert!(result["content"].is_array(), "{call}: {}", response.body);
        if result["isError"] == true {
            let code = result["structuredContent"]["code"].as_str().expect("a code");
            let detail = result["structuredContent"]["detail"].as_str().expect("a reason");
            assert_ne!(code, "internal", "{call}: {detail}");
            assert!(!detail.is_empty(), "{call}");
        } else {
            assert!(result["structuredContent"].is_object(), "{call}");
            succeeded += 1;
        }
    }
    assert!(succeeded > CALLS / 10, "only {succeeded} of {CALLS} calls succeeded");
}
