//! The URL map.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use axum::extract::{MatchedPath, OriginalUri};
use axum::http::Method;
use axum::routing::{get, post};
use axum::{Extension, Router};
use tower::ServiceBuilder;
use tower::util::option_layer;
use utoipa::openapi::PathItem;

use crate::http::controllers::docs::{self, ContractPages};
use crate::http::controllers::mcp::ToolRoutes;
use crate::http::controllers::{
    analysis, batch, best_move, board, chess_api, cloud_eval, evaluate, explore, games, judgement,
    legal_moves, limits, live, mcp, perft, picture, play, position, server, standard,
    stockfish_online, tablebase,
};
use crate::http::json::similar_path;
use crate::http::middleware::{AuthRateLimitLayer, RequestLayer, cors_layer};
use crate::http::problem::Problem;
use crate::http::{App, openapi};

/// All routes, for one listening address.
pub fn router(app: App) -> Router {
    with_middleware(routes(&app).merge(metrics_routes()), app)
}

/// All routes except the metrics, and the metrics alone, for two listening addresses.
pub fn split_routers(app: App) -> [Router; 2] {
    [with_middleware(routes(&app), app.clone()), with_middleware(metrics_routes(), app)]
}

fn metrics_routes() -> Router<App> {
    Router::new().route("/metrics", get(server::metrics))
}

fn routes(app: &App) -> Router<App> {
    let routes = api_routes().merge(page_routes(app));
    if !app.caps().is_mcp_enabled {
        return routes;
    }
    let tool_routes = ToolRoutes::new(api_routes().with_state(app.clone()), app.clone());
    routes.merge(Router::new().route("/mcp", post(mcp::mcp)).layer(Extension(tool_routes)))
}

fn api_routes() -> Router<App> {
    Router::new()
        // Positions and moves
        .route("/v1/legal-moves", get(legal_moves::show_legal_moves).post(legal_moves::legal_moves))
        .route("/v1/position", get(position::show_position).post(position::position))
        .route("/v1/play", post(play::play))
        .route("/v1/perft", post(perft::perft))
        .route("/v1/evaluate", get(evaluate::show_evaluation).post(evaluate::evaluate))
        // Searches
        .route("/v1/batch", post(batch::batch))
        .route("/v1/analysis", get(analysis::follow_analysis).post(analysis::analyse))
        .route("/v1/best-move", get(best_move::show_best_move).post(best_move::best_move))
        .route("/v1/live", get(live::live))
        // Games
        .route("/v1/games", post(games::submit_games))
        .route("/v1/games/{id}", get(games::game_review).delete(games::delete_games))
        .route("/v1/games/{id}/events", get(games::game_events))
        .route("/v1/games/{id}/pgn", get(games::annotated_games))
        .route("/v1/judgement", post(judgement::judgement))
        // The evaluation cache
        .route("/v1/explore", get(explore::explore))
        .route("/api/cloud-eval", get(cloud_eval::cloud_eval))
        // Tablebases
        .route("/v1/tablebase", get(tablebase::show_tablebase).post(tablebase::look_up))
        .route("/standard", get(standard::standard))
        .route("/standard/mainline", get(standard::standard_mainline))
        // Pictures
        .route("/board.svg", get(picture::board_svg))
        .route("/board.png", get(picture::board_png))
        // The server
        .route("/v1/limits", get(limits::limits))
        .route("/v1/tickets", post(server::tickets))
        .route("/v1/engine", get(server::engine))
        .route("/livez", get(server::livez))
        .route("/readyz", get(server::readyz))
}

fn page_routes(app: &App) -> Router<App> {
    Router::new()
        .route("/problems/{code}", get(docs::problem))
        // The analysis board
        .route("/", get(board::page))
        .route("/assets/{file}", get(board::asset))
        .merge(contract_routes(app.access_control().is_key_required()))
        .merge(if app.caps().is_compat_enabled { compat_routes() } else { Router::new() })
}

/// The formats of other services.
fn compat_routes() -> Router<App> {
    Router::new()
        .route("/v1", get(chess_api::chess_api_socket).post(chess_api::chess_api))
        .route("/api/s/v2.php", get(stockfish_online::stockfish_online))
}

fn contract_routes(is_key_required: bool) -> Router<App> {
    // Rendered when the router is built, so that no request waits for it.
    static PAGES: LazyLock<ContractPages> =
        LazyLock::new(|| ContractPages::new(&openapi::contract()));
    static PAGES_WITH_REQUIRED_KEYS: LazyLock<ContractPages> =
        LazyLock::new(|| ContractPages::new(&openapi::contract_with_required_keys()));
    let pages: &'static ContractPages =
        if is_key_required { &PAGES_WITH_REQUIRED_KEYS } else { &PAGES };
    Router::new()
        .route("/docs", get(docs::docs))
        .route("/docs/", get(docs::docs))
        .route("/docs/{file}", get(docs::docs_asset))
        .route("/openapi.json", get(docs::openapi_json))
        .route("/openapi.yaml", get(docs::openapi_yaml))
        .layer(Extension(pages))
}

/// Adds the middleware to routes: request ids, spans, the access log, metrics, problems, panics,
/// CORS, authentication and rate limits. Unknown paths and methods return a problem.
pub fn with_middleware(routes: Router<App>, app: App) -> Router {
    // Built here, so that no request waits for it.
    LazyLock::force(&METHODS);
    let routes = routes.fallback(no_such_path).method_not_allowed_fallback(no_such_method);
    let layers = ServiceBuilder::new()
        .layer(RequestLayer::new(app.clone()))
        .layer(option_layer(cors_layer(&app.caps().cors_origins)))
        .layer(AuthRateLimitLayer::new(app.clone()));
    routes.layer(layers).with_state(app)
}

async fn no_such_path(uri: OriginalUri) -> Problem {
    let mut paths = METHODS.keys().map(String::as_str).filter(|path| !path.contains('{'));
    // A route of the other address, if metrics have one of their own.
    let is_elsewhere = paths.clone().any(|path| path == uri.path());
    let similar = if is_elsewhere { None } else { similar_path(uri.path(), &mut paths) };
    Problem::no_such_route(uri.path(), similar)
}

async fn no_such_method(method: Method, uri: OriginalUri, route: Option<MatchedPath>) -> Problem {
    let allowed = route.and_then(|route| METHODS.get(route.as_str()));
    Problem::method_not_allowed(uri.path(), method.as_str(), allowed.map_or(&[], Vec::as_slice))
}

/// The methods of each documented route.
static METHODS: LazyLock<BTreeMap<String, Vec<&'static str>>> = LazyLock::new(|| {
    let methods_of = |item: PathItem| {
        let methods = [("GET", item.get), ("POST", item.post), ("DELETE", item.delete)];
        methods.into_iter().filter_map(|(name, operation)| operation.map(|_| name)).collect()
    };
    let paths = openapi::contract().paths.paths;
    paths.into_iter().map(|(path, item)| (path, methods_of(item))).collect()
});
