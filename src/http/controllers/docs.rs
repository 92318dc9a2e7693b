//! The pages about the API: `/openapi.json`, `/openapi.yaml`, the interactive `/docs`, and
//! `/problems/{code}`, the target of a problem's `type`.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Extension;
use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{OriginalUri, Path};
use axum::http::{HeaderMap, Response};
use utoipa::openapi::OpenApi;
use utoipa_swagger_ui::Config;

use crate::http::etag::StaticResponse;
use crate::http::problem::{Problem, ProblemCode};

const CSS: &str = "text/css; charset=utf-8";
const JAVASCRIPT: &str = "text/javascript; charset=utf-8";

/// The files of Swagger UI that the API reference loads.
const SWAGGER_UI: [(&str, &str); 3] = [
    ("favicon-32x32.png", "image/png"),
    ("swagger-ui-bundle.js", JAVASCRIPT),
    ("swagger-ui.css", CSS),
];

/// The policy of the API reference. Swagger UI sets styles inline and has images in its styles.
const REFERENCE_POLICY: &str = "default-src 'self'; style-src 'self' 'unsafe-inline'; \
    img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";

/// The policy of a page that loads nothing.
const PROBLEM_POLICY: &str = "default-src 'none'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";

/// The OpenAPI document in both formats, and the API reference with its files.
pub(crate) struct ContractPages {
    json: StaticResponse,
    yaml: StaticResponse,
    docs: StaticResponse,
    assets: BTreeMap<&'static str, StaticResponse>,
}

impl ContractPages {
    /// Renders the pages of an OpenAPI document.
    pub(crate) fn new(contract: &OpenApi) -> ContractPages {
        let json = contract.to_pretty_json().unwrap_or_default();
        let yaml = contract.to_yaml().unwrap_or_default();
        let config = Arc::new(Config::new(["/openapi.json"]));
        let swagger_ui = SWAGGER_UI.iter().filter_map(|&(name, media_type)| {
            let file = utoipa_swagger_ui::serve(name, Arc::clone(&config)).ok()??;
            Some((name, StaticResponse::new(file.bytes.into_owned(), media_type)))
        });
        let own = [
            ("reference.css", StaticResponse::new(include_str!("docs/reference.css"), CSS)),
            ("reference.js", StaticResponse::new(include_str!("docs/reference.js"), JAVASCRIPT)),
        ];
        ContractPages {
            json: StaticResponse::new(json, "application/json"),
            yaml: StaticResponse::new(yaml, "application/yaml"),
            docs: StaticResponse::page(include_str!("docs/reference.html"), REFERENCE_POLICY),
            assets: swagger_ui.chain(own).collect(),
        }
    }
}

/// The pages, from a request extension that the router sets.
type Pages = Extension<&'static ContractPages>;

/// Get the OpenAPI document as JSON
#[utoipa::path(
    get,
    path = "/openapi.json",
    tag = "contract",
    responses(
        (status = 200, description = "This document.", content_type = "application/json",
            body = serde_json::Value),
        (status = 304,
            description = "The client's copy is current: `If-None-Match` has its `ETag`."),
    )
)]
pub(crate) async fn openapi_json(Extension(pages): Pages, headers: HeaderMap) -> Response<Body> {
    pages.json.respond(&headers)
}

/// Get the OpenAPI document as YAML
#[utoipa::path(
    get,
    path = "/openapi.yaml",
    tag = "contract",
    responses(
        (status = 200, description = "This document.", content_type = "application/yaml",
            body = serde_json::Value),
        (status = 304,
            description = "The client's copy is current: `If-None-Match` has its `ETag`."),
    )
)]
pub(crate) async fn openapi_yaml(Extension(pages): Pages, headers: HeaderMap) -> Response<Body> {
    pages.yaml.respond(&headers)
}

/// Open the interactive documentation
#[utoipa::path(
    get,
    path = "/docs",
    tag = "contract",
    responses(
        (status = 200, description = "The page.", content_type = "text/html; charset=utf-8",
            body = String),
        (status = 304,
            description = "The client's copy is current: `If-None-Match` has its `ETag`."),
    )
)]
pub(crate) async fn docs(Extension(pages): Pages, headers: HeaderMap) -> Response<Body> {
    pages.docs.respond(&headers)
}

/// A file of the API reference.
pub(crate) async fn docs_asset(
    Extension(pages): Pages,
    path: Result<Path<String>, PathRejection>,
    uri: OriginalUri,
    headers: HeaderMap,
) -> Result<Response<Body>, Problem> {
    // A path that is not UTF-8 matches no file.
    let asset = path.ok().and_then(|Path(name)| pages.assets.get(name.as_str()));
    let asset = asset.ok_or_else(|| Problem::not_found(uri.path()))?;
    Ok(asset.respond(&headers))
}

/// Explain a problem
///
/// Returns a page that says what a problem's code means and what a client can do about it.
#[utoipa::path(
    get,
    path = "/problems/{code}",
    tag = "contract",
    params(("code" = String, Path, description = "The code of the problem.")),
    responses(
        (status = 200, description = "The page.", body = String,
            content_type = "text/html; charset=utf-8"),
        (status = 304,
            description = "The client's copy is current: `If-None-Match` has its `ETag`."),
        crate::http::problem::NotFound,
    )
)]
pub(crate) async fn problem(
    path: Result<Path<String>, PathRejection>,
    uri: OriginalUri,
    headers: HeaderMap,
) -> Result<Response<Body>, Problem> {
    // A path that is not UTF-8 matches no code.
    let code = path.ok().and_then(|Path(name)| ProblemCode::from_name(&name));
    let code = code.ok_or_else(|| Problem::not_found(uri.path()))?;
    Ok(problem_page(code).respond(&headers))
}

fn problem_page(code: ProblemCode) -> StaticResponse {
    let (name, status, title, explanation) =
        (code.name(), code.status(), code.title(), code.explanation());
    let html = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{name} – kibitzer</title>\n\
         <h1>{title}</h1>\n<p>{}</p>\n<p>Code <code>{name}</code>, status {status}. \
         <a href=\"/docs\">All routes and their problems</a></p>\n</html>\n",
        render_code_spans(explanation),
    );
    StaticResponse::page(html, PROBLEM_POLICY)
}

/// Escapes a text as HTML, with text between backticks as `<code>`.
fn render_code_spans(text: &str) -> String {
    let mut html = String::new();
    for (index, part) in text.split('`').enumerate() {
        let part = part.replace('&', "&amp;").replace('<', "&lt;");
        html.push_str(&if index % 2 == 1 { format!("<code>{part}</code>") } else { part });
    }
    html
}
