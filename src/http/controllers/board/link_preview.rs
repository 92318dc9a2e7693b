//! The picture that other sites show beside a link to the board (the Open Graph protocol).

use std::fmt::Write as _;

use axum::http::uri::Authority;
use axum::http::{HeaderMap, Uri};

use crate::chess::{Position, Setup, parse_fen_setup};
use crate::http::App;
use crate::http::access::request_host;
use crate::http::json::query_text;

/// Width and height of the picture.
const SIZE: u16 = 600;

/// The elements of the page's head that describe it to other sites. They need an absolute URL of
/// the picture, so there is none without a host. A server that requires keys shows no picture to
/// other sites.
pub(super) fn link_preview(app: &App, uri: &Uri, headers: &HeaderMap) -> String {
    let mut elements = "<meta property=\"og:type\" content=\"website\">\n  \
        <meta property=\"og:title\" content=\"kibitzer: analysis board\">\n  "
        .to_owned();
    let is_public = !app.access_control().is_key_required();
    if let Some(origin) = origin(app, uri, headers).filter(|_| is_public) {
        let board = shown_setup(uri).board_fen();
        // Writing to a string does not fail. A board has no characters that HTML escapes.
        let _ = write!(
            elements,
            "<meta property=\"og:image\" content=\"{}/board.png?fen={board}&amp;size={SIZE}\">\n  \
             <meta property=\"og:image:type\" content=\"image/png\">\n  \
             <meta property=\"og:image:width\" content=\"{SIZE}\">\n  \
             <meta property=\"og:image:height\" content=\"{SIZE}\">\n  \
             <meta property=\"og:image:alt\" content=\"A chess position\">\n",
            escape(&origin)
        );
    }
    elements
}

/// The origin of the page: that of the configuration, else the host that the client names.
fn origin(app: &App, uri: &Uri, headers: &HeaderMap) -> Option<String> {
    let configured = &app.caps().public_origin;
    if !configured.is_empty() {
        return Some(configured.clone());
    }
    let host = Authority::try_from(request_host(headers, uri)?).ok()?;
    (!host.as_str().contains('@')).then(|| format!("http://{host}"))
}

/// The position in the address, or the start position if there is none or it is invalid.
fn shown_setup(uri: &Uri) -> Setup {
    let fen = query_text(uri.query().unwrap_or_default(), "fen");
    let setup = fen.and_then(|fen| parse_fen_setup(&fen).ok());
    setup.unwrap_or_else(|| Position::startpos().to_setup())
}

/// A text within an attribute in double quotes.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_brackets_are_escaped() {
        assert_eq!(escape("http://a&b\"<c>"), "http://a&amp;b&quot;&lt;c&gt;");
    }

    #[test]
    fn the_address_selects_the_position() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
        for (address, expected) in [
            ("/", start),
            ("/?fen=startpos", start),
            ("/?fen=8/8/8/8/4N3/8/8/8", "8/8/8/8/4N3/8/8/8"),
            ("/?x=1&fen=4k3%2F8/8/8/8/8/8/4K3+w+-+-+0+1", "4k3/8/8/8/8/8/8/4K3"),
            ("/?fen=4k3/8/8/8/8/8/8/4K3_w", "4k3/8/8/8/8/8/8/4K3"),
            ("/?fen=nonsense", start),
            ("/?fen=%22%3E%3Cscript%3E", start),
            ("/?fen=%ff", start),
            ("/?fen", start),
        ] {
            let setup = shown_setup(&address.parse().unwrap());
            assert_eq!(setup.board_fen(), expected, "{address}");
        }
    }
}
