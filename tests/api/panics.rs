//! A handler that panics, in a router of the tests' own.

use axum::Router;
use axum::routing::{get, post};
use kibitzer::{app, http};
use reqwest::Method;
use tokio::net::TcpListener;

use crate::support::server::default_settings;
use crate::support::{Client, log};

crate::claims![a_panic_is_masked_logged_once_and_harms_nobody];

const SECRET: &str = "the secret of the inside";

async fn panics() -> &'static str {
    panic!("{SECRET}")
}

async fn a_panic_is_masked_logged_once_and_harms_nobody() {
    let app = app::starting(&default_settings()).unwrap();
    let routes = Router::new().route("/panic", post(panics)).route("/fine", get(|| async { "fine" }));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let client = Client::new(listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, http::around(routes, app)).await });

    let answer = client.send(client.request(Method::POST, "/panic").header("x-request-id", "panics-1")).await;
    let problem = answer.problem(500, "internal");
    assert_eq!((problem["instance"].as_str(), problem["request_id"].as_str()), (Some("/panic"), Some("panics-1")));
    assert!(!answer.body.contains("secret"), "{}", answer.body);
    assert_eq!(client.get("/fine").await.body, "fine");

    let lines = log::lines_of("panics-1").await;
    let errors: Vec<_> = lines.iter().filter(|line| line["level"] == "ERROR").collect();
    assert_eq!(errors.len(), 1, "{lines:?}");
    assert_eq!(errors[0]["reason"], SECRET);
    assert!(errors[0]["location"].as_str().unwrap().contains("panics.rs"));
}
