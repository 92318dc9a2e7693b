//! JSON in and out: one pass over the body into typed members, with every fault of a request
//! reported at once.

mod body;
mod extract;
mod members;
mod query;
mod reply;
mod value;

pub(crate) use body::{BodyLimits, check_encoding, is_json_media_type, read_bytes};
pub(crate) use extract::{Json, read};
pub(crate) use members::{FromMembers, FromValue, JsonPath, Members, read_enum};
pub(crate) use query::Query;
pub(crate) use reply::{JsonBytes, Reply};
pub(crate) use value::JsonValue;
