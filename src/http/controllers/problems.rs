//! `GET /problems/{code}`: where the `type` of a problem leads.

use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{OriginalUri, Path};
use axum::http::{HeaderMap, Response};

use crate::http::etag::StaticResponse;
use crate::http::problem::{Problem, ProblemCode};

/// A page about a problem
///
/// What a problem's code means, and what a client can do about it.
#[utoipa::path(
    get,
    path = "/problems/{code}",
    tag = "contract",
    params(("code" = String, Path, description = "The code of a problem.")),
    responses(
        (status = 200, description = "The page.", body = String, content_type = "text/html; charset=utf-8"),
        (status = 304, description = "The client has it: `If-None-Match` names its `ETag`."),
        crate::http::problem::NotFound,
    )
)]
pub(crate) async fn problem(
    path: Result<Path<String>, PathRejection>,
    uri: OriginalUri,
    headers: HeaderMap,
) -> Result<Response<Body>, Problem> {
    // A path that is no UTF-8 names no code.
    let code = path.ok().and_then(|Path(name)| ProblemCode::from_name(&name));
    let code = code.ok_or_else(|| Problem::not_found(uri.path()))?;
    Ok(page(code).respond(&headers))
}

fn page(code: ProblemCode) -> StaticResponse {
    let (name, status, title, explanation) =
        (code.name(), code.status(), code.title(), code.explanation());
    let html = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>{name} – kibitzer</title>\n\
         <h1>{title}</h1>\n<p>{}</p>\n<p>Code <code>{name}</code>, status {status}. \
         <a href=\"/docs\">All routes and their problems</a></p>\n</html>\n",
        render_code_spans(explanation),
    );
    StaticResponse::new(html, "text/html; charset=utf-8")
}

/// Texts between backticks as code.
fn render_code_spans(text: &str) -> String {
    let mut html = String::new();
    for (index, part) in text.split('`').enumerate() {
        let part = part.replace('&', "&amp;").replace('<', "&lt;");
        html.push_str(&if index % 2 == 1 { format!("<code>{part}</code>") } else { part });
    }
    html
}
