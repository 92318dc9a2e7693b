//! JSON out.

use std::cell::RefCell;

use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, Response};
use axum::response::IntoResponse;
use serde::Serialize;

use crate::http::problem::Problem;

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// Answers are written on paper that each thread keeps, up to so many bytes of it: so each takes
/// the memory that it has bytes, at once.
const PAPER: usize = 64 << 10;

thread_local! {
    static ON_PAPER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// An answer with status 200 whose body is `T` as JSON.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reply<T>(pub T);

impl<T: Serialize> IntoResponse for Reply<T> {
    fn into_response(self) -> Response<Body> {
        ON_PAPER.with_borrow_mut(|paper| {
            let response = match serde_json::to_writer(&mut *paper, &self.0) {
                Ok(()) => Written(paper.as_slice().into()).into_response(),
                Err(error) => Problem::internal(&error).into_response(),
            };
            paper.clear();
            paper.shrink_to(PAPER);
            response
        })
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
