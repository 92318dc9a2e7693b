//! Cross-origin requests.

use std::time::Duration;

use axum::http::Method;
use axum::http::header::{
    AUTHORIZATION, CONTENT_TYPE, ETAG, HeaderName, HeaderValue, IF_NONE_MATCH, LOCATION,
    RETRY_AFTER,
};
use tower_http::cors::{AllowOrigin, CorsLayer};

use crate::http::controllers::games::IDEMPOTENCY_KEY;
use crate::http::stream::LAST_EVENT_ID;

use super::auth_rate_limit::{RATE_LIMIT, RATE_LIMIT_POLICY};
use super::request_id::X_REQUEST_ID;
use super::server_timing::SERVER_TIMING;

const X_API_KEY: HeaderName = HeaderName::from_static("x-api-key");
const PREFLIGHT_MAX_AGE: Duration = Duration::from_secs(3_600);

/// The layer for these origins (`*` for all); `None` when there are none: CORS is off then.
pub(crate) fn cors_layer(origins: &[String]) -> Option<CorsLayer> {
    if origins.is_empty() {
        return None;
    }
    let allowed = if origins.iter().any(|origin| origin == "*") {
        AllowOrigin::any()
    } else {
        AllowOrigin::list(origins.iter().filter_map(|origin| HeaderValue::from_str(origin).ok()))
    };
    let layer = CorsLayer::new()
        .allow_origin(allowed)
        .allow_methods([Method::DELETE, Method::GET, Method::HEAD, Method::POST])
        .allow_headers([
            AUTHORIZATION,
            CONTENT_TYPE,
            IDEMPOTENCY_KEY,
            IF_NONE_MATCH,
            LAST_EVENT_ID,
            X_API_KEY,
            X_REQUEST_ID,
        ])
        .expose_headers([
            X_REQUEST_ID,
            RETRY_AFTER,
            LOCATION,
            SERVER_TIMING,
            ETAG,
            RATE_LIMIT,
            RATE_LIMIT_POLICY,
        ])
        .max_age(PREFLIGHT_MAX_AGE);
    Some(layer)
}
