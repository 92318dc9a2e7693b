//! Requests as the measurements make them.

use std::error::Error;
use std::time::Duration;

use reqwest::{Client, Response, StatusCode};
use serde_json::Value;

/// A client that keeps its connections and asks no proxy.
pub(crate) fn new() -> reqwest::Result<Client> {
    Client::builder().no_proxy().timeout(Duration::from_secs(120)).build()
}

pub(crate) async fn post(client: &Client, url: &str, route: &str, body: &Value) -> reqwest::Result<Response> {
    client.post(format!("{url}{route}")).json(body).send().await
}

/// The body of an answer that must be 200.
pub(crate) async fn body(response: Response) -> Result<Value, Box<dyn Error>> {
    let status = response.status();
    let text = response.text().await?;
    if status == StatusCode::OK {
        Ok(serde_json::from_str(&text)?)
    } else {
        Err(format!("answered {status}: {text}").into())
    }
}

/// How long the server asks to wait.
pub(crate) fn retry_after(response: &Response) -> Option<Duration> {
    let seconds = response.headers().get("retry-after")?.to_str().ok()?.parse().ok()?;
    Some(Duration::from_secs(seconds))
}

/// The milliseconds of one part of `Server-Timing`.
pub(crate) fn server_timing(response: &Response, part: &str) -> Option<f64> {
    let timings = response.headers().get("server-timing")?.to_str().ok()?;
    let timing = timings.split(',').map(str::trim).find(|timing| timing.split(';').next() == Some(part))?;
    timing.split(';').find_map(|member| member.trim().strip_prefix("dur=")).and_then(|duration| duration.parse().ok())
}
