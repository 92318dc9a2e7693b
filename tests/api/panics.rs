//! Panicking handlers, in a router of the test.

use axum::Router;
use axum::routing::{get, post};
use kibitzer::config::Settings;
use kibitzer::http::App;
use kibitzer::{app, http};
use reqwest::Method;
use tokio::net::TcpListener;

use crate::support::server::default_settings;
use crate::support::{Client, log};

crate::trials![
    a_panic_is_masked_and_logged_once,
    the_answer_to_a_panic_has_the_headers_of_its_route,
];

const SECRET: &str = "the secret of the inside";

async fn panicking_handler() -> &'static str {
    panic!("{SECRET}")
}

async fn serve(routes: Router<App>, settings: &Settings) -> Client {
    let app = app::build_app(settings).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let client = Client::new(listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, http::with_middleware(routes, app)).await });
    client
}

async fn the_answer_to_a_panic_has_the_headers_of_its_route() {
    let mut settings = default_settings();
    (settings.rate.requests, settings.rate.window_ms) = (3, 3_600_000);
    let client =
        serve(Router::new().route("/v1/best-move", post(panicking_handler)), &settings).await;
    for left in ["r=2", "r=1"] {
        let answer = client.post("/v1/best-move", &serde_json::json!({})).await;
        answer.expect_problem(500, "internal");
        assert!(
            answer.header("ratelimit").starts_with(&format!("\"client\";{left};")),
            "{}",
            answer.header("ratelimit")
        );
        assert!(
            answer.header("server-timing").contains("total;dur="),
            "{}",
            answer.header("server-timing")
        );
    }
}

async fn a_panic_is_masked_and_logged_once() {
    let routes = Router::new()
        .route("/panic", post(panicking_handler))
        .route("/fine", get(|| async { "fine" }));
    let client = serve(routes, &default_settings()).await;

    let answer = client
        .send(client.request(Method::POST, "/panic").header("x-request-id", "panics-1"))
        .await;
    let problem = answer.expect_problem(500, "internal");
    assert_eq!(
        (problem["instance"].as_str(), problem["request_id"].as_str()),
        (Some("/panic"), Some("panics-1"))
    );
    assert!(!answer.body.contains("secret"), "{}", answer.body);
    assert_eq!(client.get("/fine").await.body, "fine");

    let lines = log::wait_for_lines("panics-1").await;
    let errors: Vec<_> = lines.iter().filter(|line| line["level"] == "ERROR").collect();
    assert_eq!(errors.len(), 1, "{lines:?}");
    assert_eq!(errors[0]["reason"], SECRET);
    assert!(errors[0]["location"].as_str().unwrap().contains("panics.rs"));
}
