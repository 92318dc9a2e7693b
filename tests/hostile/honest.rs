//! A client with ordinary requests beside an attack.

use std::fmt;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use kibitzer::client::plain_http;
use reqwest::{Client, ClientBuilder, Method};

/// The time between two requests.
const PAUSE: Duration = Duration::from_millis(40);

/// The address of the client, which no attacker has.
const ADDRESS: [u8; 4] = [127, 0, 1, 1];

/// The client.
pub(crate) struct HonestClient {
    client: Client,
    base: String,
}

/// The responses to an honest client.
#[derive(Default)]
pub(crate) struct HonestReport {
    latencies: Vec<Duration>,
    /// What was refused, with the status or the error.
    refused: Vec<String>,
}

impl HonestClient {
    /// A client of this server over HTTP/1.1.
    pub(crate) fn http1(server: SocketAddr) -> HonestClient {
        HonestClient::new(server, plain_http().unwrap())
    }

    /// A client of this server over HTTP/2.
    pub(crate) fn http2(server: SocketAddr) -> HonestClient {
        HonestClient::new(server, plain_http().unwrap().http2_prior_knowledge())
    }

    fn new(server: SocketAddr, client: ClientBuilder) -> HonestClient {
        let client = client.no_proxy().local_address(std::net::IpAddr::from(ADDRESS));
        HonestClient { client: client.build().unwrap(), base: format!("http://{server}") }
    }

    /// Sends requests for this time, one after another.
    pub(crate) async fn run(&self, duration: Duration) -> HonestReport {
        let mut report = HonestReport::default();
        let end = Instant::now() + duration;
        while Instant::now() < end {
            let livez = self.client.request(Method::GET, format!("{}/livez", self.base));
            self.measure(livez, &mut report).await;
            let moves = self.client.request(Method::POST, format!("{}/v1/legal-moves", self.base));
            let moves = moves.header("content-type", "application/json");
            self.measure(moves.body(r#"{"fen": "startpos"}"#), &mut report).await;
            tokio::time::sleep(PAUSE).await;
        }
        report
    }

    async fn measure(&self, request: reqwest::RequestBuilder, report: &mut HonestReport) {
        let started = Instant::now();
        let answer = async { request.send().await?.error_for_status()?.bytes().await };
        match answer.await {
            Ok(_) => report.latencies.push(started.elapsed()),
            Err(error) => report.refused.push(error.to_string()),
        }
    }
}

impl HonestReport {
    /// How many requests were not answered with 200.
    pub(crate) fn refused(&self) -> usize {
        self.refused.len()
    }

    /// The longest time of a response.
    pub(crate) fn slowest(&self) -> Duration {
        self.latencies.iter().copied().max().unwrap_or(Duration::MAX)
    }

    fn percentile(&self, percent: usize) -> Duration {
        let mut sorted = self.latencies.clone();
        sorted.sort_unstable();
        sorted.get(sorted.len() * percent / 100).copied().unwrap_or(Duration::MAX)
    }
}

impl fmt::Display for HonestReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} answers, p50 {:.1} ms, p99 {:.1} ms, slowest {:.1} ms; {} refused {:?}",
            self.latencies.len(),
            self.percentile(50).as_secs_f64() * 1e3,
            self.percentile(99).as_secs_f64() * 1e3,
            self.slowest().as_secs_f64() * 1e3,
            self.refused.len(),
            self.refused.first(),
        )
    }
}
