//! The responses of the GET forms that may be cached: their headers, and status 304.

use utoipa::Modify;
use utoipa::openapi::header::HeaderBuilder;
use utoipa::openapi::path::Operation;
use utoipa::openapi::{Header, ObjectBuilder, OpenApi, RefOr, ResponseBuilder, Type};

/// The routes whose GET form may be cached, each with its `Cache-Control`.
const CACHED_ROUTES: [(&str, &str); 8] = [
    ("/v1/legal-moves", "public"),
    ("/v1/position", "public"),
    ("/v1/evaluate", "public, no-cache"),
    ("/v1/tablebase", "public, no-cache"),
    ("/standard", "public, no-cache"),
    ("/standard/mainline", "public, no-cache"),
    ("/board.svg", "public"),
    ("/board.png", "public"),
];

/// Adds the headers and the status of cached responses to the contract.
pub(crate) struct CachedResponses;

impl Modify for CachedResponses {
    fn modify(&self, contract: &mut OpenApi) {
        for (path, cache_control) in CACHED_ROUTES {
            if let Some(item) = contract.paths.paths.get_mut(path)
                && let Some(operation) = &mut item.get
            {
                add_caching(operation, cache_control);
            }
        }
    }
}

fn add_caching(operation: &mut Operation, cache_control: &str) {
    let responses = &mut operation.responses.responses;
    if let Some(RefOr::T(answer)) = responses.get_mut("200") {
        let cache_control = format!(
            "`{cache_control}`. `private` takes the place of `public` for a request with a key or \
             ticket."
        );
        answer.headers.insert("ETag".to_owned(), RefOr::T(text("The tag of the answer.")));
        answer.headers.insert("Cache-Control".to_owned(), RefOr::T(text(&cache_control)));
    }
    let not_modified = ResponseBuilder::new()
        .description("The client has the current answer: `If-None-Match` holds its `ETag`.")
        .build();
    responses.insert("304".to_owned(), RefOr::T(not_modified));
}

fn text(description: &str) -> Header {
    HeaderBuilder::new()
        .description(Some(description))
        .schema(Some(ObjectBuilder::new().schema_type(Type::String)))
        .build()
}
