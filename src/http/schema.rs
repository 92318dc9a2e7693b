//! Building blocks of OpenAPI schemas that several DTOs share.

use serde_json::Value;
use utoipa::ToSchema;
use utoipa::openapi::extensions::ExtensionsBuilder;
use utoipa::openapi::schema::SchemaType;
use utoipa::openapi::{ArrayBuilder, ObjectBuilder, OneOfBuilder, Ref, Schema, Type};

use crate::chess::{Color, Role};

/// The extension that marks a field whose value depends on the clock or the machine.
pub(crate) const VARIES: &str = "x-varies";

/// A string enum.
///
/// `schema_with` replaces the docstring of a field, so each such function sets its own description.
pub(crate) fn string_enum(
    description: &str,
    names: impl IntoIterator<Item = &'static str>,
) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .enum_values(Some(names))
        .description(Some(description))
}

/// A string enum that can be null.
pub(crate) fn nullable_string_enum(
    description: &str,
    names: impl IntoIterator<Item = &'static str>,
) -> ObjectBuilder {
    let values: Vec<Value> = names.into_iter().map(Value::from).chain([Value::Null]).collect();
    let either = SchemaType::from_iter([Type::String, Type::Null]);
    ObjectBuilder::new()
        .schema_type(either)
        .enum_values(Some(values))
        .description(Some(description))
}

/// A reference to a schema of the contract, or null.
pub(crate) fn ref_or_null<T: ToSchema>(description: &str) -> Schema {
    let null = ObjectBuilder::new().schema_type(Type::Null);
    OneOfBuilder::new()
        .item(null)
        .item(Ref::from_schema_name(T::name()))
        .description(Some(description))
        .build()
        .into()
}

/// A non-negative integer that depends on the clock or the machine.
pub(crate) fn varying(description: &str) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::Integer)
        .minimum(Some(0))
        .description(Some(description))
        .extensions(Some(ExtensionsBuilder::new().add(VARIES, true).build()))
}

/// A string that depends on the machine.
pub(crate) fn varying_text(description: &str) -> ObjectBuilder {
    varying(description).schema_type(Type::String).minimum(None::<u64>).min_length(Some(1))
}

/// The side to move.
pub(crate) fn side_to_move() -> ObjectBuilder {
    string_enum("The side to move.", Color::ALL.map(Color::name))
}

/// The color of a piece.
pub(crate) fn owner() -> ObjectBuilder {
    string_enum("The color of the piece.", Color::ALL.map(Color::name))
}

/// The type of a piece.
pub(crate) fn role() -> ObjectBuilder {
    string_enum("The type of the piece.", Role::ALL.map(Role::name))
}

/// A move as a reversible change of the view `list`.
pub(crate) fn undoable_move() -> ArrayBuilder {
    let entry =
        ObjectBuilder::new().schema_type(SchemaType::from_iter([Type::Integer, Type::Null]));
    ArrayBuilder::new().items(entry).min_items(Some(8)).max_items(Some(13)).description(Some(
        "The move as a reversible change of the view `list`: origin, origin_state, destination, \
            destination_state, castle_before, castle_after, en_passant_before, en_passant_after; \
            then, for castling, rook_origin, rook_state, rook_destination, 0; for en passant, \
            captured_square, captured_state, null, null; for promotion, four nulls and the state \
            of the new piece.",
    ))
}
