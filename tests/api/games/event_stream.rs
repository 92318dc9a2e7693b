//! The event stream of a review job.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::{PGN, long_game, long_running_job, one_worker, open_events, remaining_events, submit};
use crate::support::Server;

crate::trials![
    events_cover_the_review_and_resume_by_last_event_id,
    events_are_sent_while_the_job_runs,
    a_quiet_job_sends_heartbeats,
    a_stalled_reader_does_not_delay_the_job,
];

async fn events_cover_the_review_and_resume_by_last_event_id() {
    let server = Server::start().await;
    let pgn = format!("{PGN}\n1. e4 Ke5 *\n\n{}", long_game());
    let job = submit(&server, &json!({ "pgn": pgn, "depth": 2 })).await;
    let review = server.wait_for_review(&job).await;
    let all = remaining_events(&mut open_events(&server, &job, None).await).await;
    let names: Vec<_> = all.iter().map(|event| event.name.as_str()).collect();
    let expected =
        [vec!["move"; 7], vec!["game", "game"], vec!["move"; 20], vec!["game", "end"]].concat();
    assert_eq!(names, expected);
    for (index, event) in all.iter().enumerate() {
        let id = if index + 1 == all.len() { "end".to_owned() } else { (index + 1).to_string() };
        assert_eq!(
            (event.id.as_deref(), &event.data["type"]),
            (Some(id.as_str()), &json!(event.name))
        );
    }
    let plies: Vec<_> =
        all.iter().take(7).map(|event| event.data["ply"].as_u64().unwrap()).collect();
    assert_eq!(plies, [7, 6, 5, 4, 3, 2, 1], "the last move is reviewed first");
    for event in all.iter().filter(|event| event.name == "move") {
        let mut reported = event.data.clone();
        let (game, ply) = (reported["game"].as_u64().unwrap(), reported["ply"].as_u64().unwrap());
        reported.as_object_mut().unwrap().retain(|name, _| name != "type" && name != "game");
        assert_eq!(
            reported,
            review["games"][game as usize]["moves"][ply as usize - 1],
            "the event and the review differ"
        );
    }
    assert_eq!(all[7].data["accuracy"], review["games"][0]["accuracy"]);
    assert_eq!(all[8].data["error"], review["games"][1]["error"]);
    assert_eq!(
        all[30].data,
        json!({ "type": "end", "reason": "done", "progress": { "moves_done": 27, "moves": 27 } })
    );

    for last_event_id in [1, 7, 9, 28, 30] {
        let rest = remaining_events(
            &mut open_events(&server, &job, Some(&last_event_id.to_string())).await,
        )
        .await;
        assert_eq!(rest.len(), all.len() - last_event_id);
        assert!(
            rest.iter()
                .zip(&all[last_event_id..])
                .all(|(again, event)| again.id == event.id && again.data == event.data)
        );
    }
    assert_eq!(
        remaining_events(&mut open_events(&server, &job, Some("what?")).await).await.len(),
        all.len()
    );
    let finished =
        server.request(Method::GET, &format!("{job}/events")).header("last-event-id", "end");
    assert_eq!(server.send(finished).await.status, 204);
}

async fn events_are_sent_while_the_job_runs() {
    let server = Server::start_with(one_worker).await;
    let job = submit(&server, &json!({ "pgn": PGN, "movetime_ms": 40 })).await;
    let mut stream = open_events(&server, &job, None).await;
    assert_eq!(stream.response.headers()["x-accel-buffering"], "no");
    let first = stream.next_event().await.unwrap();
    assert_eq!(
        (first.name.as_str(), first.id.as_deref(), &first.data["ply"]),
        ("move", Some("1"), &json!(7))
    );
    let review = server.get(&job).await.json();
    let shown = review["games"][0]["moves"].as_array().unwrap();
    assert_eq!(review["status"], "running");
    assert!((1..7).contains(&shown.len()), "{} moves are reviewed", shown.len());
    assert_eq!(shown.last().unwrap()["ply"], 7);
    assert_eq!(
        (&review["games"][0]["accuracy"]["white"], &review["progress"]["moves"]),
        (&Value::Null, &json!(7))
    );
    let rest = remaining_events(&mut stream).await;
    assert_eq!((rest.len(), rest.last().unwrap().name.as_str()), (8, "end"));
}

async fn a_quiet_job_sends_heartbeats() {
    let server = Server::start_with(|settings| {
        one_worker(settings);
        settings.stream.heartbeat_ms = 100;
    })
    .await;
    let job = submit(&server, &long_running_job(1)).await;
    let mut stream = open_events(&server, &job, None).await;
    for _ in 0..2 {
        let event = stream.next_event().await.unwrap();
        assert_eq!((event.name.as_str(), event.id), ("heartbeat", None));
        assert_eq!(event.data["moves"], 20);
    }
    server.stop.send(()).unwrap();
    let rest = remaining_events(&mut stream).await;
    assert!(
        rest.iter().all(|event| event.name != "end"),
        "a shutdown must not end the stream with an end event"
    );
}

/// A raw HTTP client reads no events of a long job. The server does not buffer them all.
async fn a_stalled_reader_does_not_delay_the_job() {
    let server = Server::start_with(|settings| settings.stream.stall_ms = 300).await;
    let job = submit(&server, &json!({ "pgn": long_game().repeat(1_000), "depth": 1 })).await;
    let mut stalled = TcpStream::connect(server.address).await.unwrap();
    stalled
        .write_all(format!("GET {job}/events HTTP/1.1\r\nhost: x\r\n\r\n").as_bytes())
        .await
        .unwrap();
    let review = server.wait_for_review(&job).await;
    assert_eq!(review["progress"]["moves_done"], 20_000);
    tokio::time::sleep(Duration::from_millis(600)).await;
    let mut received = Vec::new();
    let cut = timeout(Duration::from_secs(20), stalled.read_to_end(&mut received))
        .await
        .expect("the connection is closed");
    let whole = String::from_utf8_lossy(&received).contains("event: end");
    assert!(cut.is_err() || !whole, "{} bytes", received.len());
}
