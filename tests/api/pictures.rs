//! Pictures of boards: `/board.svg`, `/board.png`, and the picture beside a link to the board.

use kibitzer::config::Settings;
use reqwest::Method;
use serde_json::json;

use crate::support::rss::status_kib;
use crate::support::server::api_key;
use crate::support::server_process::ServerProcess;
use crate::support::{Client, Server, TestResponse};

crate::trials![
    the_example_of_web_boardimage_is_drawn,
    every_documented_parameter_is_taken,
    a_board_alone_is_a_position,
    moves_mark_the_last_one_and_a_check,
    a_known_picture_is_confirmed_by_its_etag,
    the_picture_for_a_request_with_a_key_is_private,
    a_server_that_requires_keys_draws_for_no_one_else,
    a_wrong_parameter_is_named,
    a_wrong_position_is_refused,
    an_unknown_parameter_suggests_a_name,
    pictures_wait_for_each_other,
    two_hundred_large_pictures_at_once_take_little_memory,
    the_page_has_a_picture_of_its_position,
    the_picture_of_a_wrong_position_is_the_start_position,
    the_address_of_the_picture_is_absolute,
];

/// The link of web-boardimage's README.
const README_QUERY: &str = "fen=5r1k/1b4pp/3pB1N1/p2Pq2Q/PpP5/6PK/8/8&lastMove=f4g6&check=h8&\
    arrows=Ge6g8,Bh7&squares=a3,c3";

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

async fn get_with(server: &Server, path: &str, header: &'static str, value: &str) -> TestResponse {
    server.send(server.request(Method::GET, path).header(header, value)).await
}

/// The bytes of a PNG; width and height are in its first chunk.
async fn png(server: &Server, query: &str) -> Vec<u8> {
    let request = server.request(Method::GET, &format!("/board.png?{query}"));
    let response = server.client.open_stream(request).await;
    assert_eq!(response.status(), 200, "{query}");
    assert_eq!(response.headers()["content-type"], "image/png");
    let bytes = response.bytes().await.unwrap().to_vec();
    assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n"), "{query}");
    bytes
}

fn width_and_height(png: &[u8]) -> [u32; 2] {
    [16, 20].map(|start| u32::from_be_bytes(png[start..start + 4].try_into().unwrap()))
}

async fn svg(server: &Server, query: &str) -> String {
    let answer = server.get(&format!("/board.svg?{query}")).await;
    assert_eq!((answer.status, answer.header("content-type")), (200, "image/svg+xml"), "{query}");
    answer.body
}

async fn the_example_of_web_boardimage_is_drawn() {
    let server = Server::start().await;
    let svg = svg(&server, README_QUERY).await;
    assert!(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""), "{svg}");
    assert!(svg.contains("width=\"360\" height=\"360\""), "{svg}");
    assert!(svg.contains("url(#check)") && svg.contains("<circle cx="), "{svg}");
    assert_eq!(svg.matches("#cross").count(), 2);
    assert_eq!(svg.matches("<use xlink:href=\"#wP\"").count(), 4);
    // The colours of the squares of the last move, of the arrow and of the circle.
    for color in ["#ced26b", "#aaa23b", "#15781b", "#003088"] {
        assert!(svg.contains(color), "{color}");
    }
    assert_eq!(width_and_height(&png(&server, README_QUERY).await), [360, 360]);
}

async fn every_documented_parameter_is_taken() {
    let server = Server::start().await;
    let plain = svg(&server, &format!("fen={START}")).await;
    for parameter in [
        "orientation=black",
        "size=1024",
        "lastMove=e2e4",
        "lastMove=a7a8q",
        "check=e1",
        "arrows=e2e4",
        "arrows=Rd2d4,Yb1",
        "arrows=Rd2d4&arrows=Yb1",
        "squares=e4",
        "coordinates=true",
        "colors=lichess-blue",
        "colors=wikipedia",
    ] {
        assert_ne!(svg(&server, &format!("fen={START}&{parameter}")).await, plain, "{parameter}");
    }
    for default in [
        "orientation=white",
        "size=360",
        "lastMove=",
        "check=",
        "arrows=",
        "squares=",
        "coordinates=false",
        "colors=lichess-brown",
    ] {
        assert_eq!(svg(&server, &format!("fen={START}&{default}")).await, plain, "{default}");
    }
    for size in [16, 64, 1024] {
        let png = png(&server, &format!("fen={START}&size={size}")).await;
        assert_eq!(width_and_height(&png), [size, size]);
    }
}

