//! The OpenAPI contract, generated from the code.

mod caching;
mod examples;

use utoipa::openapi::path::Operation;
use utoipa::openapi::schema::Schema;
use utoipa::openapi::security::{
    ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme,
};
use utoipa::openapi::{OpenApi as Document, Ref, RefOr};
use utoipa::{Modify, OpenApi};

use crate::http::access::is_open_path;
use crate::http::controllers::{
    analysis, batch, best_move, cloud_eval, docs, evaluate, explore, games, legal_moves, limits,
    live, perft, play, position, server,
};
use crate::http::problem::{
    Internal, InvalidMember, ProblemCode, ProblemDocument, problem_response,
};
use caching::CachedResponses;
use examples::Examples;

#[derive(OpenApi)]
#[openapi(
    info(
        title = "kibitzer",
        description = include_str!("openapi/description.md"),
        license(name = "GPL-3.0-or-later", identifier = "GPL-3.0-or-later"),
    ),
    tags(
        (name = "positions", description = "Positions and moves: the rules of chess, without a \
            search."),
        (name = "analysis", description = "Searches and the static evaluation."),
        (name = "games", description = "Game reviews, move by move. Jobs survive a restart if \
            `store.path` is set."),
        (name = "server", description = "The server: its engine, limits, health and metrics."),
        (name = "contract", description = "This document and its pages."),
    ),
    paths(
        legal_moves::legal_moves,
        legal_moves::show_legal_moves,
        position::position,
        position::show_position,
        play::play,
        perft::perft,
        evaluate::evaluate,
        evaluate::show_evaluation,
        best_move::best_move,
        best_move::show_best_move,
        analysis::analyse,
        batch::batch,
        explore::explore,
        cloud_eval::cloud_eval,
        analysis::follow_analysis,
        games::submit_games,
        games::game_review,
        games::delete_games,
        games::game_events,
        games::annotated_games,
        live::live,
        limits::limits,
        server::tickets,
        server::engine,
        server::livez,
        server::readyz,
        server::metrics,
        docs::docs,
        docs::openapi_json,
        docs::openapi_yaml,
        docs::problem,
    ),
    components(
        schemas(
            ProblemDocument,
            InvalidMember,
            limits::RateLimitStatus,
            explore::ExploreRequest,
            explore::CachedEvaluation,
            cloud_eval::CloudEvalRequest,
            games::OpeningDto,
            live::SetPosition,
            live::Go,
            live::Stop,
            live::Deeper,
            live::MultiPv,
            live::LiveLine,
            live::Ready,
        ),
        responses(Internal),
    ),
    modifiers(&LineTypes, &CachedResponses, &AuthResponses, &Examples)
)]
struct Contract;

/// The OpenAPI document.
pub fn contract() -> Document {
    Contract::openapi()
}

/// The OpenAPI document of a server that refuses requests without a key or ticket.
pub(crate) fn contract_with_required_keys() -> Document {
    let mut contract = contract();
    for operation in protected_operations(&mut contract) {
        if let Some(requirements) = operation.security.as_mut() {
            requirements.retain(|requirement| *requirement != SecurityRequirement::default());
        }
    }
    contract
}

/// The operations of the paths that need a key where the server requires one.
fn protected_operations(contract: &mut Document) -> impl Iterator<Item = &mut Operation> {
    let is_protected = |(path, _): &(&String, _)| !is_open_path(path);
    let items = contract.paths.paths.iter_mut().filter(is_protected);
    items.flat_map(|(_, item)| [&mut item.get, &mut item.post, &mut item.delete]).flatten()
}

/// The schemas of stream lines.
const LINE_SCHEMAS: [&str; 2] = ["StreamLine", "JobLine"];

/// Adds a description to the member `type` of every kind of line.
pub(crate) struct LineTypes;

impl Modify for LineTypes {
    fn modify(&self, contract: &mut Document) {
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
            name.description = Some("The kind of line.".to_owned());
        }
    }
}

/// Adds the responses of authentication and rate limiting, and the security schemes, to all
/// protected routes.
struct AuthResponses;

impl AuthResponses {
    const CODES: [ProblemCode; 2] = [ProblemCode::Unauthorized, ProblemCode::RateLimited];
}

impl Modify for AuthResponses {
    fn modify(&self, contract: &mut Document) {
        let Some(components) = contract.components.as_mut() else { return };
        for code in AuthResponses::CODES {
            components
                .responses
                .insert(code.name().to_owned(), RefOr::T(problem_response(&[code])));
        }
        for (name, scheme) in security_schemes() {
            components.security_schemes.insert(name.to_owned(), RefOr::T(scheme));
        }
        for operation in protected_operations(contract) {
            for code in AuthResponses::CODES {
                let response = Ref::from_response_name(code.name()).into();
                operation.responses.responses.insert(code.status().as_str().to_owned(), response);
            }
            operation.security = Some(security_requirements());
        }
    }
}

