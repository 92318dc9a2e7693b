//! Request schemas: members of nested types are flattened into the request, and unknown members are
//! excluded.

use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn, ParameterStyle};
use utoipa::openapi::schema::{AdditionalProperties, Schema};
use utoipa::openapi::{Object, OpenApi, RefOr, Required};
use utoipa::{Modify, PartialSchema, ToSchema};

use crate::http::controllers::analysis::AnalysisOptions;
use crate::http::dto::{PositionRequest, SearchRequest};

/// The field that the members of a position replace.
const POSITION: &str = "position";

/// The field that the members of an analysis replace; they include those of a search.
const ANALYSIS_OPTIONS: &str = "options";

/// The field that the members of a search replace.
const SEARCH: &str = "search";

/// The routes whose request is in the query, with the schema of its members.
const QUERY_ROUTES: [(&str, &str); 3] = [
    ("/v1/analysis", "AnalysisRequest"),
    ("/v1/explore", "ExploreRequest"),
    ("/api/cloud-eval", "CloudEvalRequest"),
];

/// A request without flattened members.
const CLOSED_REQUEST: &str = "GamesRequest";

/// The only request that requires moves.
const NEEDS_MOVES: &str = "PlayRequest";

/// The fields that are flattened, with the names and schemas of their types.
fn flattened_fields() -> [(&'static str, String, RefOr<Schema>); 3] {
    [
        (ANALYSIS_OPTIONS, AnalysisOptions::name().into(), AnalysisOptions::schema()),
        (POSITION, PositionRequest::name().into(), PositionRequest::schema()),
        (SEARCH, SearchRequest::name().into(), SearchRequest::schema()),
    ]
}

/// Flattens these fields in each request that has them, and excludes unknown members.
pub(crate) struct FlattenedRequests;

impl Modify for FlattenedRequests {
    fn modify(&self, contract: &mut OpenApi) {
        let Some(components) = contract.components.as_mut() else {
            return;
        };
        if let Some(RefOr::T(Schema::Object(request))) = components.schemas.get_mut(CLOSED_REQUEST)
        {
            request.additional_properties = Some(Box::new(AdditionalProperties::FreeForm(false)));
        }
        for (field, schema_name, members) in flattened_fields() {
            let RefOr::T(Schema::Object(members)) = members else { continue };
            components.schemas.remove(&schema_name);
            for (name, schema) in &mut components.schemas {
                // Other schemas may have an ordinary field with that name.
                if let RefOr::T(Schema::Object(request)) = schema
                    && request
                        .properties
                        .get(field)
                        .is_some_and(|property| refers_to(property, &schema_name))
                {
                    flatten(request, field, &members);
                    if name == NEEDS_MOVES {
                        request.required.push("moves".to_owned());
                    }
                }
            }
        }
    }
}

fn refers_to(property: &RefOr<Schema>, schema_name: &str) -> bool {
    let RefOr::Ref(reference) = property else { return false };
    reference.ref_location.ends_with(&format!("/{schema_name}"))
}

/// Replaces the field by the members, at the same position.
fn flatten(request: &mut Object, field: &str, members: &Object) {
    let own = std::mem::take(&mut request.properties);
    for (name, schema) in own {
        if name == field {
            request.properties.extend(members.properties.clone());
        } else {
            request.properties.insert(name, schema);
        }
    }
    request.required.retain(|name| name != field);
    request.additional_properties = Some(Box::new(AdditionalProperties::FreeForm(false)));
}

/// Adds the members of query requests as parameters of their routes.
pub(crate) struct QueryParameters;

impl Modify for QueryParameters {
    fn modify(&self, contract: &mut OpenApi) {
        let Some(components) = &contract.components else { return };
        for (path, schema) in QUERY_ROUTES {
            let Some(RefOr::T(Schema::Object(request))) = components.schemas.get(schema) else {
                continue;
            };
            let Some(operation) =
                contract.paths.paths.get_mut(path).and_then(|item| item.get.as_mut())
            else {
                continue;
            };
            let required = |name: &String| {
                if request.required.contains(name) { Required::True } else { Required::False }
            };
            let to_parameter =
                |(name, schema): (&String, &RefOr<Schema>)| parameter(name, schema, required(name));
            let members = request.properties.iter().map(to_parameter).map(RefOr::T);
            let others = operation.parameters.take().unwrap_or_default();
            operation.parameters = Some(members.chain(others).collect());
        }
    }
}

fn parameter(name: &str, schema: &RefOr<Schema>, required: Required) -> Parameter {
    let description = match schema {
        RefOr::T(Schema::Object(object)) => object.description.clone(),
        RefOr::T(Schema::Array(array)) => array.description.clone(),
        _ => None,
    };
    let parameter = ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Query)
        .required(required)
        .description(description)
        .schema(Some(schema.clone()));
    // A list is a single comma-separated value.
    match schema {
        RefOr::T(Schema::Array(_)) => {
            parameter.style(Some(ParameterStyle::Form)).explode(Some(false)).build()
        }
        _ => parameter.build(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::http::openapi::contract;

    fn schema(name: &str) -> Value {
        let contract = serde_json::to_value(contract()).unwrap();
        contract["components"]["schemas"][name].clone()
    }

    #[test]
    fn a_request_has_the_members_of_its_position_and_no_others() {
        let request = schema("LegalMovesRequest");
        let names: Vec<&String> = request["properties"].as_object().unwrap().keys().collect();
        assert_eq!(names, ["fen", "packed", "moves"]);
        assert_eq!(request["additionalProperties"], false);
    }

    #[test]
    fn a_response_field_named_position_is_not_flattened() {
        for name in ["PlacedPiece", "Queued"] {
            let answer = schema(name);
            assert_eq!(answer["properties"]["position"]["type"], "integer", "{answer}");
            assert!(
                answer["required"].as_array().unwrap().contains(&json!("position")),
                "{answer}"
            );
        }
    }
}
