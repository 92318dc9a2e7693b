use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::error::Error;
use std::process::{Child, Command};
use std::rc::Rc;
use std::time::{Duration, Instant};

use reqwest::{Client, StatusCode};
use serde_json::{Value, json};
use tokio::task::{JoinSet, LocalSet};

use crate::{client, positions};

/// How long is waited after a 503 that does not say how long to wait.
const DEFAULT_WAIT: Duration = Duration::from_secs(1);
const WARM_UP: usize = 100;

#[derive(clap::Args)]
pub(crate) struct Options {
    #[arg(long)]
    url: String,
    /// The server's process, for its memory.
    #[arg(long)]
    pid: u32,
    #[arg(long, default_value_t = 1_000)]
    in_flight: usize,
    #[arg(long, default_value_t = 60)]
    seconds: u32,
    #[arg(long, default_value_t = 200)]
    movetime_ms: u32,
}

/// Keeps many requests in flight, each of a position of its own, while another process asks for legal moves.
pub(crate) async fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    let client = client::new()?;
    // A server that completes more than this many has other things to prove.
    let mut fens = positions::different(WARM_UP + 20 * options.in_flight);
    for fen in fens.drain(..WARM_UP) {
        let response =
            client::post(&client, &options.url, "/v1/best-move", &json!({ "fen": fen, "movetime_ms": 20 })).await?;
        client::body(response).await?;
    }
    let before = resident_mb(options.pid)?;

    let probe = start_probe(options)?;
    let flood = Rc::new(Flood::new(options, client, fens));
    LocalSet::new().run_until(Flood::keep_up(Rc::clone(&flood))).await;
    let probed = tokio::task::spawn_blocking(move || probe.wait_with_output()).await??;
    if !probed.status.success() {
        return Err("the legal-moves process failed".into());
    }
    // What was under way has its time to end.
    tokio::time::sleep(Duration::from_secs(2)).await;
    let after = resident_mb(options.pid)?;

    flood.print(options);
    println!(
        "resident memory: {before:.1} MB after {WARM_UP} warm-up requests, {after:.1} MB afterwards: {:.3} times",
        after / before
    );
    Ok(())
}

fn start_probe(options: &Options) -> Result<Child, Box<dyn Error>> {
    let seconds = options.seconds.to_string();
    Ok(Command::new(std::env::current_exe()?).args(["probe", "--url", &options.url, "--seconds", &seconds]).spawn()?)
}

struct Flood {
    url: String,
    client: Client,
    fens: Vec<String>,
    in_flight: usize,
    movetime_ms: u32,
    deadline: Instant,
    next: Cell<usize>,
    searched: Cell<u32>,
    statuses: RefCell<BTreeMap<String, u32>>,
}

impl Flood {
    fn new(options: &Options, client: Client, fens: Vec<String>) -> Flood {
        Flood {
            url: options.url.clone(),
            client,
            fens,
            in_flight: options.in_flight,
            movetime_ms: options.movetime_ms,
            deadline: Instant::now() + Duration::from_secs(1) * options.seconds,
            next: Cell::new(0),
            searched: Cell::new(0),
            statuses: RefCell::default(),
        }
    }

    /// Keeps all places until the time is over; what is in flight then is given up.
    async fn keep_up(flood: Rc<Flood>) {
        let mut places = JoinSet::new();
        for _ in 0..flood.in_flight {
            let flood = Rc::clone(&flood);
            places.spawn_local(async move { flood.keep_place().await });
        }
        tokio::time::sleep_until(flood.deadline.into()).await;
    }

    /// One place: position after position, each until it has been answered.
    async fn keep_place(&self) {
        loop {
            let n = self.next.replace(self.next.get() + 1);
            let Some(fen) = self.fens.get(n) else {
                self.note("no positions left");
                return;
            };
            let request = json!({ "fen": fen, "movetime_ms": self.movetime_ms });
            while let Some(wait) = self.ask(&request).await {
                tokio::time::sleep(wait).await;
            }
        }
    }

    /// Asks once; after a 503 returns how long to wait before asking again.
    async fn ask(&self, request: &Value) -> Option<Duration> {
        let response = match client::post(&self.client, &self.url, "/v1/best-move", request).await {
            Ok(response) => response,
            Err(error) => {
                self.note(&format!("no answer: {error}"));
                return None;
            }
        };
        let status = response.status();
        self.note(status.as_str());
        if status == StatusCode::SERVICE_UNAVAILABLE {
            return Some(client::retry_after(&response).unwrap_or(DEFAULT_WAIT));
        }
        if client::body(response).await.is_ok_and(|answer| answer["source"] == "search") {
            self.searched.set(self.searched.get() + 1);
        }
        None
    }

    fn note(&self, what: &str) {
        *self.statuses.borrow_mut().entry(what.to_owned()).or_default() += 1;
    }

    fn print(&self, options: &Options) {
        let Options { in_flight, seconds, movetime_ms, .. } = options;
        let searched = self.searched.get();
        println!(
            "{in_flight} best-move requests of {movetime_ms} ms kept in flight for {seconds} s: {searched} searches completed, {:.2} a second",
            f64::from(searched) / f64::from(*seconds)
        );
        println!("answers: {:?}", self.statuses.borrow());
    }
}

/// The resident memory of a process, as Linux tells it.
fn resident_mb(pid: u32) -> Result<f64, Box<dyn Error>> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no VmRSS")?;
    let kilobytes: f64 = line.trim().trim_end_matches("kB").trim().parse()?;
    Ok(kilobytes / 1024.0)
}
