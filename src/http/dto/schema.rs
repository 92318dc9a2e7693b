//! Pieces of schemas that say the same in many places.

use utoipa::openapi::extensions::ExtensionsBuilder;
use utoipa::openapi::{Object, ObjectBuilder, Type};

/// The mark of a field whose value depends on the clock or the machine, not on the request alone.
pub(crate) const VARIES: &str = "x-varies";

/// A text that is one of a closed list.
pub(crate) fn names_of(names: impl IntoIterator<Item = &'static str>) -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String).enum_values(Some(names))
}

/// A whole number from 0 that depends on the clock or the machine.
pub(crate) fn varying() -> Object {
    ObjectBuilder::new()
        .schema_type(Type::Integer)
        .minimum(Some(0))
        .extensions(Some(ExtensionsBuilder::new().add(VARIES, true).build()))
        .build()
}
