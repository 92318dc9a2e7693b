//! The lines of streams, told apart by their member `type`.

use utoipa::Modify;
use utoipa::openapi::schema::Schema;
use utoipa::openapi::{OpenApi, RefOr};

/// The schema of a line.
const LINE: &str = "StreamLine";

/// Describes the member `type` of every kind of line.
pub(crate) struct LineTypes;

impl Modify for LineTypes {
    fn modify(&self, contract: &mut OpenApi) {
        let Some(RefOr::T(Schema::OneOf(line))) =
            contract.components.as_mut().and_then(|components| components.schemas.get_mut(LINE))
        else {
            return;
        };
        for kind in &mut line.items {
            let RefOr::T(Schema::AllOf(kind)) = kind else { continue };
            for part in &mut kind.items {
                if let RefOr::T(Schema::Object(tag)) = part
                    && let Some(RefOr::T(Schema::Object(name))) = tag.properties.get_mut("type")
                {
                    name.description = Some("What kind of line it is.".to_owned());
                }
            }
        }
    }
}