/// The ways in which a client can authenticate, with their names.
fn security_schemes() -> [(&'static str, SecurityScheme); 3] {
    let bearer = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .description(Some("An API key in the header `Authorization`."))
        .build();
    let header = ApiKeyValue::with_description("x-api-key", "An API key in a header of its own.");
    let ticket = ApiKeyValue::with_description(
        "ticket",
        "A ticket from `POST /v1/tickets`, for clients that can't send an API key. It works once.",
    );
    [
        ("bearer", SecurityScheme::Http(bearer)),
        ("x-api-key", SecurityScheme::ApiKey(ApiKey::Header(header))),
        ("ticket", SecurityScheme::ApiKey(ApiKey::Query(ticket))),
    ]
}

/// Each of the schemes, or none: by default, requests without a key are accepted.
fn security_requirements() -> Vec<SecurityRequirement> {
    let scheme = |(name, _)| SecurityRequirement::new::<_, [&str; 0], &str>(name, []);
    let none = SecurityRequirement::default();
    security_schemes().map(scheme).into_iter().chain([none]).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::{contract, contract_with_required_keys};
    use crate::http::json::MEMBER_ROUTES;

    fn schema(name: &str) -> Value {
        let contract = serde_json::to_value(contract()).unwrap();
        contract["components"]["schemas"][name].clone()
    }

    #[test]
    fn protected_operations_name_the_security_schemes() {
        let contract = serde_json::to_value(contract()).unwrap();
        let names = ["bearer", "ticket", "x-api-key"];
        let schemes = contract["components"]["securitySchemes"].as_object().unwrap();
        assert!(names.iter().all(|name| schemes.contains_key(*name)), "{schemes:?}");
        let security = &contract["paths"]["/v1/best-move"]["post"]["security"];
        let expected =
            serde_json::json!([{ "bearer": [] }, { "x-api-key": [] }, { "ticket": [] }, {}]);
        assert_eq!(security, &expected);
        assert_eq!(contract["paths"]["/livez"]["get"]["security"], Value::Null);
    }

    /// The members that the operations of a route take, in the query or in a JSON body.
    fn members_of(contract: &Value, path: &str) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        for operation in contract["paths"][path].as_object().unwrap().values() {
            let parameters = operation["parameters"].as_array().into_iter().flatten();
            let in_query = parameters.filter(|parameter| parameter["in"] == "query");
            names.extend(in_query.map(|parameter| parameter["name"].as_str().unwrap().to_owned()));
            let contents = operation["requestBody"]["content"].as_object().into_iter().flatten();
            for (_, content) in contents {
                let Some(reference) = content["schema"]["$ref"].as_str() else { continue };
                let schema = contract.pointer(reference.trim_start_matches('#')).unwrap();
                names.extend(
                    schema["properties"]
                        .as_object()
                        .into_iter()
                        .flatten()
                        .map(|(name, _)| name.clone()),
                );
            }
        }
        names.remove("ticket");
        names
    }

    #[test]
    fn the_routes_of_members_match_the_contract() {
        let contract = serde_json::to_value(contract()).unwrap();
        for (name, route) in MEMBER_ROUTES {
            assert!(members_of(&contract, route).contains(name), "{route} has no {name}");
        }
        for path in contract["paths"].as_object().unwrap().keys() {
            for name in members_of(&contract, path) {
                assert!(MEMBER_ROUTES.iter().any(|(known, _)| *known == name), "{name} of {path}");
            }
        }
    }

    #[test]
    fn with_required_keys_no_protected_operation_is_open() {
        let contract = serde_json::to_value(contract_with_required_keys()).unwrap();
        for (path, is_protected) in
            [("/v1/engine", true), ("/api/cloud-eval", true), ("/metrics", true), ("/livez", false)]
        {
            let schemes =
                serde_json::json!([{ "bearer": [] }, { "x-api-key": [] }, { "ticket": [] }]);
            let expected = if is_protected { schemes } else { Value::Null };
            assert_eq!(contract["paths"][path]["get"]["security"], expected, "{path}");
        }
    }

    #[test]
    fn a_request_has_the_members_of_its_position_and_no_others() {
        let request = schema("LegalMovesRequest");
        let names: Vec<&String> = request["properties"].as_object().unwrap().keys().collect();
        assert_eq!(names, ["fen", "packed", "moves"]);
        assert_eq!(request["additionalProperties"], false);
    }
}
