//! `kibitzer review`: the games of a PGN file, annotated by a review job.

mod job;

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use super::api::{ApiOptions, ApiSession, MAX_PGN_BYTES};
use super::interrupt::{Interrupt, block_on};
use super::output_file::OutputFile;
use super::search_limits::SearchLimits;
use super::{BoxError, note};
use job::{Followed, Job, JobFailure};

#[derive(clap::Args)]
pub(crate) struct Options {
    /// PGN file, or `-` for standard input
    #[arg(value_name = "GAMES.pgn", required_unless_present = "job")]
    games: Option<PathBuf>,
    /// File for the annotated games, replaced at the end [default: standard output]
    #[arg(short, long, value_name = "OUT.pgn")]
    output: Option<PathBuf>,
    #[command(flatten)]
    api: ApiOptions,
    #[command(flatten)]
    limits: SearchLimits,
    /// Continue with a job of the server, whose id an earlier run has named
    #[arg(long, value_name = "ID", requires = "server", value_parser = parse_job_id)]
    #[arg(conflicts_with_all = ["games", "depth", "nodes", "time", "lines"])]
    job: Option<String>,
    /// Write the review as JSON, the answer of GET /v1/games/{id}, instead of PGN
    #[arg(long)]
    json: bool,
}

/// Checks the id of a job, which becomes a part of a path.
fn parse_job_id(id: &str) -> Result<String, String> {
    let is_valid = id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_valid.then(|| id.to_owned()).ok_or_else(|| "it must have 32 hex digits".to_owned())
}

pub(crate) fn run(options: &Options) -> Result<ExitCode, BoxError> {
    block_on(review(options))
}

async fn review(options: &Options) -> Result<ExitCode, BoxError> {
    let interrupt = Interrupt::listen()?;
    let pgn = match &options.games {
        Some(path) => {
            let path = path.clone();
            let read = tokio::task::spawn_blocking(move || read_games(&path));
            tokio::select! {
                read = read => Some(read??),
                signal = interrupt.received() => return Ok(signal.exit_code()),
            }
        }
        None => None,
    };
    let output = options.output.as_deref().map(OutputFile::check).transpose()?;
    let session = tokio::select! {
        session = options.api.connect() => session?,
        signal = interrupt.received() => return Ok(signal.exit_code()),
    };
    let result = review_games(options, &session, &interrupt, Work { pgn, output }).await;
    let closed = session.close().await;
    let code = result?;
    closed?;
    Ok(code)
}

/// Reads the text of a file or of standard input. The error names the path.
fn read_games(path: &Path) -> Result<Vec<u8>, io::Error> {
    let (name, read) = match path == Path::new("-") {
        true => ("standard input".to_owned(), read_text(io::stdin().lock())),
        false => (path.display().to_string(), File::open(path).and_then(read_text)),
    };
    read.map_err(|error| io::Error::new(error.kind(), format!("{name}: {error}")))
}

fn read_text(input: impl Read) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    input.take(MAX_PGN_BYTES as u64 + 1).read_to_end(&mut text)?;
    let refused = |why: String| Err(io::Error::new(io::ErrorKind::InvalidData, why));
    if text.len() > MAX_PGN_BYTES {
        return refused(format!("more than {} MB; split it", MAX_PGN_BYTES >> 20));
    }
    match text.trim_ascii().is_empty() {
        true => refused("there are no games".to_owned()),
        false => Ok(text),
    }
}

/// The games, unless a job has them, and the file for the result.
struct Work {
    pgn: Option<Vec<u8>>,
    output: Option<OutputFile>,
}

async fn review_games(
    options: &Options,
    session: &ApiSession,
    interrupt: &Interrupt,
    Work { pgn, output }: Work,
) -> Result<ExitCode, BoxError> {
    let job = tokio::select! {
        job = Job::open(session, options.job.clone(), pgn, &options.limits) => job?,
        signal = interrupt.received() => return Ok(signal.exit_code()),
    };
    // A job of this process ends with it.
    let how_to_continue =
        options.api.server.as_ref().map(|server| {
            format!("to continue: kibitzer review --job {} --server {server}", job.id())
        });
    let advise = || how_to_continue.iter().for_each(|advice| note(advice));
    let (followed, signal) = tokio::select! {
        followed = job.follow() => (followed, None),
        signal = interrupt.received() => (Ok(Followed::default()), Some(signal)),
    };
    // After a signal nobody waits for a server that is away.
    let patience = if signal.is_some() { Duration::ZERO } else { session.wait };
    let written = match followed {
        Ok(followed) => {
            job.download(options.json, patience).await.map(|content| (followed, content))
        }
        Err(failure) => Err(failure),
    };
    let (Followed { refused_games }, content) = match written {
        Ok(written) => written,
        Err(failure) => {
            if matches!(failure, JobFailure::Lost(_)) {
                advise();
            }
            let Some(signal) = signal else { return Err(failure.into()) };
            note(&failure.to_string());
            return Ok(signal.exit_code());
        }
    };
    write_result(options, output, &content, refused_games, advise)?;
    if let Some(signal) = signal {
        note("interrupted: games whose review is not complete are unchanged");
        advise();
        return Ok(signal.exit_code());
    }
    Ok(if refused_games == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Writes a review into its file or to standard output. `advise` says how to get it again.
fn write_result(
    options: &Options,
    output: Option<OutputFile>,
    content: &[u8],
    refused_games: usize,
    advise: impl Fn(),
) -> Result<(), BoxError> {
    match output {
        // The review leaves out the games that can't be read.
        Some(file) if refused_games > 0 && file.is_same_as(options.games.as_deref()) => {
            let place = keep_elsewhere(content)?;
            let reason = "it is unchanged, because the review lacks the games that can't be read";
            note(&format!("{}: {reason}; the review is in {place}", file.name()));
            Ok(())
        }
        Some(file) => file.write_whole(content).or_else(|error| {
            advise();
            let place = keep_elsewhere(content)?;
            Err(BoxError::from(format!("{error}; the review is in {place}")))
        }),
        None => Ok(io::stdout().lock().write_all(content).inspect_err(|error| {
            // A reader that leaves does not want the rest.
            if error.kind() != io::ErrorKind::BrokenPipe {
                advise();
            }
        })?),
    }
}

/// Writes a review into a new file of the temporary folder and returns its path.
fn keep_elsewhere(content: &[u8]) -> io::Result<String> {
    let mut file = tempfile::Builder::new().prefix("kibitzer-").suffix(".pgn").tempfile()?;
    file.write_all(content)?;
    let (_, path) = file.keep().map_err(|error| error.error)?;
    Ok(path.display().to_string())
}
