//! The persistent evaluation cache: restarts, damaged files and full disks.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::server_process::{ServerProcess, kibitzer_command};

crate::trials![
    cached_analyses_survive_a_restart,
    a_second_server_on_the_same_folder_is_refused_by_store_path,
    a_damaged_file_is_quarantined_and_the_server_starts,
    swapped_files_are_quarantined_and_the_server_starts,
    an_empty_file_is_reported_once_and_used,
    a_full_disk_stops_no_answer_and_is_reported_by_readyz,
];

async fn server_on(folder: &Path) -> ServerProcess {
    let path = folder.to_str().unwrap();
    ServerProcess::start(&[("KIBITZER__STORE__PATH", path), ("KIBITZER__SHUTDOWN__DRAIN_MS", "0")])
        .await
}

async fn cached_analyses_survive_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let store_folder = folder.path().join("made/when/there/is/none");
    let body = json!({ "fen": "startpos", "moves": ["e4", "c5"], "depth": 6 });
    let server = server_on(&store_folder).await;
    let first = server.client.post_ok("/v1/best-move", &body).await;
    assert_eq!(first["source"], "search");
    server.shut_down();

    let server = server_on(&store_folder).await;
    let again = server.client.post_ok("/v1/best-move", &body).await;
    assert_eq!((&again["source"], &again["memory"]), (&json!("memory"), &json!("hit")));
    assert!(again["age_ms"].as_u64().unwrap() > 0, "{again}");
    for same in [
        "best_move",
        "ponder",
        "score",
        "wdl",
        "pv",
        "depth",
        "seldepth",
        "nodes",
        "time_ms",
        "reason",
    ] {
        assert_eq!(first[same], again[same], "{same}");
    }
    let dictionary = server.client.get("/v1/limits").await.json()["dictionary"].clone();
    assert!(dictionary["entries"].as_u64().unwrap() >= 1, "{dictionary}");
    assert_eq!(dictionary["max_entries"], 1_000_000);
    server.shut_down();
}

async fn a_second_server_on_the_same_folder_is_refused_by_store_path() {
    let folder = tempfile::tempdir().unwrap();
    let server = server_on(folder.path()).await;
    let mut second = kibitzer_command(&["serve", "--listen", "127.0.0.1:0"]);
    second.env("KIBITZER__STORE__PATH", folder.path()).env("KIBITZER__SEARCH__HASH_MB", "1");
    let output = second.output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(
        stderr.contains("store.path: ") && stderr.contains("in use by another process"),
        "{stderr}"
    );
    server.shut_down();
}

async fn a_damaged_file_is_quarantined_and_the_server_starts() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("dictionary.redb"), [7; 10_000]).unwrap();
    let server = server_on(folder.path()).await;
    server.client.post_ok("/v1/best-move", &json!({ "fen": "startpos", "depth": 3 })).await;
    let log = server.shut_down();
    let line =
        log.iter().find(|line| line["level"] == "ERROR").expect("the log reports the damage");
    assert!(line["aside"].as_str().unwrap().ends_with("dictionary.redb.damaged"), "{line}");
    assert_eq!(fs::read(folder.path().join("dictionary.redb.damaged")).unwrap(), [7; 10_000]);
}

/// The errors that a server on this folder logs until it has shut down.
async fn logged_errors(folder: &Path) -> Vec<Value> {
    let log = server_on(folder).await.shut_down();
    log.into_iter().filter(|line| line["level"] == "ERROR").collect()
}

async fn swapped_files_are_quarantined_and_the_server_starts() {
    let folder = tempfile::tempdir().unwrap();
    let (jobs, cache) = (folder.path().join("jobs.redb"), folder.path().join("dictionary.redb"));
    server_on(folder.path()).await.shut_down();
    let swapped = folder.path().join("swapped");
    fs::rename(&jobs, &swapped).unwrap();
    fs::rename(&cache, &jobs).unwrap();
    fs::rename(&swapped, &cache).unwrap();
    let foreign = logged_errors(folder.path()).await;
    assert_eq!(foreign.len(), 2, "{foreign:?}");
    for name in ["jobs.redb", "dictionary.redb"] {
        let line = foreign.iter().find(|line| line["file"].as_str().unwrap().ends_with(name));
        let aside = line.unwrap()["aside"].as_str().unwrap();
        assert!(aside.ends_with(&format!("{name}.foreign")) && fs::exists(aside).unwrap());
    }
}

async fn an_empty_file_is_reported_once_and_used() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("jobs.redb"), "").unwrap();
    let empty = logged_errors(folder.path()).await;
    assert_eq!(empty.len(), 1, "{empty:?}");
    assert!(empty[0]["file"].as_str().unwrap().ends_with("jobs.redb"), "{empty:?}");
    assert_eq!(
        empty[0]["message"],
        "the file with the game-review jobs was empty (0 bytes); all that it may have held is lost"
    );
    assert!(logged_errors(folder.path()).await.is_empty());
    let files = fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().file_name());
    let quarantined: Vec<_> =
        files.filter(|name| !name.to_string_lossy().ends_with(".redb")).collect();
    assert!(quarantined.is_empty(), "{quarantined:?}");
}

async fn a_full_disk_stops_no_answer_and_is_reported_by_readyz() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let settings = [
        ("KIBITZER__STORE__PATH", path),
        ("KIBITZER__STORE__FLUSH_MS", "20"),
        ("KIBITZER__SHUTDOWN__DRAIN_MS", "0"),
    ];
    let server = ServerProcess::start_with_file_size_errors(&settings).await;
    let client = &server.client;
    let source = async |mv: &str| {
        let body = json!({ "fen": "startpos", "moves": [mv], "depth": 4 });
        client.post_ok("/v1/best-move", &body).await["source"].clone()
    };
    let probe = async |status: u16| {
        for _ in 0..1_000 {
            let answer = client.get("/readyz").await;
            if answer.status == status {
                return answer;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("/readyz does not return {status}");
    };
    server.limit_file_size("4096");
    assert_eq!(source("d4").await, "search");
    assert_eq!(probe(503).await.expect_problem(503, "not_ready")["reasons"], json!(["store"]));
    assert_eq!(
        (source("d4").await, source("c4").await),
        (json!("memory"), json!("search")),
        "requests are still answered"
    );
    server.limit_file_size("unlimited");
    probe(200).await;
    let log = server.shut_down();
    assert!(
        log.iter().any(|line| line["message"]
            .as_str()
            .unwrap()
            .starts_with("the store cannot be written"))
    );

    let server = server_on(folder.path()).await;
    for mv in ["d4", "c4"] {
        let body = json!({ "fen": "startpos", "moves": [mv], "depth": 4 });
        assert_eq!(
            server.client.post_ok("/v1/best-move", &body).await["source"],
            "memory",
            "{mv} was not written"
        );
    }
    server.shut_down();
}
