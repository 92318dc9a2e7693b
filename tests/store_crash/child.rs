//! The child process that searches and stores until it is killed.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use kibitzer::analysis::{
    AnalysisRequest, Client, PriorityClass, Searcher, Service, ServiceOptions,
};
use kibitzer::engine::{Limits, SearchOptions};
use kibitzer::store::{EvaluationCacheFile, Store, StoreOptions};

use crate::fake_searcher::{DeterministicSearcher, game};

/// The environment variable with the folder of the child's store.
pub(crate) const FOLDER_VARIABLE: &str = "KIBITZER_TEST_STORE_FOLDER";
/// The environment variable with the number of the child's first request.
pub(crate) const FIRST_NUMBER_VARIABLE: &str = "KIBITZER_TEST_STORE_FROM";
/// The default of `store.flush_ms`.
pub(crate) const FLUSH_INTERVAL: Duration = Duration::from_millis(1_000);

pub(crate) fn options() -> ServiceOptions {
    ServiceOptions { workers: 2, cache_max_entries: 500, ..ServiceOptions::default() }
}

pub(crate) fn store(folder: &Path) -> Arc<dyn Store> {
    let engine_id = DeterministicSearcher.engine_id();
    let options = StoreOptions { folder: folder.to_owned(), max_entries: 10_000_000, engine_id };
    Arc::new(EvaluationCacheFile::open(options).unwrap_or_else(|error| panic!("{error}")))
}

pub(crate) fn request(number: u64) -> AnalysisRequest {
    let limits = Limits { depth: Some(1), ..Limits::default() };
    let (game, options, client) = (game(number), SearchOptions::default(), Client::new("the test"));
    AnalysisRequest {
        game,
        limits,
        options,
        fresh: false,
        client,
        class: PriorityClass::Interactive,
        session: None,
        strength: None,
    }
}

/// Requests analyses and prints the number of each answered request, until the process is killed.
pub(crate) fn run(folder: &Path) -> ExitCode {
    let from = std::env::var(FIRST_NUMBER_VARIABLE).unwrap().parse().unwrap();
    let service = Service::start_with_store(
        Arc::new(DeterministicSearcher),
        options(),
        store(folder),
        FLUSH_INTERVAL,
    )
    .unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut stdout = std::io::stdout().lock();
    for number in from.. {
        runtime.block_on(service.best_move(request(number))).unwrap();
        // The parent has ended.
        if writeln!(stdout, "{number}").and_then(|()| stdout.flush()).is_err() {
            break;
        }
        // At most 2,000 requests per second: more than ten times those of a server with some cores
        // and searches of 100 ms.
        std::thread::sleep(Duration::from_micros(500));
    }
    ExitCode::SUCCESS
}
