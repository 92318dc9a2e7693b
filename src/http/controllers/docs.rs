//! The contract, as `GET /openapi.json` and `/openapi.yaml`, and the page to read and try it,
//! `/docs`.

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
use crate::http::problem::Problem;

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
