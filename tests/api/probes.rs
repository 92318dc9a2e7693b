//! Probes, limits, engine information and documentation pages.

use std::future::IntoFuture;
use std::sync::Arc;
use std::time::Duration;

use kibitzer::analysis::jobs::{JobRules, Jobs, Usage};
use kibitzer::analysis::{Service, ServiceOptions};
use kibitzer::engine::Engine;
use kibitzer::store::jobs::JobFile;
use kibitzer::{app, http};
use reqwest::Method;
use serde_json::json;
use tokio::net::TcpListener;

use crate::support::contract::{CONTRACT, operations};
use crate::support::server::default_settings;
use crate::support::{Client, Server};

crate::trials![
    probes_are_answered,
    a_starting_server_is_live_but_not_ready,
    limits_are_those_of_the_settings,
    the_engine_route_describes_the_engine,
    the_docs_load_nothing_from_other_servers,
    the_docs_have_no_inline_scripts_and_styles,
    the_docs_fit_a_phone_and_link_to_the_start_page,
    the_docs_start_with_links_to_operations_that_exist,
    the_contract_is_served_as_json_and_yaml,
    static_responses_have_an_etag_and_are_answered_304,
    every_problem_has_a_page,
    head_is_answered_without_a_body,
];

async fn probes_are_answered() {
    let server = Server::start().await;
    let live = server.get("/livez").await;
    assert_eq!((live.status, live.json()), (200, json!({ "status": "ok" })));
    let ready = server.get("/readyz").await;
    assert_eq!((ready.status, ready.json()), (200, json!({ "status": "ready" })));
}

async fn a_starting_server_is_live_but_not_ready() {
    let app = app::build_app(&default_settings()).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let client = Client::new(listener.local_addr().unwrap());
    tokio::spawn(axum::serve(listener, http::router(app.clone())).into_future());
    assert_eq!(client.get("/livez").await.status, 200);
    let problem = client.get("/readyz").await.expect_problem(503, "not_ready");
    assert_eq!(problem["reasons"], json!(["starting"]));
    assert_eq!(
        client.post("/v1/legal-moves", &json!({ "fen": "startpos" })).await.status,
        200,
        "legal moves need no engine"
    );

    let waiting = tokio::spawn(async move {
        client.post_ok("/v1/best-move", &json!({ "fen": "startpos", "depth": 1 })).await
    });
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(!waiting.is_finished());
    let engine = Arc::new(Engine::new(1));
    let service = Service::start(engine.clone(), ServiceOptions::default()).unwrap();
    let rules = JobRules {
        max_usage: Usage { jobs: 1, bytes: 1_000_000 },
        anonymous_share_permille: 125,
        max_nodes: 1_000_000,
        default_nodes: 1_000,
        retention: Duration::from_secs(1),
    };
    let jobs =
        Jobs::start(service.clone(), Arc::new(JobFile::in_memory().unwrap()), rules).unwrap();
    app.mark_ready(service, engine, jobs);
    assert_eq!(waiting.await.unwrap()["depth"], 1, "an early request waits for the engine");
}

async fn limits_are_those_of_the_settings() {
    let server = Server::start_with(|settings| {
        settings.limits.depth = 33;
        settings.limits.movetime_ms = 4_000;
        settings.search.workers = 5;
        settings.limits.threads = 3;
        settings.search.default_movetime_ms = 300;
        settings.queue.capacity = 7;
        settings.memory.max_mb = 2_222;
    })
    .await;
    let limits = server.get("/v1/limits").await.json();
    assert_eq!(limits["depth"], json!({ "max": 33, "default": null }));
    assert_eq!(limits["movetime_ms"], json!({ "max": 4_000, "default": 300 }));
    assert_eq!(limits["threads"], json!({ "max": 3, "default": 1 }));
    assert_eq!(limits["queue"], json!({ "capacity": 7, "length": 0, "max_wait_ms": 30_000 }));
    assert_eq!(
        (&limits["workers"], &limits["hash_mb"], &limits["memory"]["max_mb"]),
        (&json!(5), &json!(1), &json!(2_222))
    );
    let bound = limits["memory"]["bound_mb"].as_u64().unwrap();
    assert!((50..2_222).contains(&bound), "{bound}");
    for member in ["nodes", "mate", "moves", "body_bytes", "perft_depth", "perft_ms", "dictionary"]
    {
        assert!(!limits[member].is_null(), "{member}");
    }
}

async fn the_engine_route_describes_the_engine() {
    let server = Server::start().await;
    let engine = server.get("/v1/engine").await.json();
    assert_eq!((&engine["name"], &engine["layout_version"]), (&json!("kibitzer"), &json!(1)));
    let evaluation = engine["evaluation"].as_str().unwrap();
    let (id, architecture) = evaluation.split_once(' ').unwrap();
    assert!(id.len() == 12 && id.bytes().all(|digit| digit.is_ascii_hexdigit()), "{evaluation}");
    assert!(architecture.contains("768 -> "), "{evaluation}");
    for text in ["version", "simd"] {
        assert!(engine[text].as_str().is_some_and(|text| !text.is_empty()), "{text}");
    }
    assert!(engine["hash_permille"].as_u64().unwrap() <= 1_000 && engine["uptime_ms"].is_u64());
}

