//! The pages of the contract: `GET /openapi.json` and `/openapi.yaml`, `/docs` to read and try it, and
//! `GET /problems/{code}` for the `type` of a problem.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Extension;
use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{OriginalUri, Path};
use axum::http::{HeaderMap, Response};
use axum::response::{IntoResponse, Redirect};
use utoipa::openapi::OpenApi;
use utoipa_swagger_ui::Config;

use crate::http::etag::StaticResponse;
use crate::http::problem::{Problem, ProblemCode};

const HTML: &str = "text/html; charset=utf-8";

/// The files of Swagger UI that its page asks for.
const ASSETS: [(&str, &str); 7] = [
    ("favicon-16x16.png", "image/png"),
    ("favicon-32x32.png", "image/png"),
    ("index.css", "text/css; charset=utf-8"),
    ("swagger-initializer.js", "text/javascript; charset=utf-8"),
    ("swagger-ui-bundle.js", "text/javascript; charset=utf-8"),
    ("swagger-ui-standalone-preset.js", "text/javascript; charset=utf-8"),
    ("swagger-ui.css", "text/css; charset=utf-8"),
];

/// The contract in both formats, the page that shows it, and the files of that page.
pub(crate) struct ContractPages {
    json: StaticResponse,
    yaml: StaticResponse,
    docs: StaticResponse,
    assets: BTreeMap<&'static str, StaticResponse>,
}

impl ContractPages {
    /// Renders the pages of a contract.
    pub(crate) fn new(contract: &OpenApi) -> ContractPages {
        let json = contract.to_pretty_json().unwrap_or_default();
        let yaml = contract.to_yaml().unwrap_or_default();
        // No validator: its badge would be fetched from a third-party server.
        let config =
            Arc::new(Config::new(["/openapi.json"]).validator_url("none").try_it_out_enabled(true));
        let file = |name: &str| {
            let served = utoipa_swagger_ui::serve(name, Arc::clone(&config));
            served.ok().flatten().map(|file| file.bytes)
        };
        let index = file("index.html").unwrap_or_default();
        let index = String::from_utf8_lossy(&index)
            .replace("<head>", "<head>\n    <base href=\"/docs/\">")
            .replace("<title>Swagger UI</title>", "<title>kibitzer</title>");
        let assets = ASSETS
            .iter()
            .filter_map(|&(name, media)| {
                Some((name, StaticResponse::new(file(name)?.into_owned(), media)))
            })
            .collect();
        ContractPages {
            json: StaticResponse::new(json, "application/json"),
            yaml: StaticResponse::new(yaml, "application/yaml"),
            docs: StaticResponse::new(index, HTML),
            assets,
        }
    }
}

/// The pages, which the router provides.
type Pages = Extension<&'static ContractPages>;

/// The contract as JSON
#[utoipa::path(
    get,
    path = "/openapi.json",
    tag = "contract",
    responses(
        (status = 200, description = "This document.", content_type = "application/json", body = serde_json::Value),
        (status = 304, description = "The client has it: `If-None-Match` names its `ETag`."),
    )
)]
pub(crate) async fn openapi_json(Extension(pages): Pages, headers: HeaderMap) -> Response<Body> {
    pages.json.respond(&headers)
}

/// The contract as YAML
#[utoipa::path(
    get,
    path = "/openapi.yaml",
    tag = "contract",
    responses(
        (status = 200, description = "This document.", content_type = "application/yaml", body = serde_json::Value),
        (status = 304, description = "The client has it: `If-None-Match` names its `ETag`."),
    )
)]
pub(crate) async fn openapi_yaml(Extension(pages): Pages, headers: HeaderMap) -> Response<Body> {
    pages.yaml.respond(&headers)
}

/// A page to read and try the contract
#[utoipa::path(
    get,
    path = "/docs",
    tag = "contract",
    responses(
        (status = 200, description = "The page.", content_type = "text/html; charset=utf-8", body = String),
        (status = 304, description = "The client has it: `If-None-Match` names its `ETag`."),
    )
)]
pub(crate) async fn docs(Extension(pages): Pages, headers: HeaderMap) -> Response<Body> {
    pages.docs.respond(&headers)
}

/// A file of that page.
pub(crate) async fn docs_asset(
    Extension(pages): Pages,
    path: Result<Path<String>, PathRejection>,
    uri: OriginalUri,
    headers: HeaderMap,
) -> Result<Response<Body>, Problem> {
    // A path that is no UTF-8 names no file.
    let asset = path.ok().and_then(|Path(name)| pages.assets.get(name.as_str()));
    let asset = asset.ok_or_else(|| Problem::not_found(uri.path()))?;
    Ok(asset.respond(&headers))
}

/// Leads to the docs.
pub(crate) async fn root() -> Response<Body> {
    Redirect::temporary("/docs").into_response()
}

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
    Ok(problem_page(code).respond(&headers))
}

fn problem_page(code: ProblemCode) -> StaticResponse {
    let (name, status, title, explanation) =
        (code.name(), code.status(), code.title(), code.explanation());
    let html = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>{name} – kibitzer</title>\n\
         <h1>{title}</h1>\n<p>{}</p>\n<p>Code <code>{name}</code>, status {status}. \
         <a href=\"/docs\">All routes and their problems</a></p>\n</html>\n",
        render_code_spans(explanation),
    );
    StaticResponse::new(html, HTML)
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
