//! The page of the analysis board and the files that it loads.

use reqwest::Method;

use crate::support::{Server, TestResponse};

crate::trials![
    the_root_is_the_analysis_board,
    the_board_loads_nothing_from_other_servers_and_has_no_inline_code,
    the_files_of_the_board_are_kept_for_a_year,
    the_scripts_and_styles_of_the_board_come_compressed,
    the_licences_of_the_board_are_served,
    the_service_worker_may_control_the_whole_page_and_is_revalidated,
    an_unknown_file_of_the_board_is_not_found,
];

/// The paths of the script and the style sheet.
async fn assets(server: &Server) -> Vec<String> {
    let page = server.get("/").await.body;
    let paths = page.split('"').filter(|text| text.starts_with("/assets/"));
    paths.map(str::to_owned).collect()
}

async fn get(server: &Server, path: &str, header: (&str, &str)) -> TestResponse {
    server.send(server.request(Method::GET, path).header(header.0, header.1)).await
}

async fn the_root_is_the_analysis_board() {
    let server = Server::start().await;
    let page = server.get("/").await;
    assert_eq!((page.status, page.header("content-type")), (200, "text/html; charset=utf-8"));
    assert!(page.body.contains("<title>kibitzer: analysis board</title>"), "{}", page.body);
    assert!(page.body.contains(r#"href="/docs""#), "{}", page.body);
    assert_eq!(page.header("cache-control"), "no-cache");
    let again = get(&server, "/", ("if-none-match", page.header("etag"))).await;
    assert_eq!((again.status, again.body.as_str()), (304, ""));
}

async fn the_board_loads_nothing_from_other_servers_and_has_no_inline_code() {
    let server = Server::start().await;
    let page = server.get("/").await;
    let policy = page.header("content-security-policy");
    assert!(policy.starts_with("default-src 'self'; img-src 'self' data:; "), "{policy}");
    assert!(!policy.contains("unsafe") && !policy.contains("http"), "{policy}");
    let own = server.address.to_string();
    assert!(!page.body.replace(&format!("http://{own}/"), "").contains("//"), "{}", page.body);
    for tag in page.body.split('<').filter(|tag| tag.starts_with("script")) {
        assert!(tag.contains(" src=\"/assets/") && tag.ends_with('>'), "{tag}");
    }
    assert!(!page.body.contains("<style") && !page.body.contains(" style="));
}

async fn the_files_of_the_board_are_kept_for_a_year() {
    let server = Server::start().await;
    let assets = assets(&server).await;
    assert_eq!(assets.len(), 2, "{assets:?}");
    for path in &assets {
        let file = server.get(path).await;
        assert_eq!(file.status, 200, "{path}");
        assert_eq!(file.header("cache-control"), "public, max-age=31536000, immutable", "{path}");
        let again = get(&server, path, ("if-none-match", file.header("etag"))).await;
        assert_eq!(again.status, 304, "{path}");
    }
}

async fn the_scripts_and_styles_of_the_board_come_compressed() {
    let server = Server::start().await;
    let paths = assets(&server).await;
    for path in &paths {
        let plain = server.get(path).await;
        assert_eq!(
            (plain.header("content-encoding"), plain.header("vary")),
            ("", "accept-encoding")
        );
        let size = |response: &TestResponse| -> usize {
            response.header("content-length").parse().unwrap()
        };
        let file = get(&server, path, ("accept-encoding", "gzip, deflate, br")).await;
        assert_eq!(file.header("content-encoding"), "gzip", "{path}");
        assert_eq!(file.header("content-type"), plain.header("content-type"), "{path}");
        assert_ne!(file.header("etag"), plain.header("etag"), "{path}");
        assert!(size(&file) < size(&plain) / 2, "{path}");
    }
}

async fn the_licences_of_the_board_are_served() {
    let server = Server::start().await;
    let licences = server.get("/assets/licenses.md").await;
    assert_eq!(licences.header("content-type"), "text/plain; charset=utf-8");
    assert_eq!(licences.header("cache-control"), "no-cache");
    for library in ["chessground", "chessops", "solid-js"] {
        assert!(licences.body.contains(library), "{library}");
    }
}

async fn the_service_worker_may_control_the_whole_page_and_is_revalidated() {
    let server = Server::start().await;
    let worker = server.get("/assets/service-worker.js").await;
    assert_eq!(
        (worker.header("content-type"), worker.header("service-worker-allowed")),
        ("text/javascript; charset=utf-8", "/")
    );
    assert_eq!(worker.header("cache-control"), "no-cache");
    let script = assets(&server).await.into_iter().find(|path| path.ends_with(".js")).unwrap();
    assert!(worker.body.contains(&script), "the worker keeps {script}");
    assert_eq!(server.get(&script).await.header("service-worker-allowed"), "");
}

async fn an_unknown_file_of_the_board_is_not_found() {
    let server = Server::start().await;
    for path in ["/assets/no-such-file.js", "/assets/index.html", "/assets/licenses.md.gz"] {
        server.get(path).await.expect_problem(404, "not_found");
    }
}