async fn a_board_alone_is_a_position() {
    let server = Server::start().await;
    let start = svg(&server, "fen=startpos").await;
    for fen in [
        START.to_owned(),
        format!("{START}_w"),
        format!("{START}+w+KQkq+-+0+1"),
        format!("{START}%20b%20-%20-"),
    ] {
        assert_eq!(svg(&server, &format!("fen={fen}")).await, start, "{fen}");
    }
    let knight = svg(&server, "fen=8/8/8/8/4N3/8/8/8").await;
    assert!(knight.contains("<desc>Chess board: 8/8/8/8/4N3/8/8/8</desc>"), "{knight}");
    let packed = server.post_ok("/v1/position", &json!({ "fen": "startpos" })).await;
    let packed = packed["packed"].as_str().unwrap().to_owned();
    assert_eq!(svg(&server, &format!("packed={packed}")).await, start);
}

async fn moves_mark_the_last_one_and_a_check() {
    let server = Server::start().await;
    let marked = svg(&server, "fen=startpos&moves=f3,e5,g4,Qh4").await;
    let board = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR";
    let given = format!("fen={board}&lastMove=d8h4&check=e1");
    assert_eq!(marked, svg(&server, &given).await);
    let unmarked = svg(&server, "fen=startpos&moves=f3,e5,g4,Qh4&lastMove=&check=").await;
    assert_eq!(unmarked, svg(&server, &format!("fen={board}")).await);
    let castled = svg(&server, "fen=4k3/8/8/8/8/8/8/4K2R+w+K+-&moves=O-O").await;
    let given = "fen=4k3/8/8/8/8/8/8/5RK1&lastMove=e1g1";
    assert_eq!(castled, svg(&server, given).await);
}

async fn a_known_picture_is_confirmed_by_its_etag() {
    let server = Server::start().await;
    for path in ["/board.svg", "/board.png"] {
        let link = format!("{path}?{README_QUERY}");
        let answer = server.get(&link).await;
        assert_eq!(answer.header("cache-control"), "public", "{path}");
        let etag = answer.header("etag").to_owned();
        let confirmed = get_with(&server, &link, "if-none-match", &etag).await;
        assert_eq!((confirmed.status, confirmed.body.as_str()), (304, ""), "{path}");
        assert_eq!(confirmed.header("etag"), etag);
        assert_eq!(confirmed.header("cache-control"), "public");
        let other = get_with(&server, &format!("{link}&size=100"), "if-none-match", &etag).await;
        assert_eq!(other.status, 200, "{path} of another size");
    }
}

fn with_key(settings: &mut Settings) {
    settings.access.keys = vec![api_key("board", "secret", 0)];
}

async fn the_picture_for_a_request_with_a_key_is_private() {
    let server = Server::start_with(with_key).await;
    for path in ["/board.svg", "/board.png"] {
        let link = format!("{path}?fen=startpos");
        let answer = get_with(&server, &link, "x-api-key", "secret").await;
        assert_eq!(answer.header("cache-control"), "private", "{path}");
        assert_eq!(server.get(&link).await.header("cache-control"), "public", "{path}");
    }
}

async fn a_server_that_requires_keys_draws_for_no_one_else() {
    let server = Server::start_with(|settings| {
        with_key(settings);
        settings.access.required = true;
    })
    .await;
    for path in ["/board.svg?fen=startpos", "/board.png?fen=startpos"] {
        server.get(path).await.expect_problem(401, "unauthorized");
        assert_eq!(get_with(&server, path, "x-api-key", "secret").await.status, 200, "{path}");
    }
    let page = server.get("/").await;
    assert_eq!(page.status, 200);
    assert!(!page.body.contains("og:image"), "other sites cannot load it: {}", page.body);
}