async fn the_docs_load_nothing_from_other_servers() {
    let server = Server::start().await;
    let page = server.get("/docs").await;
    assert_eq!((page.status, page.header("content-type")), (200, "text/html; charset=utf-8"));
    assert!(!page.body.contains("//"), "an address of another server: {}", page.body);
    let policy = page.header("content-security-policy");
    assert!(policy.starts_with("default-src 'self'; style-src 'self' 'unsafe-inline'; "));
    assert!(!policy.contains("script-src") && !policy.contains("http"), "{policy}");
    let assets: Vec<_> = page.body.split('"').filter(|text| text.starts_with("/docs/")).collect();
    for asset in &assets {
        let asset = server.get(asset).await;
        assert_eq!(asset.status, 200);
        assert!(!asset.header("etag").is_empty());
    }
    assert_eq!(assets.len(), 5, "{assets:?}");
    let start = server.get("/docs/reference.js").await.body;
    for setting in ["url: \"/openapi.json\"", "validatorUrl: \"none\""] {
        assert!(start.contains(setting), "{setting}");
    }
    server.get("/docs/no-such-file.js").await.expect_problem(404, "not_found");
}

async fn the_docs_have_no_inline_scripts_and_styles() {
    let page = Server::start().await.get("/docs").await.body;
    for tag in page.split('<').filter(|tag| tag.starts_with("script")) {
        assert!(tag.starts_with("script src=\"/docs/") && tag.ends_with("\">"), "{tag}");
    }
    assert!(!page.contains("<style") && !page.contains(" style=") && !page.contains(" on"));
}

async fn the_docs_fit_a_phone_and_link_to_the_start_page() {
    let server = Server::start().await;
    let page = server.get("/docs").await.body;
    let viewport = r#"<meta name="viewport" content="width=device-width, initial-scale=1">"#;
    assert!(page.contains(viewport) && page.contains(r#"<a href="/">kibitzer</a>"#), "{page}");
    let problem = server.get("/problems/illegal_move").await;
    assert!(problem.body.contains(viewport), "{}", problem.body);
    assert!(problem.header("content-security-policy").starts_with("default-src 'none'; "));
}

async fn the_docs_start_with_links_to_operations_that_exist() {
    let text = CONTRACT["info"]["description"].as_str().unwrap();
    let links: Vec<_> =
        text.split("](").skip(1).filter_map(|text| text.split(')').next()).collect();
    let operations: Vec<_> = operations()
        .iter()
        .map(|operation| {
            format!("/docs#/{}/{}", operation.document["tags"][0].as_str().unwrap(), operation.id())
        })
        .collect();
    let server = Server::start().await;
    for link in &links {
        let is_operation = operations.iter().any(|operation| operation == link);
        assert!(is_operation || server.get(link).await.status == 200, "{link}");
    }
    assert!(links.len() >= 6, "{links:?}");
}

async fn the_contract_is_served_as_json_and_yaml() {
    let server = Server::start().await;
    let json = server.get("/openapi.json").await;
    assert_eq!((json.status, json.header("content-type")), (200, "application/json"));
    assert_eq!(json.json(), *CONTRACT);
    let yaml = server.get("/openapi.yaml").await;
    assert_eq!((yaml.status, yaml.header("content-type")), (200, "application/yaml"));
    assert_eq!(yaml.body, kibitzer::http::contract().to_yaml().unwrap());
}

async fn static_responses_have_an_etag_and_are_answered_304() {
    let server = Server::start().await;
    for path in ["/docs", "/openapi.json", "/openapi.yaml", "/problems/queue_full"] {
        let tag = server.get(path).await.header("etag").to_owned();
        assert!(tag.starts_with('"') && tag.ends_with('"') && tag.len() > 2, "{path}: {tag}");
        let again =
            server.send(server.request(Method::GET, path).header("if-none-match", &tag)).await;
        assert_eq!(
            (again.status, again.body.as_str(), again.header("etag")),
            (304, "", tag.as_str()),
            "{path}"
        );
        let other = server
            .send(server.request(Method::GET, path).header("if-none-match", "\"other\""))
            .await;
        assert_eq!(other.status, 200);
    }
}

async fn every_problem_has_a_page() {
    let server = Server::start().await;
    let codes = CONTRACT["components"]["schemas"]["Problem"]["properties"]["code"]["enum"]
        .as_array()
        .unwrap();
    assert!(codes.len() >= 14);
    for code in codes {
        let code = code.as_str().unwrap();
        let page = server.get(&format!("/problems/{code}")).await;
        assert_eq!((page.status, page.header("content-type")), (200, "text/html; charset=utf-8"));
        assert!(page.body.contains(code));
    }
    server.get("/problems/teapot").await.expect_problem(404, "not_found");
}

async fn head_is_answered_without_a_body() {
    let server = Server::start().await;
    let head = server.send(server.request(Method::HEAD, "/openapi.json")).await;
    assert_eq!((head.status, head.body.as_str()), (200, ""));
    assert!(head.header("content-length").parse::<usize>().unwrap() > 10_000);
}
