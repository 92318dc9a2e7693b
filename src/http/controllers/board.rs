//! The analysis board: `GET /` and the files that the page loads.
//!
//! `make web` builds them from `web/src` into `web/dist`, compressed where that makes them smaller.

mod link_preview;

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::sync::LazyLock;

use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{OriginalUri, Path, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Response, Uri};
use flate2::read::GzDecoder;
use include_dir::{Dir, File, include_dir};

use crate::http::App;
use crate::http::etag::StaticResponse;
use crate::http::problem::Problem;
use link_preview::link_preview;

static DIST: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/web/dist");

/// The policy of the page. The pieces of chessground are images within its style sheet. The
/// WebSocket of `/v1/live` has the page's own origin.
const BOARD_POLICY: &str = "default-src 'self'; img-src 'self' data:; object-src 'none'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The service worker, which shows the page without the server. A script may only control pages
/// below its own path, unless a header allows more.
const SERVICE_WORKER: &str = "service-worker.js";

/// The files without a hash in their name: the service worker, and the licences of the libraries
/// within the page.
const UNHASHED: [&str; 2] = [SERVICE_WORKER, "licenses.md"];

const SERVICE_WORKER_ALLOWED: HeaderName = HeaderName::from_static("service-worker-allowed");

/// The end of the page's head, before which the link preview is inserted.
const END_OF_HEAD: &str = "</head>";

/// The two parts of the page and, by name, the files that it loads.
struct Board {
    page: (&'static str, &'static str),
    assets: BTreeMap<&'static str, StaticResponse>,
}

static BOARD: LazyLock<Board> = LazyLock::new(|| {
    let page = DIST.get_file("index.html").and_then(File::contents_utf8).unwrap_or_default();
    let files = DIST.get_dir("assets").into_iter().flat_map(Dir::files);
    Board {
        page: page.split_at(page.find(END_OF_HEAD).unwrap_or_default()),
        assets: files.filter_map(asset_of).collect(),
    }
});

/// The name in a URL and the response of a file of `web/dist/assets`. `None` if the file has no
/// media type or cannot be decompressed; a test reads every file.
fn asset_of(file: &'static File<'static>) -> Option<(&'static str, StaticResponse)> {
    let stored = file.path().file_name()?.to_str()?;
    let (name, response) = match stored.strip_suffix(".gz") {
        Some(name) => {
            let plain = decompressed(file.contents()).ok()?;
            let response = StaticResponse::new(plain, media_type(name)?);
            (name, response.with_coding("gzip", file.contents()))
        }
        None => (stored, StaticResponse::new(file.contents(), media_type(stored)?)),
    };
    Some((name, if UNHASHED.contains(&name) { response } else { response.immutable() }))
}

/// The content of a file in gzip, for the few clients that accept no coding.
fn decompressed(gzip: &[u8]) -> io::Result<Vec<u8>> {
    let mut plain = Vec::new();
    GzDecoder::new(gzip).read_to_end(&mut plain)?;
    Ok(plain)
}

/// The media type of a file by the ending of its name.
fn media_type(name: &str) -> Option<&'static str> {
    match name.rsplit_once('.')?.1 {
        "js" => Some("text/javascript; charset=utf-8"),
        "css" => Some("text/css; charset=utf-8"),
        "md" => Some("text/plain; charset=utf-8"),
        "svg" => Some("image/svg+xml"),
        _ => None,
    }
}

/// The page of the analysis board. Its link preview shows the position in its address.
pub(crate) async fn page(State(app): State<App>, uri: Uri, headers: HeaderMap) -> Response<Body> {
    let (head, rest) = BOARD.page;
    let page = [head, "  ", &link_preview(&app, &uri, &headers), rest].concat();
    StaticResponse::page(page, BOARD_POLICY).respond(&headers)
}

/// A file of the page.
pub(crate) async fn asset(
    path: Result<Path<String>, PathRejection>,
    uri: OriginalUri,
    headers: HeaderMap,
) -> Result<Response<Body>, Problem> {
    // A path that is not UTF-8 matches no file.
    let asset = path.ok().and_then(|Path(name)| BOARD.assets.get_key_value(name.as_str()));
    let (name, asset) = asset.ok_or_else(|| Problem::not_found(uri.path()))?;
    let mut response = asset.respond(&headers);
    if *name == SERVICE_WORKER {
        response.headers_mut().insert(SERVICE_WORKER_ALLOWED, HeaderValue::from_static("/"));
    }
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_a_head_for_the_link_preview() {
        let (head, rest) = BOARD.page;
        assert!(head.ends_with(">\n"), "{head}");
        assert!(rest.starts_with(END_OF_HEAD), "{rest}");
    }

    #[test]
    fn every_built_file_can_be_served() {
        let files = DIST.get_dir("assets").unwrap().files().count();
        assert!(files > 0);
        assert_eq!(BOARD.assets.len(), files);
    }
}
