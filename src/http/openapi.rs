//! The OpenAPI contract, generated from the code.

mod caching;
mod examples;
mod lines;

use utoipa::openapi::path::Operation;
use utoipa::openapi::security::{
    ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme,
};
use utoipa::openapi::{OpenApi as Document, Ref, RefOr};
use utoipa::{Modify, OpenApi};

use crate::http::access::is_open_path;
use crate::http::controllers::{
    analysis, batch, best_move, chess_api, cloud_eval, docs, evaluate, explore, games, judgement,
    legal_moves, limits, live, mcp, perft, picture, play, position, server, standard,
    stockfish_online, tablebase,
};
use crate::http::dto::{
    DrawReasonName, JudgementName, OpeningDto, ScoreRequest, TablebaseCategory, TablebaseEntry,
    TablebaseSet,
};
use crate::http::problem::{
    Internal, InvalidFen, InvalidMember, ProblemCode, ProblemDocument, problem_response,
};
use crate::http::schema::ColorName;
use caching::CachedResponses;
use examples::Examples;
use lines::LineSchemas;

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
        (name = "assistants", description = "Tools for language models, over the Model Context \
            Protocol."),
        (name = "compat", description = "Searches in the formats of other services, for their \
            clients. `compat.enabled` turns these routes off. docs/migrate.md describes them."),
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
        judgement::judgement,
        tablebase::look_up,
        tablebase::show_tablebase,
        standard::standard,
        standard::standard_mainline,
        picture::board_svg,
        picture::board_png,
        live::live,
        mcp::mcp,
        chess_api::chess_api,
        chess_api::chess_api_socket,
        stockfish_online::stockfish_online,
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
            InvalidFen,
            ColorName,
            DrawReasonName,
            play::CastleType,
            play::PieceKind,
            JudgementName,
            ScoreRequest,
            batch::BatchRequest,
            limits::ClusterCapacity,
            limits::RateLimitStatus,
            explore::ExploreRequest,
            explore::CachedEvaluation,
            cloud_eval::CloudEvalRequest,
            OpeningDto,
            TablebaseCategory,
            TablebaseEntry,
            TablebaseSet,
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
    modifiers(&LineSchemas, &CachedResponses, &AuthResponses, &Examples)
)]
struct Contract;

/// The OpenAPI document.
pub fn contract() -> Document {
    Contract::openapi()
}

/// The OpenAPI document of a server that refuses requests without a key or ticket.
pub(crate) fn contract_with_required_keys() -> Document {
    let mut contract = contract();
    if let Some(requirements) = contract.security.as_mut() {
        requirements.retain(|requirement| *requirement != SecurityRequirement::default());
    }
    contract
}

/// Adds the security schemes, and the responses of authentication and rate limiting to all
/// protected routes.
///
/// The requirements are those of the whole document, and the other routes exclude themselves. A
/// client in Python by openapi-python-client needs a key for an operation with requirements of its
/// own, even if one of them is empty.
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
        contract.security = Some(security_requirements());
        for (path, item) in &mut contract.paths.paths {
            let operations = [&mut item.get, &mut item.post, &mut item.delete];
            for operation in operations.into_iter().flatten() {
                if is_open_path(path) {
                    operation.security = Some(Vec::new());
                } else {
                    add_auth_responses(operation);
                }
            }
        }
    }
}

fn add_auth_responses(operation: &mut Operation) {
    for code in AuthResponses::CODES {
        let response = Ref::from_response_name(code.name()).into();
        operation.responses.responses.insert(code.status().as_str().to_owned(), response);
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

    use serde_json::{Value, json};

    use super::{contract, contract_with_required_keys};
    use crate::http::json::MEMBER_ROUTES;

    fn schema(name: &str) -> Value {
        let contract = serde_json::to_value(contract()).unwrap();
        contract["components"]["schemas"][name].clone()
    }

    #[test]
    fn the_security_schemes_apply_to_protected_operations_only() {
        let contract = serde_json::to_value(contract()).unwrap();
        let names = ["bearer", "ticket", "x-api-key"];
        let schemes = contract["components"]["securitySchemes"].as_object().unwrap();
        assert!(names.iter().all(|name| schemes.contains_key(*name)), "{schemes:?}");
        let expected = json!([{ "bearer": [] }, { "x-api-key": [] }, { "ticket": [] }, {}]);
        assert_eq!(contract["security"], expected);
        assert_eq!(contract["paths"]["/v1/best-move"]["post"]["security"], Value::Null);
        assert_eq!(contract["paths"]["/livez"]["get"]["security"], json!([]));
    }

    #[test]
    fn generated_clients_may_omit_a_member_that_has_a_default() {
        let request = schema("AnalysisRequest");
        assert_eq!(request["required"], Value::Null);
        let multipv = &request["properties"]["multipv"];
        assert_eq!(multipv["default"], Value::Null, "generators make such a member required");
        let description = multipv["description"].as_str().unwrap();
        assert!(description.ends_with("The default is `1`."), "{description}");
    }

    #[test]
    fn every_part_of_a_union_is_a_named_schema_or_a_basic_type() {
        let mut unions = Vec::new();
        collect_unions(&serde_json::to_value(contract()).unwrap()["components"], &mut unions);
        assert!(unions.len() > 10, "{unions:?}");
        for part in unions.iter().flat_map(|union| union.as_array().unwrap()) {
            let basic = ["null", "integer", "boolean"].map(Value::from);
            assert!(part["$ref"].is_string() || basic.contains(&part["type"]), "{part}");
        }
    }

    fn collect_unions(value: &Value, unions: &mut Vec<Value>) {
        match value {
            Value::Object(members) => {
                unions.extend(members.get("oneOf").cloned());
                members.values().for_each(|member| collect_unions(member, unions));
            }
            Value::Array(items) => items.iter().for_each(|item| collect_unions(item, unions)),
            _ => {}
        }
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
                let schema = &content["schema"];
                let reference = schema["$ref"].as_str().or(schema["items"]["$ref"].as_str());
                let Some(reference) = reference else { continue };
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
    fn the_page_of_the_contract_sends_requests_to_its_own_server() {
        assert_eq!(serde_json::to_value(contract()).unwrap()["servers"], Value::Null);
    }

    #[test]
    fn with_required_keys_no_protected_operation_is_open() {
        let contract = serde_json::to_value(contract_with_required_keys()).unwrap();
        let schemes = json!([{ "bearer": [] }, { "x-api-key": [] }, { "ticket": [] }]);
        assert_eq!(contract["security"], schemes);
        for (path, own_requirements) in [
            ("/v1/engine", Value::Null),
            ("/api/cloud-eval", Value::Null),
            ("/metrics", Value::Null),
            ("/livez", json!([])),
        ] {
            assert_eq!(contract["paths"][path]["get"]["security"], own_requirements, "{path}");
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
