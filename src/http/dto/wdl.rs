//! The chances of win, draw and loss, as every answer that has them writes them.

use std::borrow::Cow;

use serde::Serialize;
use utoipa::openapi::schema::Schema;
use utoipa::openapi::{ArrayBuilder, ObjectBuilder, RefOr, Type};
use utoipa::{PartialSchema, ToSchema};

use super::ref_or_null;
use crate::engine::Wdl;

/// Win, draw and loss of the side to move, per mille.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct WdlDto([u16; 3]);

impl PartialSchema for WdlDto {
    fn schema() -> RefOr<Schema> {
        let chance =
            ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(0)).maximum(Some(1000));
        ArrayBuilder::new()
            .items(chance)
            .min_items(Some(3))
            .max_items(Some(3))
            .description(Some(
                "How many games of a thousand the side to move wins, draws and loses with this score, fitted to games of the engine \
                 against itself. The sum is 1000. A mate is certain, and so is the result of a game that is over.",
            ))
            .into()
    }
}

impl ToSchema for WdlDto {
    fn name() -> Cow<'static, str> {
        "Wdl".into()
    }
}

impl From<Wdl> for WdlDto {
    fn from(Wdl { win, draw, loss }: Wdl) -> WdlDto {
        WdlDto([win, draw, loss])
    }
}

/// The chances of an answer that may have none.
pub(crate) fn wdl_or_null() -> Schema {
    ref_or_null::<WdlDto>("What the score means in games; null with the score.")
}