async fn a_wrong_parameter_is_named() {
    let server = Server::start().await;
    let too_many = ["e2e4"; 65].join(",");
    let too_many = format!("arrows={too_many}");
    for (parameter, code, pointer, detail) in [
        ("size=15", "out_of_range", "/size", "size is 15; it must be 16 to 1024"),
        ("size=1025", "out_of_range", "/size", "size is 1025; it must be 16 to 1024"),
        ("size=-1", "out_of_range", "/size", "size is -1; it must not be negative"),
        ("size=big", "wrong_type", "/size", "size is \"big\"; it must be a whole number"),
        (
            "orientation=left",
            "unknown_value",
            "/orientation",
            "orientation is \"left\"; it must be one of white, black",
        ),
        (
            "colors=lichess-brwn",
            "unknown_value",
            "/colors",
            "colors is \"lichess-brwn\"; it must be one of lichess-brown, lichess-blue, \
             wikipedia; did you mean \"lichess-brown\"?",
        ),
        (
            "lastMove=Nf3",
            "unknown_value",
            "/lastMove",
            "lastMove is \"Nf3\"; it must be a move in UCI, such as e2e4",
        ),
        (
            "check=e9",
            "unknown_value",
            "/check",
            "check is \"e9\"; it must be a square from a1 to h8",
        ),
        (
            "arrows=e2e4,Pe6g8",
            "unknown_value",
            "/arrows/1",
            "arrows[1] is \"Pe6g8\"; it must be one or two squares after a colour (G, R, Y, B or \
             none), such as Ge6g8 or h7",
        ),
        (
            "squares=a3,,c3",
            "unknown_value",
            "/squares/1",
            "squares[1] is \"\"; it must be a square from a1 to h8",
        ),
        (
            "coordinates=maybe",
            "wrong_type",
            "/coordinates",
            "coordinates is \"maybe\"; it must be true or false",
        ),
        (&too_many, "out_of_range", "/arrows", "arrows has 65 entries; at most 64 are allowed"),
    ] {
        for path in ["/board.svg", "/board.png"] {
            let answer = server.get(&format!("{path}?fen=startpos&{parameter}")).await;
            let problem = answer.expect_problem(422, "invalid_request");
            let expected = json!([{ "code": code, "pointer": pointer, "detail": detail }]);
            assert_eq!(problem["errors"], expected, "{path} {parameter}");
        }
    }
}

async fn a_wrong_position_is_refused() {
    let server = Server::start().await;
    for path in ["/board.svg", "/board.png"] {
        for (query, code) in [
            ("fen=8/8/8/8", "invalid_fen"),
            ("fen=", "invalid_fen"),
            ("fen=8/8/8/8/8/8/8/7x", "invalid_fen"),
            ("fen=8/8/8/8/8/8/8/8&moves=e4", "invalid_fen"),
            ("fen=startpos&moves=e5", "illegal_move"),
            ("size=360", "invalid_request"),
        ] {
            server.get(&format!("{path}?{query}")).await.expect_problem(422, code);
        }
        let answer = server.get(&format!("{path}?fen=%zz")).await;
        answer.expect_problem(400, "malformed_query");
        let answer = server.get(&format!("{path}?fen=Startpos")).await;
        let detail = answer.expect_problem(422, "invalid_fen")["detail"].to_string();
        assert!(detail.contains("did you mean startpos?"), "{detail}");
    }
}

async fn an_unknown_parameter_suggests_a_name() {
    let server = Server::start().await;
    for (name, suggestion) in [
        ("lastmove", "did you mean \"lastMove\"?"),
        ("colour", "did you mean \"colors\"?"),
        ("coordinate", "did you mean \"coordinates\"?"),
    ] {
        let answer = server.get(&format!("/board.svg?fen=startpos&{name}=x")).await;
        let problem = answer.expect_problem(422, "invalid_request");
        let detail = problem["errors"][0]["detail"].as_str().unwrap();
        assert!(detail.ends_with(suggestion), "{detail}");
    }
    let body = json!({ "fen": "startpos", "arrows": "a1" });
    let elsewhere = server.post("/v1/legal-moves", &body).await;
    let problem = elsewhere.expect_problem(422, "invalid_request");
    let detail = problem["errors"][0]["detail"].as_str().unwrap();
    assert!(detail.ends_with("it belongs to /board.svg"), "{detail}");
}

/// A server that takes hundreds of requests of one client at once.
async fn start_with_body_timeout(milliseconds: u64) -> Server {
    Server::start_with(|settings| {
        settings.http.body_timeout_ms = milliseconds;
        settings.http.connections = 300;
        settings.http.connections_per_client = 300;
        settings.http.requests_mb = 128;
    })
    .await
}

