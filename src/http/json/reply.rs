//! JSON out.

use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, Response};
use axum::response::IntoResponse;
use serde::Serialize;

use crate::http::problem::Problem;

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// Room for an ordinary answer, so that it is written without being moved.
const ROOM: usize = 4 << 10;

/// An answer with status 200 whose body is `T` as JSON.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reply<T>(pub T);

impl<T: Serialize> IntoResponse for Reply<T> {
    fn into_response(self) -> Response<Body> {
        let mut body = Vec::with_capacity(ROOM);
        match serde_json::to_writer(&mut body, &self.0) {
            Ok(()) => Written(body).into_response(),
            Err(error) => Problem::internal(&error).into_response(),
        }
    }
}

/// An answer with status 200 whose body is this JSON.
#[derive(Clone, Debug)]
pub(crate) struct Written(pub(crate) Vec<u8>);

impl IntoResponse for Written {
    fn into_response(self) -> Response<Body> {
        let mut response = Response::new(Body::from(self.0));
        response.headers_mut().insert(CONTENT_TYPE, JSON);
        response
    }
}
