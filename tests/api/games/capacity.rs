//! Deletion, eviction and limits of review jobs.

use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::time::sleep;

use super::{
    PATH, PGN, accepted_job, long_game, long_running_job, one_worker, open_events, submit,
};
use crate::support::server::api_key;
use crate::support::{Server, log};

crate::trials![
    a_deleted_job_is_gone_and_its_streams_end,
    deleting_running_jobs_logs_no_warning,
    an_unknown_job_is_not_found,
    job_limits_are_answered_with_queue_full,
    byte_quotas_name_the_exhausted_quota,
    two_addresses_cannot_close_the_route_for_others,
    slow_uploads_of_long_texts_do_not_delay_short_ones,
    a_job_may_ask_for_so_many_nodes,
    a_job_without_a_node_limit_ends,
    the_oldest_finished_job_is_evicted,
];

/// Names and texts of API keys.
const KEYS: [&str; 3] = ["ann", "bob", "cid"];

async fn a_deleted_job_is_gone_and_its_streams_end() {
    let server = Server::start_with(one_worker).await;
    let job = submit(&server, &long_running_job(2)).await;
    let mut stream = open_events(&server, &job, None).await;
    let delete = async || server.send(server.request(Method::DELETE, &job)).await;
    let deleted = delete().await;
    assert_eq!((deleted.status, deleted.body.as_str()), (204, ""));
    let end = stream.next_event().await.unwrap();
    assert_eq!(
        (end.name.as_str(), end.id.as_deref(), &end.data["reason"]),
        ("end", Some("end"), &json!("cancelled"))
    );
    assert!(stream.next_event().await.is_none());
    for path in ["", "/events", "/pgn"] {
        server.get(&format!("{job}{path}")).await.expect_problem(410, "gone");
    }
    assert_eq!(delete().await.status, 204, "a second deletion succeeds too");
    let answer = server
        .post_ok("/v1/best-move", &json!({ "fen": "startpos", "moves": ["a3"], "depth": 3 }))
        .await;
    assert_eq!(answer["reason"], "depth", "the worker is not free");
}

async fn slow_uploads_of_long_texts_do_not_delay_short_ones() {
    let server = Server::start_with(one_worker).await;
    let half_upload = format!(
        "POST {PATH} HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\n\
         content-length: 1000000\r\n\r\n1. e4"
    );
    let mut held = Vec::new();
    for address in [[127, 0, 0, 2], [127, 0, 0, 3]] {
        for _ in 0..2 {
            let mut stream = server.connect_from(address).await;
            stream.write_all(half_upload.as_bytes()).await.unwrap();
            held.push(stream);
        }
    }
    sleep(Duration::from_millis(200)).await;
    let asked = Instant::now();
    submit(&server, &json!({ "pgn": "1. e4 *", "nodes": 1 })).await;
    assert!(asked.elapsed() < Duration::from_secs(5), "{:?}", asked.elapsed());
}

async fn deleting_running_jobs_logs_no_warning() {
    let server = Server::start().await;
    // A running job of many short games reads the store all the time.
    let body = json!({ "pgn": "1. e4 *\n\n".repeat(300), "nodes": 1 });
    let (mut ids, mut last_request) = (Vec::new(), String::new());
    for round in 0..150_u64 {
        let job = submit(&server, &body).await;
        sleep(Duration::from_micros(round * 97 % 5_000)).await;
        let deleted = server.send(server.request(Method::DELETE, &job)).await;
        assert_eq!(deleted.status, 204);
        last_request = deleted.header("x-request-id").to_owned();
        ids.push(job.rsplit('/').next().unwrap().to_owned());
    }
    log::wait_for_lines(&last_request).await;
    let lines = ids.iter().flat_map(|id| log::captured_lines(id));
    let is_warning = |line: &Value| line["level"] == "ERROR" || line["level"] == "WARN";
    let warnings: Vec<_> = lines.filter(is_warning).collect();
    assert!(warnings.is_empty(), "{} warnings, such as {:#?}", warnings.len(), warnings[0]);
}

async fn an_unknown_job_is_not_found() {
    let server = Server::start().await;
    for id in ["0123456789abcdef0123456789abcdef", "0123456789ABCDEF0123456789ABCDEF", "7", "%ff"] {
        for path in ["", "/events", "/pgn"] {
            server.get(&format!("{PATH}/{id}{path}")).await.expect_problem(404, "not_found");
        }
        let deleted = server.send(server.request(Method::DELETE, &format!("{PATH}/{id}"))).await;
        deleted.expect_problem(404, "not_found");
    }
}

async fn job_limits_are_answered_with_queue_full() {
    let server = Server::start_with(|settings| {
        one_worker(settings);
        settings.jobs.max = 3;
        settings.access.keys = KEYS.map(|key| api_key(key, key, 0)).to_vec();
    })
    .await;
    let submit_from = async |key: &str, number: u64| {
        let request = server.request(Method::POST, PATH).header("x-api-key", key);
        server.send(request.json(&long_running_job(number))).await
    };
    let [ann, bob, cid] = KEYS;
    let first = accepted_job(&submit_from(ann, 3).await)["url"].as_str().unwrap().to_owned();
    accepted_job(&submit_from(ann, 4).await);
    let problem = submit_from(ann, 5).await.expect_problem(503, "queue_full");
    let detail = "the limit of 2 unfinished jobs for one client is reached";
    assert_eq!((&problem["queue_length"], &problem["detail"]), (&json!(2), &json!(detail)));
    accepted_job(&submit_from(bob, 5).await);
    let problem = submit_from(cid, 6).await.expect_problem(503, "queue_full");
    let detail = "the limit of 3 unfinished jobs for all clients is reached";
    assert_eq!((&problem["queue_length"], &problem["detail"]), (&json!(3), &json!(detail)));
    server.send(server.request(Method::DELETE, &first)).await;
    accepted_job(&submit_from(cid, 6).await);
    let stopping = server.client.clone();
    server.stop.send(()).unwrap();
    // Until the server has seen the signal, it still refuses by the limit. Then it may answer, or
    // close the connection.
    for _ in 0..200 {
        let request = stopping.request(Method::POST, PATH).json(&long_running_job(6));
        let Ok(answer) = stopping.try_send(request).await else { break };
        if answer.json()["code"] != "queue_full" {
            answer.expect_problem(503, "shutting_down");
            break;
        }
        sleep(Duration::from_millis(5)).await;
    }
}