/// Draws this many pictures of 1024 pixels at once, each for another address if the server trusts
/// this one, and returns their statuses.
async fn draw_at_once(client: &Client, count: usize) -> Vec<u16> {
    let draw = |number: usize| {
        let client = client.clone();
        let query = format!("fen={START}&size=1024&lastMove=a{}h8", 1 + number % 8);
        let request = client.request(Method::GET, &format!("/board.png?{query}"));
        let request = request.header("x-forwarded-for", format!("192.0.2.{number}"));
        tokio::spawn(async move {
            let response = client.open_stream(request).await;
            let status = response.status().as_u16();
            response.bytes().await.unwrap();
            status
        })
    };
    let drawings: Vec<_> = (0..count).map(draw).collect();
    let mut statuses = Vec::new();
    for drawing in drawings {
        statuses.push(drawing.await.unwrap());
    }
    statuses
}

async fn pictures_wait_for_each_other() {
    let server = start_with_body_timeout(100).await;
    let statuses = draw_at_once(&server.client, 150).await;
    assert!(statuses.contains(&200) && statuses.contains(&503), "{statuses:?}");
    assert!(statuses.iter().all(|status| [200, 503].contains(status)), "{statuses:?}");
}

async fn two_hundred_large_pictures_at_once_take_little_memory() {
    const CLIENTS: usize = 200;
    // Connections, responses and drawings; pixels of all pictures at once would take 800 MB.
    const MAX_GROWTH_KIB: u64 = 64 << 10;
    let server = ServerProcess::start(&[
        ("KIBITZER__ACCESS__TRUSTED_PROXIES", "127.0.0.0/8"),
        ("KIBITZER__HTTP__BODY_TIMEOUT_MS", "60000"),
    ])
    .await;
    let before = status_kib(server.pid(), "VmHWM").unwrap();
    let statuses = draw_at_once(&server.client, CLIENTS).await;
    assert!(statuses.iter().all(|status| *status == 200), "{statuses:?}");
    let growth = status_kib(server.pid(), "VmHWM").unwrap() - before;
    assert!(growth <= MAX_GROWTH_KIB, "{growth} KiB more than {before} KiB");
}

/// The value of an attribute `content`, without the escapes of HTML.
fn property(page: &str, name: &str) -> String {
    let (_, rest) = page.split_once(&format!("<meta property=\"{name}\" content=\"")).expect(name);
    rest.split_once('"').unwrap().0.replace("&amp;", "&")
}

async fn the_page_has_a_picture_of_its_position() {
    let server = Server::start().await;
    let page = server.get("/").await;
    assert_eq!(property(&page.body, "og:title"), "kibitzer: analysis board");
    let image = property(&page.body, "og:image");
    let (_, path) = image.split_once("://").unwrap().1.split_once('/').unwrap();
    assert_eq!(path, format!("board.png?fen={START}&size=600"));
    let (_, query) = path.split_once('?').unwrap();
    assert_eq!(width_and_height(&png(&server, query).await), [600, 600]);
    let link = "/?fen=4k3/8/8/8/8/8/8/4K2R+w+K+-+0+1";
    let of_position = server.get(link).await;
    let image = property(&of_position.body, "og:image");
    assert!(image.ends_with("/board.png?fen=4k3/8/8/8/8/8/8/4K2R&size=600"), "{image}");
    assert_ne!(of_position.header("etag"), page.header("etag"));
    let again = get_with(&server, link, "if-none-match", of_position.header("etag")).await;
    assert_eq!((again.status, again.body.as_str()), (304, ""));
    assert_eq!(again.header("cache-control"), "no-cache");
}

async fn the_picture_of_a_wrong_position_is_the_start_position() {
    let server = Server::start().await;
    let start = server.get("/").await.body;
    for query in ["fen=8/8/8", "fen=%22%3E%3Cscript%3Ealert(1)%3C/script%3E", "fen=%zz", "x=1"] {
        let page = server.get(&format!("/?{query}")).await;
        assert_eq!((page.status, &page.body), (200, &start), "{query}");
    }
}

async fn the_address_of_the_picture_is_absolute() {
    let server = Server::start().await;
    for (host, expected) in [
        ("chess.example", "http://chess.example/"),
        ("chess.example:8080", "http://chess.example:8080/"),
        ("[::1]:80", "http://[::1]:80/"),
        ("a&b.example", "http://a&b.example/"),
    ] {
        let page = get_with(&server, "/", "host", host).await;
        assert!(property(&page.body, "og:image").starts_with(expected), "{}", page.body);
    }
    let behind_proxy = Server::start_with(|settings| {
        settings.http.public_origin = "https://chess.example".to_owned();
    })
    .await;
    let page = get_with(&behind_proxy, "/", "host", "127.0.0.1").await;
    let image = property(&page.body, "og:image");
    assert!(image.starts_with("https://chess.example/board.png?"), "{image}");
}
