//! Judgements of single moves by the rules of a review.

use serde_json::{Value, json};

use crate::support::{Server, win_chance};

crate::trials![
    a_move_is_judged_as_in_a_review,
    the_thresholds_are_those_of_a_review,
    the_best_move_loses_nothing,
    any_whole_number_is_a_score,
    every_wrong_member_is_reported,
    a_checkmate_before_the_move_is_refused,
];

const PATH: &str = "/v1/judgement";

const PGN: &str = "1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0";

fn cp(value: i64) -> Value {
    json!({ "type": "cp", "value": value })
}

fn mate(moves: i64) -> Value {
    json!({ "type": "mate", "value": moves })
}

async fn judge(server: &Server, before: Value, after: Value) -> Value {
    server.post_ok(PATH, &json!({ "before": before, "after": after })).await
}

async fn a_move_is_judged_as_in_a_review() {
    let server = Server::start().await;
    let job = server.post("/v1/games", &json!({ "pgn": PGN, "depth": 6 })).await.json();
    let review = server.wait_for_review(job["url"].as_str().unwrap()).await;
    let moves = review["games"][0]["moves"].as_array().unwrap();
    assert_eq!(moves.len(), 7);
    for mv in moves {
        let best = mv["best"] == mv["uci"];
        let request = json!({ "before": mv["before"], "after": mv["after"], "best": best });
        let answer = server.post_ok(PATH, &request).await;
        let members: Vec<_> = answer.as_object().unwrap().keys().collect();
        assert_eq!(members, ["win_chance_loss", "judgement", "accuracy"]);
        for member in members {
            assert_eq!(answer[member], mv[member], "{member} of {mv}");
        }
    }
}

async fn the_thresholds_are_those_of_a_review() {
    let server = Server::start().await;
    for (before, after, judgement) in [
        (cp(0), cp(-54), Value::Null),
        (cp(0), cp(-55), json!("inaccuracy")),
        (cp(0), cp(-111), json!("mistake")),
        (cp(0), cp(-169), json!("blunder")),
        (cp(0), cp(300), Value::Null),
        // A mate is judged by how decisive the score remains.
        (cp(0), mate(-3), json!("blunder")),
        (cp(-1_000), mate(-3), json!("inaccuracy")),
        (mate(2), cp(701), json!("mistake")),
        (mate(2), mate(-5), json!("blunder")),
        (mate(2), mate(7), Value::Null),
        (mate(-2), mate(-1), Value::Null),
        // The move gives checkmate.
        (mate(1), mate(0), Value::Null),
        (cp(0), mate(0), Value::Null),
    ] {
        let answer = judge(&server, before.clone(), after.clone()).await;
        assert_eq!(answer["judgement"], judgement, "{before} {after}");
    }
    let answer = judge(&server, cp(100), cp(-100)).await;
    let loss = win_chance(&cp(100)) - win_chance(&cp(-100));
    let found = answer["win_chance_loss"].as_f64().unwrap();
    assert!((found - loss).abs() < 0.006, "{found} {loss}");
    let accuracy = 103.166_8 * (-0.043_544 * loss).exp() - 2.166_9;
    let found = answer["accuracy"].as_f64().unwrap();
    assert!((found - accuracy).abs() < 0.006, "{found} {accuracy}");
    let gain = judge(&server, cp(-100), mate(0)).await;
    assert_eq!((&gain["win_chance_loss"], &gain["accuracy"]), (&json!(0.0), &json!(100.0)));
}

async fn the_best_move_loses_nothing() {
    let server = Server::start().await;
    let mut request = json!({ "before": cp(50), "after": cp(-300), "best": true });
    let nothing = json!({ "win_chance_loss": 0.0, "judgement": null, "accuracy": 100.0 });
    assert_eq!(server.post_ok(PATH, &request).await, nothing);
    request["best"] = false.into();
    assert_eq!(server.post_ok(PATH, &request).await["judgement"], "blunder");
}

