//! Authentication and rate limits: API keys, addresses behind proxies, requests per client.

use kibitzer::config::Settings;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::server::api_key;
use crate::support::{Server, TestResponse};

crate::trials![
    an_unknown_key_is_refused_and_no_key_is_accepted,
    another_authorization_scheme_is_refused_where_keys_are_configured,
    another_authorization_scheme_is_ignored_where_no_keys_are_configured,
    probes_and_the_contract_need_no_key,
    a_rate_limited_client_gets_retry_after,
    every_answer_has_rate_limit_headers,
    paths_outside_v1_count_too,
    unknown_keys_count_against_the_address,
    without_a_rate_there_are_no_rate_limit_headers,
    a_key_may_have_a_rate_of_its_own,
    addresses_behind_a_trusted_proxy_are_separate_clients,
    sessions_belong_to_their_client,
];

/// A server with a rate of `requests` per hour and two keys.
async fn server_with_rate(requests: u32) -> Server {
    Server::start_with(|settings: &mut Settings| {
        settings.rate.requests = requests;
        settings.rate.window_ms = 3_600_000;
        settings.access.keys =
            vec![api_key("board", "first secret", 0), api_key("bot", "second secret", 2)];
        settings.access.trusted_proxies = vec!["127.0.0.1/32".parse().unwrap()];
    })
    .await
}

async fn post_with_header(server: &Server, header: &str, value: &str) -> TestResponse {
    let request =
        server.request(Method::POST, "/v1/legal-moves").json(&json!({ "fen": "startpos" }));
    server.send(request.header(header, value)).await
}

async fn an_unknown_key_is_refused_and_no_key_is_accepted() {
    let server = server_with_rate(0).await;
    for (header, value) in
        [("authorization", "Bearer first secret"), ("x-api-key", "second secret")]
    {
        assert_eq!(post_with_header(&server, header, value).await.status, 200, "{header}: {value}");
    }
    for (header, value) in
        [("authorization", "Bearer third secret"), ("authorization", "Bearer "), ("x-api-key", "")]
    {
        let answer = post_with_header(&server, header, value).await;
        answer.expect_problem(401, "unauthorized");
        assert_eq!(answer.header("www-authenticate"), "Bearer");
    }
    assert_eq!(server.get("/v1/limits").await.status, 200);
}

async fn another_authorization_scheme_is_refused_where_keys_are_configured() {
    let server = server_with_rate(0).await;
    for value in ["Basic eA==", "first secret", "foo", ""] {
        let answer = post_with_header(&server, "authorization", value).await;
        let problem = answer.expect_problem(401, "unauthorized");
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains("Authorization: Bearer KEY"), "{value:?}: {detail}");
        assert_eq!(answer.header("www-authenticate"), "Bearer");
        let with_key = server
            .request(Method::GET, "/v1/engine")
            .header("authorization", value)
            .header("x-api-key", "first secret");
        assert_eq!(server.send(with_key).await.status, 200, "{value:?}");
    }
}

/// Proxies send the credentials that they have checked.
async fn another_authorization_scheme_is_ignored_where_no_keys_are_configured() {
    let server = Server::start().await;
    for value in ["Basic eA==", "foo", ""] {
        let answer = post_with_header(&server, "authorization", value).await;
        assert_eq!(answer.status, 200, "{value:?}");
    }
}

async fn probes_and_the_contract_need_no_key() {
    let server = server_with_rate(1).await;
    for path in ["/livez", "/readyz", "/openapi.json", "/docs/", "/problems/rate_limited"] {
        for _ in 0..3 {
            let request = server.request(Method::GET, path).header("x-api-key", "unknown");
            assert_eq!(server.send(request).await.status, 200, "{path}");
        }
    }
}

async fn a_rate_limited_client_gets_retry_after() {
    let server = server_with_rate(3).await;
    for _ in 0..3 {
        assert_eq!(server.get("/v1/engine").await.status, 200);
    }
    let refused = server.get("/v1/engine").await;
    let problem = refused.expect_problem(429, "rate_limited");
    let retry: u64 = refused.header("retry-after").parse().unwrap();
    assert!((1_000..=1_200).contains(&retry), "{retry}");
    assert_eq!(refused.header("ratelimit-policy"), "\"client\";q=3;w=3600");
    assert_eq!(refused.header("ratelimit"), format!("\"client\";r=0;t={retry}"));
    let detail = format!("rate limit exceeded: 3 requests per 3600 s; try again in {retry} s");
    assert_eq!(problem["detail"], detail);
    let other = post_with_header(&server, "authorization", "Bearer first secret").await;
    assert_eq!(other.status, 200, "another client has its own limit");
}