async fn byte_quotas_name_the_exhausted_quota() {
    let server = Server::start_with(|settings| {
        one_worker(settings);
        settings.jobs.max_mb = 1;
        settings.access.keys = KEYS.map(|key| api_key(key, key, 0)).to_vec();
    })
    .await;
    // About 400,000 bytes: one fits into half a megabyte, two fit into a megabyte.
    let large = json!({ "pgn": long_game().repeat(200), "movetime_ms": 20_000 });
    let submit_from = async |key: &str| {
        let request = server.request(Method::POST, PATH).header("x-api-key", key);
        server.send(request.json(&large)).await
    };
    let [ann, bob, cid] = KEYS;
    // An address without a key may use an eighth.
    let problem = server.post(PATH, &large).await.expect_problem(413, "job_too_large");
    assert!(
        problem["detail"].as_str().unwrap().contains("jobs.anonymous_share_permille"),
        "{problem}"
    );
    accepted_job(&submit_from(ann).await);
    let detail = |problem: serde_json::Value| problem["detail"].as_str().unwrap().to_owned();
    let own = detail(submit_from(ann).await.expect_problem(503, "queue_full"));
    assert!(own.contains("the limit of 524288 bytes for unfinished jobs of one client"), "{own}");
    accepted_job(&submit_from(bob).await);
    let all = detail(submit_from(cid).await.expect_problem(503, "queue_full"));
    assert!(all.contains("the limit of 1048576 bytes for unfinished jobs of all clients"), "{all}");
}

async fn two_addresses_cannot_close_the_route_for_others() {
    let server = Server::start_with(|settings| {
        one_worker(settings);
        settings.jobs.max = 16;
        settings.access.trusted_proxies = vec!["127.0.0.1/32".parse().unwrap()];
    })
    .await;
    let submit_from = async |address: &str, number: u64| {
        let request = server.request(Method::POST, PATH).header("x-forwarded-for", address);
        server.send(request.json(&long_running_job(number))).await
    };
    for (host, jobs) in [(1, 2), (2, 2)] {
        let address = format!("198.51.100.{host}");
        for number in 0..jobs {
            accepted_job(&submit_from(&address, number).await);
        }
        let problem = submit_from(&address, jobs).await.expect_problem(503, "queue_full");
        let detail = "the limit of 2 unfinished jobs for one client is reached";
        assert_eq!((&problem["queue_length"], &problem["detail"]), (&json!(2), &json!(detail)));
    }
    for host in 3..9 {
        accepted_job(&submit_from(&format!("198.51.100.{host}"), 1).await);
    }
}

async fn a_job_may_ask_for_so_many_nodes() {
    let server = Server::start_with(|settings| settings.jobs.max_nodes = 5_000).await;
    let limits = server.get("/v1/limits").await.json()["jobs"].clone();
    assert_eq!(
        (&limits["max_nodes"], &limits["anonymous_share_permille"]),
        (&json!(5_000), &json!(125))
    );
    // Four half-moves and the start: five positions.
    let with_nodes = |nodes: u64| json!({ "pgn": "1. f3 e5 2. g4 d6 *", "nodes": nodes });
    let problem = server.post(PATH, &with_nodes(1_001)).await.expect_problem(413, "job_too_large");
    let detail = "nodes is 1001 for each of 5 positions, together 5005; jobs.max_nodes allows \
                  5000 for a job; lower nodes to 1000, or send fewer games";
    assert_eq!((&problem["title"], &problem["detail"]), (&json!("Job too large"), &json!(detail)));
    let job = submit(&server, &with_nodes(1_000)).await;
    assert_eq!(server.wait_for_review(&job).await["status"], "done");
    // The default number of nodes is above the maximum.
    let job = submit(&server, &json!({ "pgn": "1. f3 e5 2. g4 d6 *" })).await;
    assert_eq!(server.wait_for_review(&job).await["status"], "done");
}

async fn a_job_without_a_node_limit_ends() {
    let server = Server::start_with(|settings| settings.jobs.max_nodes = 20_000).await;
    let job = submit(&server, &json!({ "pgn": long_game(), "depth": 100 })).await;
    assert_eq!(server.wait_for_review(&job).await["status"], "done");
}

async fn the_oldest_finished_job_is_evicted() {
    let server = Server::start_with(|settings| settings.jobs.max = 2).await;
    let mut jobs = Vec::new();
    for depth in 1..=3 {
        let job = submit(&server, &json!({ "pgn": PGN, "depth": depth })).await;
        server.wait_for_review(&job).await;
        jobs.push(job);
    }
    server.get(&jobs[0]).await.expect_problem(410, "gone");
    server.wait_for_review(&jobs[1]).await;
}
