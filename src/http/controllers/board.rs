//! The analysis board: `GET /` and the files that the page loads.
//!
//! `make web` builds them from `web/src` into `web/dist`, with a copy in each content coding.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{OriginalUri, Path};
use axum::http::{HeaderMap, Response};
use include_dir::{Dir, File, include_dir};

use crate::http::etag::StaticResponse;
use crate::http::problem::Problem;

static DIST: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/web/dist");

/// The policy of the page. The pieces of chessground are images within its style sheet. The
/// WebSocket of `/v1/live` has the page's own origin.
const BOARD_POLICY: &str = "default-src 'self'; img-src 'self' data:; object-src 'none'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The content codings of the files, best first, and the ending of their names.
const CODINGS: [(&str, &str); 2] = [("br", ".br"), ("gzip", ".gz")];

/// The licences of the libraries within the page: the one file without a hash in its name.
const LICENSES: &str = "licenses.md";

/// The page and, by name, the files that it loads.
struct Board {
    page: StaticResponse,
    assets: BTreeMap<&'static str, StaticResponse>,
}

static BOARD: LazyLock<Board> = LazyLock::new(|| {
    let page = DIST.get_file("index.html").map(File::contents).unwrap_or_default();
    let assets = DIST.get_dir("assets").into_iter().flat_map(Dir::files).filter_map(|file| {
        let name = file.path().file_name()?.to_str()?;
        let asset = StaticResponse::new(file.contents(), media_type(name)?);
        let asset = if name == LICENSES { asset } else { asset.immutable() };
        Some((name, with_codings(asset, &format!("assets/{name}"))))
    });
    Board {
        page: with_codings(StaticResponse::page(page, BOARD_POLICY), "index.html"),
        assets: assets.collect(),
    }
});

/// Adds the compressed copies of a file of `web/dist`.
fn with_codings(response: StaticResponse, path: &str) -> StaticResponse {
    CODINGS.into_iter().fold(response, |response, (coding, ending)| {
        match DIST.get_file(format!("{path}{ending}")) {
            Some(file) => response.with_coding(coding, file.contents()),
            None => response,
        }
    })
}

/// The media type of a file by the ending of its name. `None` for a compressed copy.
fn media_type(name: &str) -> Option<&'static str> {
    match name.rsplit_once('.')?.1 {
        "js" => Some("text/javascript; charset=utf-8"),
        "css" => Some("text/css; charset=utf-8"),
        "md" => Some("text/plain; charset=utf-8"),
        "svg" => Some("image/svg+xml"),
        _ => None,
    }
}

/// The page of the analysis board.
pub(crate) async fn page(headers: HeaderMap) -> Response<Body> {
    BOARD.page.respond(&headers)
}

/// A file of the page.
pub(crate) async fn asset(
    path: Result<Path<String>, PathRejection>,
    uri: OriginalUri,
    headers: HeaderMap,
) -> Result<Response<Body>, Problem> {
    // A path that is not UTF-8 matches no file.
    let asset = path.ok().and_then(|Path(name)| BOARD.assets.get(name.as_str()));
    let asset = asset.ok_or_else(|| Problem::not_found(uri.path()))?;
    Ok(asset.respond(&headers))
}