async fn any_whole_number_is_a_score() {
    let server = Server::start().await;
    let won = judge(&server, cp(1_000), cp(0)).await;
    for huge in ["1000", "2e3", "1e300", "99999999999999999999", "2147483648"] {
        let body = format!(
            "{{\"before\": {{\"type\": \"cp\", \"value\": {huge}}}, \
             \"after\": {{\"value\": 0, \"type\": \"cp\"}}}}"
        );
        let answer = server.post_text(PATH, body).await;
        assert_eq!((answer.status, answer.json()), (200, won.clone()), "{huge}");
    }
    let lost = judge(&server, cp(0), cp(i64::MIN)).await;
    assert_eq!(lost, judge(&server, cp(0), cp(-1_000)).await);
    let body =
        format!("{{\"before\": {}, \"after\": {{\"type\": \"mate\", \"value\": -1e300}}}}", cp(0));
    assert_eq!(server.post_text(PATH, body).await.json(), judge(&server, cp(0), mate(-1)).await);
}

async fn every_wrong_member_is_reported() {
    let server = Server::start().await;
    let errors = async |body: Value| {
        let problem = server.post_expecting_problem(PATH, &body, 422, "invalid_request").await;
        let errors = problem["errors"].as_array().unwrap().iter();
        let error = |error: &Value| {
            let text = |member: &str| error[member].as_str().unwrap().to_owned();
            (text("code"), text("pointer"), text("detail"))
        };
        errors.map(error).collect::<Vec<_>>()
    };
    let expect = |code: &str, pointer: &str, detail: &str| {
        (code.to_owned(), pointer.to_owned(), detail.to_owned())
    };
    assert_eq!(
        errors(json!({})).await,
        [
            expect("missing", "/before", "before is missing"),
            expect("missing", "/after", "after is missing"),
        ]
    );
    assert_eq!(
        errors(json!({ "before": {}, "after": 34, "best": "yes" })).await,
        [
            expect("missing", "/before/type", "before.type is missing"),
            expect("missing", "/before/value", "before.value is missing"),
            expect("wrong_type", "/after", "after is 34; it must be an object"),
            expect("wrong_type", "/best", "best is \"yes\"; it must be true or false"),
        ]
    );
    let body = json!({
        "before": { "type": "CP", "value": 1.5, "depth": 3 },
        "after": { "type": "mate", "value": null, "values": 3 },
    });
    assert_eq!(
        errors(body).await,
        [
            expect(
                "unknown_value",
                "/before/type",
                "before.type is \"CP\"; it must be one of cp, mate; did you mean \"cp\"?"
            ),
            expect("wrong_type", "/before/value", "before.value is 1.5; it must be a whole number"),
            expect(
                "unknown_member",
                "/before/depth",
                "\"depth\" is not a known member of before; allowed are type, value"
            ),
            expect("wrong_type", "/after/value", "after.value is null; it must be a whole number"),
            expect(
                "unknown_member",
                "/after/values",
                "\"values\" is not a known member of after; did you mean \"value\"?"
            ),
        ]
    );
    let twice = r#"{"before": {"type": "cp", "value": 1, "value": 2},
        "after": {"type": "cp", "value": 1}}"#;
    let problem = server.post_text(PATH, twice).await.expect_problem(422, "invalid_request");
    assert_eq!(problem["errors"][0]["pointer"], "/before/value");
    assert_eq!(problem["errors"][0]["code"], "conflict");
    let in_query = format!("{PATH}?best=true");
    server.post(&in_query, &json!({})).await.expect_problem(422, "invalid_request");
}

async fn a_checkmate_before_the_move_is_refused() {
    let server = Server::start().await;
    let body = json!({ "before": mate(0), "after": cp(0) });
    let problem = server.post_expecting_problem(PATH, &body, 422, "invalid_request").await;
    assert_eq!(
        problem["errors"],
        json!([{
            "code": "out_of_range",
            "pointer": "/before/value",
            "detail": "before.value is 0, a checkmate before the move; a mate must be at least 1 \
                or at most -1",
        }])
    );
}
