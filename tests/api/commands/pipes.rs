//! The commands in a pipe: plain text, JSON and exit codes.

use std::io::Read;
use std::process::Stdio;

use serde_json::Value;
use tokio::task::spawn_blocking;

use super::{TWO_GAMES, parts, run, without_times};
use crate::support::contract::assert_schema;
use crate::support::server::api_key;
use crate::support::server_process::{kibitzer_command, set_environment};
use crate::support::{START_FEN, Server};

crate::trials![
    a_board_in_a_pipe_is_plain_text,
    a_board_becomes_a_picture,
    an_analysis_in_a_pipe_is_its_last_result,
    a_file_has_a_position_on_each_line,
    json_is_the_answer_of_the_api,
    a_server_gives_the_same_answer,
    a_server_gets_its_key,
    exit_codes_tell_input_from_usage,
    a_reader_that_leaves_is_no_error,
];

async fn a_board_in_a_pipe_is_plain_text() {
    let (code, out, err) = parts(&run(&["board", "startpos"], "").await);
    let expected = format!(
        " 8  r n b q k b n r\n 7  p p p p p p p p\n 6  . . . . . . . .\n 5  . . . . . . . .\n \
         4  . . . . . . . .\n 3  . . . . . . . .\n 2  P P P P P P P P\n 1  R N B Q K B N R\n    \
         a b c d e f g h\n\nWhite to move\n{START_FEN}\n"
    );
    assert_eq!((code, out, err), (Some(0), expected, String::new()));
    // Without quotes the shell makes several arguments of a FEN.
    let words = ["board", "4k3/8/8/8/8/8/8/4RK2", "b", "-", "-", "0", "1", "--orientation=black"];
    let (code, out, _) = parts(&run(&words, "").await);
    assert_eq!((code, out.lines().next()), (Some(0), Some(" 1  . . K R . . . .")));
    assert!(out.contains("\nBlack to move, in check\n"), "{out}");
    let mate = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3";
    let (_, out, _) = parts(&run(&["board", mate], "").await);
    assert!(out.contains("Checkmate: Black has won\nA00 Barnes Opening: Fool's Mate\n"), "{out}");
}

async fn a_board_becomes_a_picture() {
    let server = Server::start().await;
    let (code, svg, err) = parts(&run(&["board", "startpos", "--svg", "--size", "100"], "").await);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let picture = server.get("/board.svg?fen=startpos&size=100").await.body;
    assert_eq!(svg, picture);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("board.png");
    let path = file.to_str().unwrap();
    let (code, out, err) = parts(&run(&["board", "startpos", "--png", path], "").await);
    assert_eq!((code, out.as_str(), err.as_str()), (Some(0), "", ""));
    assert!(std::fs::read(&file).unwrap().starts_with(b"\x89PNG"));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no other file is left");
}

async fn an_analysis_in_a_pipe_is_its_last_result() {
    let arguments = ["analyse", "startpos", "--depth", "6", "--lines", "2"];
    let (code, out, err) = parts(&run(&arguments, "").await);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    assert!(!out.contains('\x1b'), "{out:?}");
    let lines: Vec<&str> = out.lines().collect();
    let at = lines.iter().position(|line| line.starts_with("depth 6/")).expect("a depth");
    assert_eq!(lines.len(), at + 3, "{out}");
    assert!(lines[at + 1].starts_with(" 1  ") && lines[at + 2].starts_with(" 2  "), "{out}");
    assert!(lines[at + 1].contains(" %  1. "), "{out}");
}

async fn a_file_has_a_position_on_each_line() {
    let positions = "# two positions\n\nstartpos\n4k3/8/8/8/8/8/8/R5K1 w - - bm Ra8; id \"x\";\n";
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("positions.epd");
    std::fs::write(&file, positions).unwrap();
    let path = file.to_str().unwrap();
    for (argument, input) in [(path, ""), ("-", positions)] {
        let arguments = ["analyse", argument, "--depth", "3", "--json"];
        let (code, out, err) = parts(&run(&arguments, input).await);
        assert_eq!((code, err.as_str(), out.lines().count()), (Some(0), "", 2), "{out}");
        assert!(out.lines().nth(1).unwrap().contains("4k3/8/8/8/8/8/8/R5K1 w - - 0 1"), "{out}");
    }
    // A line that is refused has its number, and the others are analysed.
    let damaged = "startpos\n8/8/8/8/8/8/8/8 w - - 0 1\nnonsense\nstartpos";
    let (code, out, err) = parts(&run(&["analyse", "-", "--depth", "2", "--json"], damaged).await);
    assert_eq!((code, out.lines().count(), err.lines().count()), (Some(1), 2, 2), "{err}");
    assert!(err.starts_with("kibitzer: standard input:2: "), "{err}");
    assert!(err.contains("\nkibitzer: standard input:3: "), "{err}");
}

async fn json_is_the_answer_of_the_api() {
    let arguments = ["analyse", "startpos", "--depth", "5", "--lines", "3", "--json"];
    let (code, out, err) = parts(&run(&arguments, "").await);
    assert_eq!((code, err.as_str(), out.lines().count()), (Some(0), "", 1));
    let answer: Value = serde_json::from_str(&out).unwrap();
    assert_schema("AnalysisAnswer", &answer);
    assert_eq!((&answer["depth"], answer["lines"].as_array().unwrap().len()), (&5.into(), 3));
    let (code, out, _) = parts(&run(&["review", "-", "--json", "--nodes", "500"], TWO_GAMES).await);
    let review: Value = serde_json::from_str(&out).unwrap();
    assert_schema("JobReview", &review);
    assert_eq!((code, &review["status"]), (Some(0), &"done".into()));
}

