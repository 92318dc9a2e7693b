//! The contract, from the code.

mod examples;
mod requests;
mod responses;
mod stream_lines;

use examples::Examples;
use requests::{FlattenedRequests, QueryParameters};
use responses::AuthResponses;
use stream_lines::LineTypes;
use utoipa::OpenApi;

use super::controllers::{
    analysis, batch, best_move, cloud_eval, docs, engine, evaluate, explore, games, health,
    legal_moves, limits, live, metrics, perft, play, position, problems, tickets,
};
use super::problem::InvalidMember;

pub(crate) use responses::{
    BatchProblems, CloudEvalProblems, DeletionProblems, ExploreProblems, GamesProblems,
    JobEventsProblems, JobProblems, LiveProblems, NotAcceptable, NotFound, NotReady, PerftProblems,
    PositionProblems, ProblemDocument, QueryProblems, SearchProblems, TicketProblems,
};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "kibitzer",
        description = include_str!("openapi/description.md"),
        license(name = "GPL-3.0-or-later", identifier = "GPL-3.0-or-later"),
    ),
    tags(
        (name = "positions", description = "Positions and moves. The rules of chess, without a search."),
        (name = "analysis", description = "Searches, and the static evaluation."),
        (name = "games", description = "Games, reviewed move by move: jobs that outlast the process where `store.path` names a folder."),
        (name = "server", description = "What the server is and how it does."),
        (name = "contract", description = "This document, and pages about it."),
    ),
    paths(
        legal_moves::legal_moves,
        position::position,
        play::play,
        perft::perft,
        evaluate::evaluate,
        best_move::best_move,
        analysis::analyse,
        batch::batch,
        explore::explore,
        cloud_eval::cloud_eval,
        analysis::follow_analysis,
        games::submit_games,
        games::game_review,
        games::delete_games,
        games::game_events,
        games::annotated_games,
        live::live,
        limits::limits,
        tickets::tickets,
        engine::engine,
        health::livez,
        health::readyz,
        metrics::metrics,
        docs::docs,
        docs::openapi_json,
        docs::openapi_yaml,
        problems::problem,
    ),
    components(schemas(ProblemDocument, InvalidMember, limits::RateLimitStatus, explore::ExploreRequest, explore::CachedEvaluation, cloud_eval::CloudEvalRequest, games::OpeningDto, live::SetPosition, live::Go, live::Stop, live::Deeper, live::MultiPv, live::LiveLine, live::Ready), responses(responses::Internal)),
    modifiers(&FlattenedRequests, &QueryParameters, &LineTypes, &AuthResponses, &Examples)
)]
struct Contract;

/// The contract.
pub fn contract() -> utoipa::openapi::OpenApi {
    Contract::openapi()
}