async fn every_answer_has_rate_limit_headers() {
    let server = server_with_rate(5).await;
    let answer = post_with_header(&server, "x-api-key", "first secret").await;
    assert_eq!(answer.header("ratelimit-policy"), "\"client\";q=5;w=3600");
    assert!(
        answer.header("ratelimit").starts_with("\"client\";r=4;t="),
        "{}",
        answer.header("ratelimit")
    );
    let request = server
        .request(Method::POST, "/v1/legal-moves")
        .header("x-api-key", "first secret")
        .json(&json!({}));
    let refused = server.send(request).await;
    refused.expect_problem(422, "invalid_request");
    assert!(
        refused.header("ratelimit").starts_with("\"client\";r=3;"),
        "an invalid request counts too"
    );
    let limits = server
        .send(server.request(Method::GET, "/v1/limits").header("x-api-key", "first secret"))
        .await
        .json();
    assert_eq!(limits["rate"], json!({ "requests": 5, "window_ms": 3_600_000, "remaining": 2 }));
    let open =
        ["/livez", "/readyz", "/docs", "/openapi.json", "/openapi.yaml", "/problems/internal"];
    for path in open {
        let answer = server
            .send(server.request(Method::GET, path).header("x-api-key", "first secret"))
            .await;
        assert_eq!(answer.header("ratelimit-policy"), "\"client\";q=5;w=3600", "{path}");
        assert!(
            answer.header("ratelimit").starts_with("\"client\";r=2;t="),
            "{path} does not count"
        );
    }
    assert!(
        server.get("/livez").await.header("ratelimit").starts_with("\"client\";r=5;t=0"),
        "the address is another client"
    );
}

async fn paths_outside_v1_count_too() {
    let server = server_with_rate(3).await;
    for (path, status) in [("/metrics", 200), ("/nowhere", 404), ("/v1/x", 404), ("/api/x", 429)] {
        assert_eq!(server.get(path).await.status, status, "{path}");
    }
    let request = server.request(Method::GET, "/metrics").header("x-api-key", "unknown");
    server.send(request).await.expect_problem(429, "rate_limited");
}

async fn unknown_keys_count_against_the_address() {
    let server = server_with_rate(2).await;
    for left in ["r=1", "r=0"] {
        let refused = post_with_header(&server, "x-api-key", "a guess").await;
        refused.expect_problem(401, "unauthorized");
        assert!(
            refused.header("ratelimit").starts_with(&format!("\"client\";{left};")),
            "{}",
            refused.header("ratelimit")
        );
        assert_eq!(refused.header("ratelimit-policy"), "\"client\";q=2;w=3600");
    }
    post_with_header(&server, "x-api-key", "another guess")
        .await
        .expect_problem(429, "rate_limited");
    assert!(server.get("/livez").await.header("ratelimit").starts_with("\"client\";r=0;"));
    assert_eq!(
        post_with_header(&server, "x-api-key", "first secret").await.status,
        200,
        "a known key is not limited by its address"
    );
}

async fn without_a_rate_there_are_no_rate_limit_headers() {
    let server = server_with_rate(0).await;
    let answer = server.get("/v1/limits").await;
    assert_eq!((answer.header("ratelimit"), answer.header("ratelimit-policy")), ("", ""));
    assert_eq!(answer.json()["rate"], Value::Null);
}

async fn a_key_may_have_a_rate_of_its_own() {
    let server = server_with_rate(0).await;
    let statuses = [
        post_with_header(&server, "x-api-key", "second secret").await.status,
        post_with_header(&server, "x-api-key", "second secret").await.status,
        post_with_header(&server, "x-api-key", "second secret").await.status,
        post_with_header(&server, "x-api-key", "first secret").await.status,
    ];
    assert_eq!(statuses, [200, 200, 429, 200]);
}

async fn addresses_behind_a_trusted_proxy_are_separate_clients() {
    let server = server_with_rate(1).await;
    let mut statuses = Vec::new();
    for address in ["198.51.100.1", "198.51.100.2", "198.51.100.1", "203.0.113.1, 198.51.100.2"] {
        statuses.push(post_with_header(&server, "x-forwarded-for", address).await.status);
    }
    assert_eq!(statuses, [200, 200, 429, 429]);
}

async fn sessions_belong_to_their_client() {
    let server = server_with_rate(0).await;
    let send_request = |key: &'static str, movetime: u64| {
        let request = server.request(Method::POST, "/v1/best-move").header("x-api-key", key);
        let body = json!({ "fen": "startpos", "movetime_ms": movetime, "session": "board" });
        let (client, request) = (server.client.clone(), request.json(&body));
        tokio::spawn(async move { client.send(request).await.json() })
    };
    let (first, second) = (send_request("first secret", 400), send_request("second secret", 401));
    assert_eq!(
        (&first.await.unwrap()["reason"], &second.await.unwrap()["reason"]),
        (&json!("time"), &json!("time"))
    );
}
