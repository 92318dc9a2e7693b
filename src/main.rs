//! The command line of the program `kibitzer`.

mod commands;

use std::io::Write;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Parser, Subcommand};

use commands::{
    analyse, bench, board, check_config, healthcheck, mcp, openapi, perft, review, serve, uci,
};

/// A chess analysis server: legal moves, best moves and evaluations over HTTP and JSON.
#[derive(Parser)]
#[command(version, args_conflicts_with_subcommands = true)]
struct CommandLine {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    serve: serve::Options,
}

#[derive(Subcommand)]
enum Command {
    /// Serve HTTP (default)
    Serve(serve::Options),
    /// Show the best moves of positions while the search deepens
    Analyse(analyse::Options),
    /// Annotate the games of a PGN file
    Review(review::Options),
    /// Draw a position, on the terminal or as a picture
    Board(board::Options),
    /// Run the Universal Chess Interface (UCI) on standard input and output
    Uci(uci::Options),
    /// Offer chess tools to an assistant: the Model Context Protocol on standard input and output
    Mcp(mcp::Options),
    /// Search a fixed list of positions; the node count is the signature of the search
    Bench(bench::Options),
    /// Count the move paths from a position
    Perft(perft::Options),
    /// Check the configuration as `serve` does, and print the memory bound
    CheckConfig(serve::Options),
    /// Check a running server; the exit status is 0 when it is alive
    Healthcheck(healthcheck::Options),
    /// Print the HTTP contract, openapi.yaml
    #[command(hide = true)]
    Openapi,
}

fn main() -> ExitCode {
    let CommandLine { command, serve } =
        CommandLine::try_parse().unwrap_or_else(|error| explain_and_exit(&error));
    let result = match command.unwrap_or(Command::Serve(serve)) {
        Command::Serve(options) => serve::run(&options),
        Command::Analyse(options) => analyse::run(&options),
        Command::Review(options) => review::run(&options),
        Command::Board(options) => board::run(&options),
        Command::Uci(options) => uci::run(&options),
        Command::Mcp(options) => mcp::run(&options),
        Command::Bench(options) => bench::run(&options),
        Command::Perft(options) => perft::run(&options),
        Command::CheckConfig(options) => check_config::run(&options),
        Command::Healthcheck(options) => healthcheck::run(&options),
        Command::Openapi => openapi::run(),
    };
    result.unwrap_or_else(commands::print_error)
}

/// Prints an error of the command line, and exits.
fn explain_and_exit(error: &clap::Error) -> ! {
    // Without a stderr the exit status alone reports the error.
    let _ = error.print();
    if let Some(tip) = tip_for(error) {
        let _ = writeln!(std::io::stderr(), "\n  tip: {tip}");
    }
    std::process::exit(error.exit_code())
}

/// The advice for an error that the parser can't explain.
fn tip_for(error: &clap::Error) -> Option<&'static str> {
    /// Options of other servers for what `--listen` sets.
    const ADDRESS_OPTIONS: [&str; 7] =
        ["-p", "--port", "--host", "--bind", "--addr", "--address", "--http"];

    match (error.kind(), error.get(ContextKind::InvalidArg)) {
        (ErrorKind::ArgumentConflict, _) => {
            Some("options follow their command, as in `kibitzer check-config --config FILE`")
        }
        (ErrorKind::UnknownArgument, Some(ContextValue::String(option)))
            if ADDRESS_OPTIONS.contains(&option.as_str()) =>
        {
            Some("`--listen` sets address and port of the server, as in `kibitzer --listen :8080`")
        }
        _ => None,
    }
}
