//! `kibitzer-uci`, the program for tools that start an engine by its path alone.

use std::process::Command;

use tempfile::TempDir;

use crate::gui::Gui;
use crate::server::{ScriptedReply, Server};

const LAUNCHER: &str = env!("CARGO_BIN_EXE_kibitzer-uci");

#[test]
fn the_bare_path_is_a_uci_engine() {
    let mut gui = Gui::run(Command::new(LAUNCHER).env_remove("KIBITZER_SERVER"));
    gui.send_commands("uci");
    gui.wait_for("id name kibitzer ");
    gui.wait_for("uciok");
    let (_, best) = gui.search("position startpos\ngo depth 2");
    assert_eq!(best[0], "bestmove");
    gui.send_commands("quit");
    assert!(gui.wait_for_exit().0.success());
}

#[test]
fn the_environment_and_arguments_name_the_server() {
    let (server, _) = Server::scripted([ScriptedReply::Complete]);
    let url = format!("http://{}", server.address);
    let mut by_environment = Command::new(LAUNCHER);
    let mut by_argument = Command::new(LAUNCHER);
    by_environment.env("KIBITZER_SERVER", &url);
    by_argument.arg(format!("--server={url}")).env_remove("KIBITZER_SERVER");
    for mut command in [by_environment, by_argument] {
        let mut gui = Gui::run(&mut command);
        gui.send_commands("uci");
        gui.wait_for(&format!("id name kibitzer {} at {url}", env!("CARGO_PKG_VERSION")));
        let (_, best) = gui.search("position startpos\ngo depth 1");
        assert_eq!(best[1], "e2e4");
    }
}

#[test]
fn a_missing_program_is_named() {
    let folder = TempDir::new().unwrap();
    let copy = folder.path().join("kibitzer-uci");
    std::fs::copy(LAUNCHER, &copy).unwrap();
    let output = Command::new(&copy).env("PATH", folder.path()).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.starts_with("kibitzer-uci: cannot start kibitzer"), "{stderr}");
    assert!(stderr.contains("or in PATH"), "{stderr}");
}
