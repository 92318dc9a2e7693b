//! JSON types that several routes share.
//!
//! This file holds texts and numbers that other DTOs contain, and the correlation id.

mod judgement;
mod moves;
mod opening;
mod picture;
mod position;
mod score;
mod search;
mod tablebase;

pub(crate) use judgement::{JudgementName, MoveJudgement};
pub(crate) use moves::{
    CastleFlagsView, Dests, MoveDto, castling_side_name, destinations, line_texts, promotion_advice,
};
pub(crate) use opening::{OpeningDto, opening_or_null};
pub(crate) use picture::PictureRequest;
pub(crate) use position::{
    DrawReasonName, PositionRequest, PositionState, ResolvedPosition, resolve_fen,
};
pub(crate) use score::{BestMove, Pov, ScoreDto, ScoreRequest, WdlDto, score_or_null, wdl_or_null};
pub(crate) use search::{
    Clamped, Clamper, SearchRequest, SearchStats, memory_verdicts, sources, stop_reasons,
};
pub(crate) use tablebase::{
    TablebaseCategory, TablebaseEntry, TablebaseSet, tablebase_entry_or_null, tablebase_set_or_null,
};

use std::time::Duration;

use serde::{Serialize, Serializer};
use utoipa::openapi::schema::{Schema, SchemaType};
use utoipa::openapi::{ObjectBuilder, Type};

use crate::chess::{InlineStr, Square};
use crate::http::json::{FromValue, JsonPath, JsonValue};
use crate::http::problem::{InvalidMember, MemberErrorCode};

/// A 64-bit number as 16 lower-case hex digits. JSON numbers are exact only up to 53 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hex(pub u64);

impl Serialize for Hex {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(str::from_utf8(&hex_digits(self.0)).unwrap_or_default())
    }
}

/// The 16 lower-case hex digits of a number, as ASCII.
pub(crate) fn hex_digits(number: u64) -> [u8; 16] {
    std::array::from_fn(|place| b"0123456789abcdef"[(number >> (60 - 4 * place) & 15) as usize])
}

/// A move in UCI or SAN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MoveText(pub InlineStr);

impl Serialize for MoveText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.as_str())
    }
}

/// A square, as `e4`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SquareName(pub Square);

impl Serialize for SquareName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let name = [b'a' + self.0.file() as u8, b'1' + self.0.rank() as u8];
        serializer.serialize_str(str::from_utf8(&name).unwrap_or_default())
    }
}

/// Whole milliseconds, the unit of members that end in `_ms`.
pub(crate) fn whole_ms(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// A count per second.
pub(crate) fn per_second(count: u64, time: Duration) -> u64 {
    let microseconds = time.as_micros().max(1);
    u64::try_from(u128::from(count) * 1_000_000 / microseconds).unwrap_or(u64::MAX)
}

/// Rounds to two decimal places. More digits would suggest a precision that the number does not
/// have.
pub(crate) fn round_to_hundredths(number: f64) -> f64 {
    (number * 100.0).round() / 100.0
}

/// The id of a request among others. The response repeats it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum CorrelationId {
    /// No id; null in responses.
    #[default]
    None,
    /// A string.
    Text(String),
    /// A whole number from 0.
    Unsigned(u64),
    /// A whole number below 0.
    Negative(i64),
    /// Any other number.
    Float(f64),
}

impl<'a> FromValue<'a> for CorrelationId {
    fn read(
        value: JsonValue<'a>,
        path: JsonPath<'_>,
        errors: &mut Vec<InvalidMember>,
    ) -> Option<CorrelationId> {
        match value {
            JsonValue::Text(text) => Some(CorrelationId::Text(text.into_owned())),
            JsonValue::Unsigned(number) => Some(CorrelationId::Unsigned(number)),
            JsonValue::Negative(number) => Some(CorrelationId::Negative(number)),
            JsonValue::Float(number) => Some(CorrelationId::Float(number)),
            other => {
                let detail = format!("{path} is {other}; it must be a string or a number");
                path.add_error(errors, MemberErrorCode::WrongType, detail);
                None
            }
        }
    }

    fn schema() -> Schema {
        ObjectBuilder::new().schema_type(SchemaType::from_iter([Type::String, Type::Number])).into()
    }
}

impl CorrelationId {
    /// The id in a request, which may have any other errors.
    pub(crate) fn extract_from(request: &[u8]) -> CorrelationId {
        let Ok(JsonValue::Object(members)) = serde_json::from_slice::<JsonValue<'_>>(request)
        else {
            return CorrelationId::None;
        };
        let id = members.into_iter().find(|(name, _)| name == "id").map(|(_, id)| id);
        id.and_then(|id| CorrelationId::read(id, JsonPath::Member("id"), &mut Vec::new()))
            .unwrap_or_default()
    }

    /// The schema of the id in a response.
    pub(crate) fn response_schema() -> Schema {
        let kinds = SchemaType::from_iter([Type::String, Type::Number, Type::Null]);
        ObjectBuilder::new()
            .schema_type(kinds)
            .description(Some("A string or a number; the response repeats it."))
            .into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_and_keys_are_serialized_as_strings() {
        assert_eq!(serde_json::to_string(&SquareName(Square::E8)).unwrap(), "\"e8\"");
        assert_eq!(serde_json::to_string(&Hex(0xff)).unwrap(), "\"00000000000000ff\"");
    }

    #[test]
    fn a_rate_over_zero_time_does_not_divide_by_zero() {
        assert_eq!(per_second(3, Duration::ZERO), 3_000_000);
        assert_eq!(per_second(500, Duration::from_millis(250)), 2_000);
    }
}
