//! Building blocks of OpenAPI schemas that several DTOs share.

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

/// Declares a string enum that is a schema of its own. A member that is an enum or null refers to
/// it: generated clients name the type after the schema, and would otherwise number it.
macro_rules! named_enum {
    ($(#[doc = $docs:literal])* $vis:vis struct $type:ident as $name:literal = $names:expr) => {
        $(#[doc = $docs])*
        $vis struct $type;

        impl utoipa::PartialSchema for $type {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
                let docs: &str = concat!($($docs),*);
                $crate::http::schema::string_enum(docs.trim(), $names).into()
            }
        }

        impl utoipa::ToSchema for $type {
            fn name() -> std::borrow::Cow<'static, str> {
                $name.into()
            }
        }
    };
}

pub(crate) use named_enum;

named_enum! {
    /// White or black.
    pub(crate) struct ColorName as "Color" = Color::ALL.map(Color::name)
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
