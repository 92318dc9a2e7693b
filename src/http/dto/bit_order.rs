//! `bit_order`: which square is bit 0 of an answer's bitboards.

use utoipa::openapi::ObjectBuilder;

use super::string_enum;
use crate::chess::encodings::BitOrder;
use crate::http::json::{FromValue, JsonPath, JsonValue, read_enum};
use crate::http::problem::InvalidMember;

const ALL: [BitOrder; 2] = [BitOrder::A1, BitOrder::A8];

const fn name(order: BitOrder) -> &'static str {
    match order {
        BitOrder::A1 => "a1",
        BitOrder::A8 => "a8",
    }
}

impl<'a> FromValue<'a> for BitOrder {
    fn read(
        value: JsonValue<'a>,
        path: JsonPath<'_>,
        errors: &mut Vec<InvalidMember>,
    ) -> Option<BitOrder> {
        read_enum(value, path, errors, &ALL, |&order| name(order))
    }
}

/// Its schema.
pub(crate) fn schema() -> ObjectBuilder {
    let description = "Which square is bit 0 of the answer's bitboards: a1 (then h8 is bit 63), or a8 (h1 is bit 63).";
    string_enum(description, ALL.map(name)).default(Some(name(BitOrder::default()).into()))
}
