//! `kibitzer board`: a picture of a position, on the terminal or in a file.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use kibitzer::chess::parse_fen;
use kibitzer::client::{ApiClient, ApiError};
use kibitzer::terminal::{Screen, draw_board};
use reqwest::Method;

use super::orientation::Orientation;
use super::output_file::OutputFile;
use super::position_state::PositionState;
use super::{BoxError, api, interrupt};

#[derive(clap::Args)]
#[command(group = clap::ArgGroup::new("picture").args(["svg", "png"]))]
pub(crate) struct Options {
    /// A FEN or `startpos`
    #[arg(required = true, value_name = "FEN")]
    fen: Vec<String>,
    /// Print the picture as SVG
    #[arg(long)]
    svg: bool,
    /// Write the picture as PNG into this file
    #[arg(long, value_name = "FILE")]
    png: Option<PathBuf>,
    /// The player at the bottom
    #[arg(long, value_enum, default_value_t)]
    orientation: Orientation,
    /// Width and height of the picture in pixels, 16 to 1024 [default: 360]
    #[arg(long, value_name = "PIXELS", requires = "picture")]
    #[arg(value_parser = clap::value_parser!(u16).range(16..=1_024))]
    size: Option<u16>,
    /// Show the names of files and ranks in the picture
    #[arg(long, requires = "picture")]
    coordinates: bool,
    /// Arrows and circles in the picture, such as Ge2e4,Rd5
    #[arg(long, value_name = "ARROWS", requires = "picture")]
    arrows: Option<String>,
}

pub(crate) fn run(options: &Options) -> Result<ExitCode, BoxError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    interrupt::allow_closed_pipe(runtime.block_on(draw(options)))
}

async fn draw(options: &Options) -> Result<ExitCode, BoxError> {
    let api = api::without_engine()?;
    let fen = options.fen.join(" ");
    if let Some(path) = &options.png {
        let file = OutputFile::check(path)?;
        file.write_whole(&picture(&api, "/board.png", &fen, options).await?)?;
    } else if options.svg {
        let svg = picture(&api, "/board.svg", &fen, options).await?;
        io::stdout().lock().write_all(&svg)?;
    } else {
        let screen = Screen::of_stdout();
        let state = PositionState::request(&api, &fen, Duration::ZERO).await?;
        let position = parse_fen(&state.fen)?.position;
        let lines = draw_board(&position, options.orientation.into(), &screen);
        let text = format!("{}\n\n{}", lines.join("\n"), state.describe(&screen));
        io::stdout().lock().write_all(text.as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The picture at this path of the API.
async fn picture(
    api: &ApiClient,
    path: &str,
    fen: &str,
    options: &Options,
) -> Result<Vec<u8>, ApiError> {
    let state = PositionState::request(api, fen, Duration::ZERO).await?;
    let orientation = match options.orientation {
        Orientation::White => "white",
        Orientation::Black => "black",
    };
    let mut query = vec![("fen", state.fen.clone()), ("orientation", orientation.to_owned())];
    query.extend(state.checked_king().map(|square| ("check", square)));
    query.extend(options.size.map(|size| ("size", size.to_string())));
    query.extend(options.coordinates.then(|| ("coordinates", "true".to_owned())));
    query.extend(options.arrows.clone().map(|arrows| ("arrows", arrows)));
    let request = |api: &ApiClient| api.request(Method::GET, &with_query(path, &query));
    Ok(api.fetch_patiently(Duration::ZERO, path, request).await?.into())
}

fn with_query(path: &str, query: &[(&str, String)]) -> String {
    let encode = |text: &str| {
        percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string()
    };
    let query: Vec<String> =
        query.iter().map(|(name, value)| format!("{name}={}", encode(value))).collect();
    format!("{path}?{}", query.join("&"))
}