async fn a_server_gives_the_same_answer() {
    let server = Server::start_with(|settings| settings.search.workers = 1).await;
    let address = server.address.to_string();
    for (arguments, input) in [
        (&["analyse", START_FEN, "--depth", "6", "--lines", "2", "--json"][..], ""),
        (&["review", "-", "--json", "--depth", "4"], TWO_GAMES),
    ] {
        let local = run(arguments, input).await;
        let remote = run(&[arguments, &["--server", &address]].concat(), input).await;
        let [local, remote] = [local, remote].map(|output| {
            let (code, out, err) = parts(&output);
            assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
            let mut answer: Value = serde_json::from_str(&out).unwrap();
            without_times(&mut answer);
            answer
        });
        let names = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&local), names(&remote));
        assert_eq!(local["fen"], remote["fen"]);
        assert_eq!(local["games"][0]["headers"], remote["games"][0]["headers"]);
        if arguments[0] == "analyse" {
            assert_eq!(local, remote);
        }
    }
    // The board and the table, too.
    let arguments = ["analyse", "startpos", "--depth", "3"];
    let (_, local, _) = parts(&run(&arguments, "").await);
    let (_, remote, _) = parts(&run(&[&arguments[..], &["--server", &address]].concat(), "").await);
    let board = |text: &str| text.lines().take(12).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(board(&local), board(&remote));
}

async fn a_server_gets_its_key() {
    let server = Server::start_with(|settings| {
        settings.access.required = true;
        settings.access.keys = vec![api_key("terminal", "secret", 0)];
    })
    .await;
    let address = server.address.to_string();
    for (key, code) in [("secret", 0), ("wrong", 1), ("", 1)] {
        let arguments = ["analyse", "startpos", "--depth", "2", "--json", "--server", &address];
        let mut command = kibitzer_command(&arguments);
        command.env("KIBITZER_KEY", key);
        let output = spawn_blocking(move || command.output().unwrap()).await.unwrap();
        let (found, out, err) = parts(&output);
        assert_eq!((found, out.is_empty()), (Some(code), code == 1), "{key}: {err}");
        assert!(code == 0 || err.contains("unauthorized") || err.contains("key"), "{err}");
    }
}

async fn exit_codes_tell_input_from_usage() {
    for (arguments, input, code, part) in [
        (&["analyse"][..], "", 2, "FEN|FILE|-"),
        (&["analyse", "startpos", "--depth", "0"], "", 2, "--depth"),
        (&["analyse", "startpos", "--time", "soon"], "", 2, "500ms"),
        (&["analyse", "startpos", "--infinite", "--depth", "3"], "", 2, "--infinite"),
        (&["analyse", "8/8/8/8/8/8/8/8 w - - 0 1"], "", 1, "king"),
        (&["analyse", "no/such/file.txt"], "", 1, "neither a file nor a FEN"),
        (&["analyse", "tests"], "", 1, "tests: is a directory"),
        (&["analyse", "-"], "\n# nothing\n", 1, "there are no positions"),
        (&["analyse", "startpos", "--server", "127.0.0.1:1"], "", 1, "cannot be reached"),
        (&["analyse", "startpos", "--server", "not a url"], "", 1, "not a url"),
        (&["review"], "", 2, "GAMES.pgn"),
        (&["review", "no/such.pgn"], "", 1, "no/such.pgn: No such file"),
        (&["review", "tests"], "", 1, "tests: "),
        (&["review", "-"], " \n", 1, "standard input: there are no games"),
        (&["review", "-", "-o", "no/such/out.pgn"], TWO_GAMES, 1, "no/such/out.pgn: "),
        (&["review", "-", "-o", "tests"], TWO_GAMES, 1, "tests: is a directory"),
        (&["review", "--job", "1"], "", 2, "32 hex digits"),
        (&["review", "-", "--server", "127.0.0.1:1"], TWO_GAMES, 1, "cannot be reached"),
        (&["board"], "", 2, "FEN"),
        (&["board", "nonsense"], "", 1, "the FEN has 1 field"),
        (&["board", "startpos", "--size", "1"], "", 2, "16..=1024"),
        (&["board", "startpos", "--svg", "--arrows", "x"], "", 1, "arrows"),
        (&["board", "startpos", "--png", "no/such/a.png"], "", 1, "no/such/a.png: "),
    ] {
        let (found, out, err) = parts(&run(arguments, input).await);
        assert_eq!((found, out.as_str()), (Some(code), ""), "{arguments:?}: {err}");
        assert!(err.contains(part), "{arguments:?}: {err}");
    }
}

async fn a_reader_that_leaves_is_no_error() {
    for arguments in [
        &["review", "-", "--nodes", "200"][..],
        &["analyse", "-", "--depth", "1"],
        &["perft", "4", "--divide"],
        &["board", "startpos", "--svg"],
    ] {
        let mut command = kibitzer_command(arguments);
        set_environment(&mut command, &[]);
        let check = move || {
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
            let mut child = command.spawn().unwrap();
            drop(child.stdout.take());
            let text = if arguments[0] == "review" { TWO_GAMES } else { "startpos\n" };
            let _ = std::io::Write::write_all(&mut child.stdin.take().unwrap(), text.as_bytes());
            let mut err = String::new();
            child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
            (child.wait().unwrap().code(), err)
        };
        let (code, err) = spawn_blocking(check).await.unwrap();
        assert_eq!((code, err.as_str()), (Some(0), ""), "{arguments:?}");
    }
}
