//! Requests about a position: its members lie flat beside the request's own, and no others may.

use std::borrow::Cow;

use utoipa::openapi::schema::{AdditionalProperties, ArrayBuilder, Schema};
use utoipa::openapi::{Object, ObjectBuilder, OpenApi, RefOr, Type};
use utoipa::{Modify, PartialSchema, ToSchema};

use crate::http::dto::PositionRequest;

/// The field that the position's members take the place of.
const POSITION: &str = "position";

/// The schema of those members by themselves.
const MEMBERS: &str = "PositionMembers";

/// The one request that can't do without moves.
const NEEDS_MOVES: &str = "PlayRequest";

impl PartialSchema for PositionRequest {
    fn schema() -> RefOr<Schema> {
        let text = |description: &str| ObjectBuilder::new().schema_type(Type::String).description(Some(description));
        let moves = ArrayBuilder::new()
            .items(ObjectBuilder::new().schema_type(Type::String))
            .description(Some(
                "Moves in UCI or SAN, played from there; at most `moves` of `GET /v1/limits`. They count for repetition and clocks.",
            ));
        let object = ObjectBuilder::new()
            .property(
                "fen",
                text("A FEN (X-FEN or Shredder-FEN, four to six fields), or `startpos`. Exactly one of `fen` and `packed` is needed."),
            )
            .property("packed", text("The packed form: base64url without padding. Exactly one of `fen` and `packed` is needed."))
            .property("moves", moves)
            .build();
        RefOr::T(Schema::Object(object))
    }
}

impl ToSchema for PositionRequest {
    fn name() -> Cow<'static, str> {
        MEMBERS.into()
    }
}

/// Puts the position's members into each request that has a position, and closes it to others.
pub(crate) struct FlatRequests;

impl Modify for FlatRequests {
    fn modify(&self, contract: &mut OpenApi) {
        let Some(components) = contract.components.as_mut() else {
            return;
        };
        let RefOr::T(Schema::Object(position)) = PositionRequest::schema() else {
            return;
        };
        components.schemas.remove(MEMBERS);
        for (name, schema) in &mut components.schemas {
            if let RefOr::T(Schema::Object(request)) = schema
                && request.properties.shift_remove(POSITION).is_some()
            {
                flatten(request, &position);
                if name == NEEDS_MOVES {
                    request.required.push("moves".to_owned());
                }
            }
        }
    }
}

fn flatten(request: &mut Object, position: &Object) {
    let own = std::mem::take(&mut request.properties);
    request.properties = position.properties.clone();
    request.properties.extend(own);
    request.required.retain(|name| name != POSITION);
    request.additional_properties = Some(Box::new(AdditionalProperties::FreeForm(false)));
}
