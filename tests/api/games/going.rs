//! Jobs that go, and jobs for which there is no place.

use reqwest::Method;
use serde_json::json;

use super::{PATH, PGN, endless, events, one_worker, submit};
use crate::support::Server;

crate::claims![
    a_deleted_job_is_gone_and_its_readers_are_told,
    what_is_no_job_is_not_found,
    when_all_places_are_taken_it_is_said_when_to_come_again,
    what_was_done_longest_ago_makes_way,
];

async fn a_deleted_job_is_gone_and_its_readers_are_told() {
    let server = Server::with(one_worker).await;
    let job = submit(&server, &endless(2)).await;
    let mut stream = events(&server, &job, None).await;
    let delete = async || server.send(server.request(Method::DELETE, &job)).await;
    let deleted = delete().await;
    assert_eq!((deleted.status, deleted.body.as_str()), (204, ""));
    let end = stream.event().await.unwrap();
    assert_eq!((end.name.as_str(), end.id.as_deref(), &end.data["reason"]), ("end", Some("end"), &json!("cancelled")));
    assert!(stream.event().await.is_none());
    for path in ["", "/events", "/pgn"] {
        server.get(&format!("{job}{path}")).await.problem(410, "gone");
    }
    assert_eq!(delete().await.status, 204, "again too");
    let answer = server.ask("/v1/best-move", &json!({ "fen": "startpos", "moves": ["a3"], "depth": 3 })).await;
    assert_eq!(answer["reason"], "depth", "the worker is free again");
}

async fn what_is_no_job_is_not_found() {
    let server = Server::start().await;
    for id in ["0123456789abcdef0123456789abcdef", "0123456789ABCDEF0123456789ABCDEF", "7", "%ff"] {
        for path in ["", "/events", "/pgn"] {
            server.get(&format!("{PATH}/{id}{path}")).await.problem(404, "not_found");
        }
        let deleted = server.send(server.request(Method::DELETE, &format!("{PATH}/{id}"))).await;
        deleted.problem(404, "not_found");
    }
}

async fn when_all_places_are_taken_it_is_said_when_to_come_again() {
    let server = Server::with(|settings| {
        one_worker(settings);
        settings.jobs.max = 2;
    })
    .await;
    let jobs = [submit(&server, &endless(3)).await, submit(&server, &endless(4)).await];
    let problem = server.refused(PATH, &endless(5), 503, "queue_full").await;
    assert_eq!(problem["queue_length"], 2);
    server.send(server.request(Method::DELETE, &jobs[0])).await;
    submit(&server, &endless(5)).await;
    let stopping = server.client.clone();
    server.stop.send(()).unwrap();
    // It answers for a moment more, or not at all.
    if let Ok(answer) = stopping.try_send(stopping.request(Method::POST, PATH).json(&endless(6))).await {
        answer.problem(503, "shutting_down");
    }
}

async fn what_was_done_longest_ago_makes_way() {
    let server = Server::with(|settings| settings.jobs.max = 2).await;
    let mut jobs = Vec::new();
    for depth in 1..=3 {
        let job = submit(&server, &json!({ "pgn": PGN, "depth": depth })).await;
        server.until_over(&job).await;
        jobs.push(job);
    }
    server.get(&jobs[0]).await.problem(410, "gone");
    server.until_over(&jobs[1]).await;
}
