//! JSON requests and responses. One pass over the body yields typed members, and all errors of a
//! request are reported at once.

mod extract;
mod from_value;
mod lenient;
mod members;
mod suggestions;
mod syntax_error;
mod value;

pub(crate) use extract::{
    BodyLimits, Json, JsonLimits, MembersInBody, NoParameters, Query, check_encoding,
    content_length, content_type, is_media_type, is_object_or_empty, is_undeclared, may_be_json,
    query_text, read, read_bytes, read_from,
};
pub(crate) use from_value::{FromValue, JsonPath, Named, NumberIn};
pub(crate) use lenient::{LenientNumber, OrNull};
pub(crate) use members::{
    DescribeMembers, FromMembers, Members, describe_member, describe_type, query_parameters,
    read_object, request, request_schema,
};
#[cfg(test)]
pub(crate) use suggestions::MEMBER_ROUTES;
pub(crate) use suggestions::similar_path;
pub(crate) use syntax_error::TextSource;
pub(crate) use value::JsonValue;

use std::cell::RefCell;

use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, Response};
use axum::response::IntoResponse;
use serde::Serialize;

use crate::http::problem::Problem;

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// Maximum capacity, in bytes, of the buffer that each thread keeps for serialization. The response
/// copies the bytes, so it allocates exactly what it needs, once.
const BUFFER_CAPACITY: usize = 64 << 10;

thread_local! {
    static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// A response with status 200 whose body is `T` as JSON.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reply<T>(pub T);

impl<T: Serialize> IntoResponse for Reply<T> {
    fn into_response(self) -> Response<Body> {
        BUFFER.with_borrow_mut(|buffer| {
            let response = match serde_json::to_writer(&mut *buffer, &self.0) {
                Ok(()) => JsonBytes(buffer.as_slice().into()).into_response(),
                Err(error) => Problem::internal(&error).into_response(),
            };
            buffer.clear();
            buffer.shrink_to(BUFFER_CAPACITY);
            response
        })
    }
}

/// A response with status 200 whose body is this JSON.
#[derive(Clone, Debug)]
pub(crate) struct JsonBytes(pub(crate) Vec<u8>);

impl JsonBytes {
    /// Serializes a value.
    ///
    /// # Errors
    /// Fails with `internal` if the value can't be serialized.
    pub(crate) fn serialize(value: &impl Serialize) -> Result<JsonBytes, Problem> {
        serde_json::to_vec(value).map(JsonBytes).map_err(|error| Problem::internal(&error))
    }
}

impl IntoResponse for JsonBytes {
    fn into_response(self) -> Response<Body> {
        let mut response = Response::new(Body::from(self.0));
        response.headers_mut().insert(CONTENT_TYPE, JSON);
        response
    }
}
