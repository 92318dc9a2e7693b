//! `kibitzer mcp` as a child process.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};
use tokio::task::spawn_blocking;

use super::{FOOLS_MATE, initialize, message, tool_call};
use crate::support::Server;
use crate::support::server::api_key;
use crate::support::server_process::{kibitzer_command, run, set_environment};

crate::trials![
    the_local_engine_answers_on_standard_output,
    a_server_answers_with_its_key,
    a_server_that_goes_away_is_an_error_of_the_call,
    a_client_that_leaves_ends_the_process,
    a_server_that_cannot_be_used_is_refused_at_the_start,
];

/// The process and its streams. Dropping this value kills it.
struct Assistant {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Drop for Assistant {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Assistant {
    fn start(mut command: Command) -> Assistant {
        set_environment(&mut command, &[]);
        let streams = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = streams.spawn().expect("the program runs");
        let (input, output) = (child.stdin.take(), child.stdout.take().expect("an output"));
        let mut assistant = Assistant { child, input, output: BufReader::new(output) };
        assert_eq!(assistant.send(&initialize())["result"]["serverInfo"]["name"], "kibitzer");
        assistant.write(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        assistant
    }

    fn write(&mut self, message: &Value) {
        let input = self.input.as_mut().expect("an open input");
        writeln!(input, "{message}").expect("the program reads");
    }

    fn read(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("the program writes");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{line:?}: {error}"))
    }

    fn send(&mut self, message: &Value) -> Value {
        self.write(message);
        self.read()
    }

    fn call(&mut self, name: &str, arguments: &Value) -> Value {
        self.send(&tool_call(name, arguments))["result"].clone()
    }
}

async fn the_local_engine_answers_on_standard_output() {
    let check = || {
        let mut assistant = Assistant::start(kibitzer_command(&["mcp"]));
        let tools = assistant.send(&message("tools/list", json!({})));
        assert_eq!(tools["result"]["tools"].as_array().map(Vec::len), Some(8));
        let arguments = json!({ "fen": "startpos", "movetime_ms": 50 });
        let analysis = assistant.call("analyse_position", &arguments);
        assert!(analysis["structuredContent"]["best_move"].is_string(), "{analysis}");
        let review = assistant.call("review_game", &json!({ "pgn": FOOLS_MATE, "nodes": 1_000 }));
        assert_eq!(review["structuredContent"]["status"], "done", "{review}");
        let illegal = assistant.call("play_moves", &json!({ "fen": "startpos", "moves": ["e5"] }));
        assert_eq!(illegal["structuredContent"]["code"], "illegal_move", "{illegal}");
        let picture = assistant.call("board_image", &json!({ "fen": "startpos", "size": 32 }));
        assert_eq!(picture["content"][0]["type"], "image", "{picture}");
        let unknown = assistant.send(&tool_call("nothing", &json!({})));
        assert_eq!(unknown["error"]["code"], -32_602, "{unknown}");
        // A line that is no message does not end the session.
        writeln!(assistant.input.as_mut().unwrap(), "no message").unwrap();
        assert_eq!(assistant.send(&message("ping", json!({})))["result"], json!({}));
        drop(assistant.input.take());
        assert!(assistant.child.wait().unwrap().success());
    };
    spawn_blocking(check).await.unwrap();
}

/// `kibitzer mcp --server` at this server, with the key.
fn at_server(server: &Server, key: &str) -> Command {
    let mut command = kibitzer_command(&["mcp", "--server", &server.address.to_string()]);
    command.env("KIBITZER_KEY", key);
    command
}

async fn a_server_answers_with_its_key() {
    let server = Server::start_with(|settings| {
        settings.access.required = true;
        settings.access.keys = vec![api_key("assistant", "secret", 0)];
        // The command needs the other routes only.
        settings.mcp.enabled = false;
    })
    .await;
    let command = at_server(&server, "secret");
    let check = || {
        let mut assistant = Assistant::start(command);
        let arguments = json!({ "fen": "startpos", "move": "e4", "movetime_ms": 50 });
        let result = assistant.call("check_move", &arguments);
        assert_eq!(result["structuredContent"]["legal"], true, "{result}");
        let result = assistant.call("legal_moves", &json!({ "fen": "x" }));
        assert_eq!(result["structuredContent"]["code"], "invalid_fen", "{result}");
        let picture = assistant.call("board_image", &json!({ "pgn": FOOLS_MATE, "size": 32 }));
        assert_eq!(picture["content"][0]["mimeType"], "image/png", "{picture}");
    };
    spawn_blocking(check).await.unwrap();
    let refused = at_server(&server, "wrong");
    let output = spawn_blocking(move || { refused }.output().unwrap()).await.unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{text}");
    assert!(text.contains("unauthorized"), "{text}");
}

async fn a_server_that_goes_away_is_an_error_of_the_call() {
    let server = Server::start().await;
    let command = at_server(&server, "");
    let mut assistant = spawn_blocking(|| Assistant::start(command)).await.unwrap();
    let address = server.address;
    let _ = server.stop.send(());
    while tokio::net::TcpStream::connect(address).await.is_ok() {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    let check = move || {
        let result = assistant.call("legal_moves", &json!({ "fen": "startpos" }));
        assert_eq!(result["isError"], true, "{result}");
        assert_eq!(result["structuredContent"]["code"], "server_unreachable", "{result}");
    };
    spawn_blocking(check).await.unwrap();
}

async fn a_client_that_leaves_ends_the_process() {
    let check = || {
        // Before the first message.
        let mut command = kibitzer_command(&["mcp"]);
        set_environment(&mut command, &[]);
        let output = command.stdin(Stdio::null()).output().unwrap();
        assert!(output.status.success() && output.stdout.is_empty(), "{output:?}");
        // In the middle of a search, whose result nobody reads.
        let mut assistant = Assistant::start(kibitzer_command(&["mcp"]));
        let arguments = json!({ "fen": "startpos", "movetime_ms": 10_000 });
        assistant.write(&tool_call("analyse_position", &arguments));
        drop(assistant.input.take());
        let started = std::time::Instant::now();
        assert!(assistant.child.wait().unwrap().success());
        assert!(started.elapsed().as_secs() < 4, "{:?}", started.elapsed());
    };
    spawn_blocking(check).await.unwrap();
}

async fn a_server_that_cannot_be_used_is_refused_at_the_start() {
    for (url, part) in [
        ("127.0.0.1:1", "cannot be reached"),
        ("ftp://127.0.0.1:1", "the URL must start with http:// or https://"),
        ("http://127.0.0.1:1/?x=1", "before ? and #"),
        ("not a url", "not a url"),
    ] {
        let output = run(&["mcp", "--server", url]);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{url}: {text}");
        assert!(text.contains(part), "{url}: {text}");
    }
}
