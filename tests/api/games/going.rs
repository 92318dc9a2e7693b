//! Jobs that go, and jobs for which there is no place.

use reqwest::Method;
use serde_json::json;

use super::{PATH, PGN, endless, events, long_game, one_worker, submit, taken};
use crate::support::Server;

crate::claims![
    a_deleted_job_is_gone_and_its_readers_are_told,
    what_is_no_job_is_not_found,
    when_all_places_are_taken_it_is_said_when_to_come_again,
    when_too_little_room_is_left_it_is_said_whose,
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
    assert_eq!(
        (end.name.as_str(), end.id.as_deref(), &end.data["reason"]),
        ("end", Some("end"), &json!("cancelled"))
    );
    assert!(stream.event().await.is_none());
    for path in ["", "/events", "/pgn"] {
        server.get(&format!("{job}{path}")).await.problem(410, "gone");
    }
    assert_eq!(delete().await.status, 204, "again too");
    let answer = server
        .ask("/v1/best-move", &json!({ "fen": "startpos", "moves": ["a3"], "depth": 3 }))
        .await;
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
        settings.jobs.max = 3;
        settings.access.trusted_proxies = vec!["127.0.0.1/32".parse().unwrap()];
    })
    .await;
    let asked = async |address: &str, number: u64| {
        let request = server.request(Method::POST, PATH).header("x-forwarded-for", address);
        server.send(request.json(&endless(number))).await
    };
    let (ann, bob, cid) = ("198.51.100.1", "198.51.100.2", "198.51.100.3");
    let first = taken(&asked(ann, 3).await)["url"].as_str().unwrap().to_owned();
    taken(&asked(ann, 4).await);
    let problem = asked(ann, 5).await.problem(503, "queue_full");
    let detail = "all 2 places of one client are taken by jobs that are not done";
    assert_eq!((&problem["queue_length"], &problem["detail"]), (&json!(2), &json!(detail)));
    taken(&asked(bob, 5).await);
    let problem = asked(cid, 6).await.problem(503, "queue_full");
    let detail = "all 3 places are taken by jobs that are not done";
    assert_eq!((&problem["queue_length"], &problem["detail"]), (&json!(3), &json!(detail)));
    server.send(server.request(Method::DELETE, &first)).await;
    taken(&asked(cid, 6).await);
    let stopping = server.client.clone();
    server.stop.send(()).unwrap();
    // It answers for a moment more, or not at all.
    if let Ok(answer) =
        stopping.try_send(stopping.request(Method::POST, PATH).json(&endless(6))).await
    {
        answer.problem(503, "shutting_down");
    }
}

async fn when_too_little_room_is_left_it_is_said_whose() {
    let server = Server::with(|settings| {
        one_worker(settings);
        settings.jobs.max_mb = 1;
        settings.access.trusted_proxies = vec!["127.0.0.1/32".parse().unwrap()];
    })
    .await;
    // Some 400,000 bytes: one fits into half of a megabyte, and two into a whole one.
    let large = json!({ "pgn": long_game().repeat(200), "movetime_ms": 20_000 });
    let asked = async |address: &str| {
        let request = server.request(Method::POST, PATH).header("x-forwarded-for", address);
        server.send(request.json(&large)).await
    };
    taken(&asked("198.51.100.1").await);
    let detail = |problem: serde_json::Value| problem["detail"].as_str().unwrap().to_owned();
    let own = detail(asked("198.51.100.1").await.problem(503, "queue_full"));
    assert!(own.contains("the room of one client, 524288 bytes"), "{own}");
    taken(&asked("198.51.100.2").await);
    let all = detail(asked("198.51.100.3").await.problem(503, "queue_full"));
    assert!(all.contains("the room of all clients, 1048576 bytes"), "{all}");
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
