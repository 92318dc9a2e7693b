//! The lines of streams, told apart by their member `type`.

use utoipa::Modify;
use utoipa::openapi::schema::Schema;
use utoipa::openapi::{OpenApi, RefOr};

/// The schemas of lines.
const LINE_SCHEMAS: [&str; 2] = ["StreamLine", "JobLine"];

/// Describes the member `type` of every kind of line.
pub(crate) struct LineTypes;

impl Modify for LineTypes {
    fn modify(&self, contract: &mut OpenApi) {
        let Some(components) = contract.components.as_mut() else { return };
        for line in LINE_SCHEMAS {
            if let Some(RefOr::T(Schema::OneOf(line))) = components.schemas.get_mut(line) {
                line.items.iter_mut().for_each(describe_type_member);
            }
        }
    }
}

fn describe_type_member(kind: &mut RefOr<Schema>) {
    let RefOr::T(Schema::AllOf(kind)) = kind else { return };
    for part in &mut kind.items {
        if let RefOr::T(Schema::Object(tag)) = part
            && let Some(RefOr::T(Schema::Object(name))) = tag.properties.get_mut("type")
        {
            name.description = Some("What kind of line it is.".to_owned());
        }
    }
}
