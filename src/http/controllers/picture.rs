//! `GET /board.svg` and `GET /board.png`: pictures of boards, with the query of web-boardimage.

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, Response};

use crate::http::App;
use crate::http::access::Caller;
use crate::http::caps::MAX_CONCURRENT_PICTURES;
use crate::http::dto::PictureRequest;
use crate::http::etag::{Revalidation, TaggedResponse, cache_control};
use crate::http::json::Query;
use crate::http::problem::{PictureProblems, PositionQueryProblems, Problem};
use crate::render::DRAWING_BYTES;

const SVG: &str = "image/svg+xml";
const PNG: &str = "image/png";

/// The upper bound of the memory of all pictures that are being drawn, in bytes.
pub(crate) const fn picture_memory_bound() -> u64 {
    (MAX_CONCURRENT_PICTURES * DRAWING_BYTES) as u64
}

/// Draw a board as SVG
///
/// Takes the query of web-boardimage. Without `moves`, a FEN needs only a board, which need not be
/// legal: `fen=8/8/8/8/4N3/8/8/8`.
#[utoipa::path(
    get,
    path = "/board.svg",
    tag = "positions",
    params(PictureRequest),
    responses(
        (status = 200, description = "The picture. It needs no font and no other file.",
            body = String, content_type = "image/svg+xml"),
        PositionQueryProblems,
    )
)]
pub(crate) async fn board_svg(
    caller: Caller,
    headers: HeaderMap,
    Query(request): Query<PictureRequest>,
) -> Result<Response<Body>, Problem> {
    let svg = request.picture()?.to_svg();
    let cache_control = cache_control(caller.identity(), Revalidation::Optional);
    let tagged = TaggedResponse::new(svg.as_str().as_bytes(), cache_control);
    Ok(tagged.not_modified(&headers).unwrap_or_else(|| tagged.with_body(svg.into_string(), SVG)))
}

/// Draw a board as PNG
///
/// Gives the picture of `GET /board.svg` in pixels.
///
/// The server draws at most two pictures at once, and one of one client. Further requests wait,
/// for at most the time limit of a request body, and then get 503 `queue_full`.
#[utoipa::path(
    get,
    path = "/board.png",
    tag = "positions",
    params(PictureRequest),
    responses(
        (status = 200, description = "The picture.", body = Vec<u8>, content_type = "image/png"),
        PictureProblems,
    )
)]
pub(crate) async fn board_png(
    State(app): State<App>,
    caller: Caller,
    headers: HeaderMap,
    Query(request): Query<PictureRequest>,
) -> Result<Response<Body>, Problem> {
    let svg = request.picture()?.to_svg();
    let cache_control = cache_control(caller.identity(), Revalidation::Optional);
    // The SVG decides what the PNG is, so that a client which has the PNG waits for no drawing.
    let tagged = TaggedResponse::new(svg.as_str().as_bytes(), cache_control);
    if let Some(response) = tagged.not_modified(&headers) {
        return Ok(response);
    }
    let png = app.draw(caller.client(), move || svg.to_png()).await?;
    Ok(tagged.with_body(png.map_err(|error| Problem::internal(&error))?, PNG))
}
