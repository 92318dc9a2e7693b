//! Tests of loading and validation.

use super::*;

fn with_environment(variables: &[(&str, &str)]) -> Result<Settings, SettingsError> {
    let variables =
        variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Settings::load_with(None, Some(variables))
}

fn with_file(text: &str) -> Result<Settings, SettingsError> {
    let path = std::env::temp_dir().join(format!(
        "kibitzer-config-{}-{:p}.toml",
        std::process::id(),
        text.as_ptr()
    ));
    std::fs::write(&path, text).unwrap();
    let settings = Settings::load_with(Some(&path), Some(BTreeMap::new()));
    std::fs::remove_file(&path).unwrap();
    settings
}

fn refused(result: Result<Settings, SettingsError>) -> Vec<String> {
    match result {
        Err(SettingsError::Invalid(bad)) => bad.into_iter().map(|bad| bad.key).collect(),
        other => panic!("expected refused keys, got {other:?}"),
    }
}

#[test]
fn the_defaults_are_valid() {
    let settings = with_environment(&[]).unwrap();
    assert_eq!(settings.listen.port(), 8080);
    assert!(settings.search.workers >= 1, "0 workers mean one per core");
    assert!(settings.http.cors_origins.is_empty());
    assert!(!settings.store.is_on(), "the store is off by default");
    assert!(settings.metrics.listen.is_none(), "metrics are on the main address");
    assert!(!settings.otlp.is_on(), "traces are off by default");
}

#[test]
fn the_production_file_is_valid() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("config/production.toml");
    let settings = Settings::load_with(Some(&file), Some(BTreeMap::new())).unwrap();
    assert_eq!(settings.log.format, LogFormat::Json);
    assert_eq!(settings.limits.moves, 1_200, "a key that is not in the file keeps its default");
    let defaults = with_environment(&[]).unwrap();
    assert!(settings.rate.requests > 0, "a public server has a rate limit");
    assert!(settings.stream.infinite_ms < defaults.stream.infinite_ms);
    assert!(settings.queue.slice_ms < defaults.queue.slice_ms);
    assert!(settings.listen.ip().is_loopback() && !settings.access.trusted_proxies.is_empty());
    assert!(settings.metrics.listen.is_some(), "/metrics is not public");
}

#[test]
fn every_value_of_the_production_file_has_a_reason() {
    let text = include_str!("../../config/production.toml");
    let mut previous = "";
    for line in text.lines() {
        if line.contains(" = ") && !line.starts_with('#') {
            assert!(previous.starts_with('#'), "{line}");
        }
        previous = line;
    }
}

#[test]
fn a_server_that_requires_keys_has_a_key() {
    let Err(SettingsError::Invalid(invalid)) = with_file("[access]\nrequired = true\n") else {
        panic!("no client could send a request")
    };
    assert_eq!(invalid.len(), 1, "{invalid:?}");
    let text = invalid[0].to_string();
    assert!(text.starts_with("access.required: ") && text.contains("access.keys"), "{text}");
    let key = format!("[[access.keys]]\nname = \"board\"\nsha256 = \"{}\"\n", "ab".repeat(32));
    assert!(with_file(&format!("[access]\nrequired = true\n{key}")).unwrap().access.required);
}

#[test]
fn the_environment_overrides_the_defaults() {
    let settings = with_environment(&[
        ("KIBITZER__SEARCH__HASH_MB", "128"),
        ("KIBITZER__LISTEN", "0.0.0.0:9000"),
        ("KIBITZER__HTTP__CORS_ORIGINS", "https://a.example,https://b.example:8443"),
        ("KIBITZER__MCP__ALLOWED_HOSTS", "chess.example"),
        ("KIBITZER_SUITES", "ignored"),
    ])
    .unwrap();
    assert_eq!(settings.mcp.allowed_hosts, ["chess.example"]);
    assert_eq!(settings.search.hash_mb, 128);
    assert_eq!(settings.listen.to_string(), "0.0.0.0:9000");
    assert_eq!(settings.http.cors_origins, ["https://a.example", "https://b.example:8443"]);
}

#[test]
fn an_address_may_name_localhost_or_only_a_port() {
    for (text, allowed) in [
        ("localhost:9000", &["127.0.0.1:9000"][..]),
        (":9000", &["[::]:9000", "0.0.0.0:9000"]),
        ("[::1]:9000", &["[::1]:9000"]),
    ] {
        let address = parse_listen_address(text).unwrap().to_string();
        assert!(allowed.contains(&address.as_str()), "{text}: {address}");
        let settings = with_environment(&[("KIBITZER__LISTEN", text)]).unwrap();
        assert_eq!(settings.listen.to_string(), address);
        let settings = with_file(&format!("metrics.listen = {text:?}")).unwrap();
        assert_eq!(settings.metrics.listen.unwrap().to_string(), address);
    }
    for text in ["9000", "localhost", ":", ":+1", ":65536", "chess.example:80", "::1:80", "*:80"] {
        let error = parse_listen_address(text).unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("{text:?} is not an address to listen on; ")),
            "{error}"
        );
    }
}

#[test]
fn all_addresses_are_reached_by_localhost() {
    for (address, url) in [
        ("127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("[::1]:8080", "http://[::1]:8080"),
        ("0.0.0.0:8080", "http://localhost:8080"),
        ("[::]:8080", "http://localhost:8080"),
    ] {
        assert_eq!(local_url(address.parse().unwrap()), url);
    }
}

#[cfg(unix)]
#[test]
fn variables_that_are_not_utf8_are_refused_by_name() {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;
    let variables = [
        (&b"KIBITZER__SEARCH__HASH_MB"[..], &b"6\xff"[..]),
        (b"KIBITZER__SEARCH__WORK\xff", b"1"),
        (b"KIBITZER__SEARCH__WORKERS", b"2"),
        (b"OTHER", b"\xff"),
    ]
    .map(|(name, value)| (OsString::from_vec(name.into()), OsString::from_vec(value.into())));
    let (texts, invalid) = read_variables(variables.into_iter());
    assert_eq!(
        texts.into_iter().collect::<Vec<_>>(),
        [("KIBITZER__SEARCH__WORKERS".to_owned(), "2".to_owned())]
    );
    let texts: Vec<String> = invalid.iter().map(ToString::to_string).collect();
    assert_eq!(
        texts[0],
        "search.hash_mb: \"6\\xFF\" is not UTF-8 (variable in the environment: \
         KIBITZER__SEARCH__HASH_MB)"
    );
    assert!(texts.len() == 2 && texts[1].contains("KIBITZER__SEARCH__WORK"), "{texts:?}");
}

#[test]
fn a_variable_that_only_looks_like_a_setting_gives_a_warning() {
    let warnings = |name: &str| misnamed_variables([name].into_iter(), &known_keys());
    assert_eq!(
        warnings("KIBITZER_SEARCH_WORKERS"),
        ["KIBITZER_SEARCH_WORKERS has no effect; the variable of search.workers is \
          KIBITZER__SEARCH__WORKERS"]
    );
    for name in ["KIBITZER_LISTEN", "KIBITZER_SEARCH__HASH_MB", "KIBITZER_LOG_COLOUR"] {
        assert_eq!(warnings(name).len(), 1, "{name}");
    }
    for name in ["KIBITZER__SEARCH__WORKERS", "KIBITZER_KEY", "KIBITZER_CONFIG", "SEARCH_WORKERS"] {
        assert!(warnings(name).is_empty(), "{name}");
    }
}

#[test]
fn a_search_may_have_no_more_threads_than_there_are_workers() {
    let threads = |workers, threads| {
        let text = format!("search.workers = {workers}\nlimits.threads = {threads}");
        with_file(&text).unwrap().limits.threads
    };
    assert_eq!((threads(6, 0), threads(6, 4), threads(6, 7)), (6, 4, 6));
    let defaults = with_file("").unwrap();
    assert_eq!(usize::from(defaults.limits.threads), defaults.search.workers);
}

#[test]
fn unknown_keys_are_refused_by_their_full_names() {
    assert_eq!(refused(with_environment(&[("KIBITZER__SEARCH__HASHMB", "1")])), ["search.hashmb"]);
    assert_eq!(
        refused(with_file("sreach.workers = 2\n[queue]\nlength = 3")),
        ["queue.length", "sreach.workers"]
    );
    assert_eq!(refused(with_file("search = 3")), ["search"]);
    assert_eq!(refused(with_file("[search]\n[serch]")), ["serch"]);
    assert!(with_file("[search]\n[queue]").is_ok(), "a section may be empty");
}

#[test]
fn an_unknown_key_is_reported_with_its_place_and_a_similar_key() {
    let error_in_file = |text: &str| {
        let error = with_file(text).unwrap_err().to_string();
        let (start, end) = error.split_once("; ").unwrap_or((&error, ""));
        assert!(start.contains(": unknown key in ") && start.contains("toml"), "{error}");
        end.to_owned()
    };
    for (text, suggestion) in [
        ("hash_mb = 128", "did you mean search.hash_mb?"),
        ("search.hashmb = 128", "did you mean search.hash_mb?"),
        ("serach.workers = 2", "did you mean search.workers?"),
        ("lisen = \":8080\"", "did you mean listen?"),
        ("rate.window = 1", "did you mean rate.window_ms?"),
        ("colour = 1", ""),
    ] {
        assert_eq!(error_in_file(text), suggestion, "{text}");
    }
    let error = with_environment(&[("KIBITZER__SEARCH__HASHMB", "1")]).unwrap_err().to_string();
    assert_eq!(
        error,
        "search.hashmb: unknown key in the environment; did you mean search.hash_mb?"
    );
}

#[test]
fn bad_values_are_refused_by_their_keys_full_names() {
    for (key, value) in [
        ("search.hash_mb", "1.5"),
        ("search.hash_mb", "0"),
        ("search.hash_mb", "-1"),
        ("search.hash_mb", "\"big\""),
        ("search.workers", "[2]"),
        ("store.max_entries", "0"),
        ("store.flush_ms", "5"),
        ("store.path", "[\"here\"]"),
        ("limits.depth", "300"),
        ("limits.depth", "true"),
        ("limits.threads", "1025"),
        ("listen", "\"everywhere\""),
        ("listen", "8080"),
        ("log.format", "\"xml\""),
        ("log.level", "\"kibitzer=loud\""),
        ("log.level", "\"loud\""),
        ("log.level", "\"kibitzer=debug, info\""),
        ("log.level", "\"info, kibitzer=debug\""),
        ("log.level", "\"kibitzer\""),
        ("log.level", "\"info,\""),
        ("log.level", "\"\""),
        ("log.level", "\"3\""),
        ("http.cors_origins", "[\"chess.example\"]"),
        ("http.cors_origins", "[\" https://chess.example\"]"),
        ("http.cors_origins", "[\"https://Chess.example\"]"),
        ("http.public_origin", "\"chess.example\""),
        ("http.public_origin", "\"https://chess.example/\""),
        ("http.public_origin", "\"https://user@chess.example\""),
        ("http.public_origin", "\"ftp://chess.example\""),
        ("http.public_origin", "\"*\""),
        ("mcp.enabled", "1"),
        ("mcp.allowed_hosts", "[\"https://chess.example\"]"),
        ("mcp.allowed_hosts", "[\"chess.example/mcp\"]"),
        ("mcp.allowed_hosts", "[\"\"]"),
        ("shutdown.grace_ms", "10"),
        ("jobs.max", "0"),
        ("jobs.bytes", "100"),
        ("rate.window_ms", "0"),
        ("metrics.listen", "\"9090\""),
        ("metrics.listen", "\"127.0.0.1:8080\""),
        ("otlp.endpoint", "\"localhost:4318\""),
        ("otlp.endpoint", "\"https://collector:4318/v1/traces\""),
        ("otlp.sample_permille", "1001"),
        ("otlp.timeout_ms", "0"),
    ] {
        assert_eq!(refused(with_file(&format!("{key} = {value}"))), [key], "{key} = {value}");
    }
}

#[test]
fn a_log_filter_is_a_level_and_levels_of_modules() {
    for level in ["off", "INFO", "kibitzer=debug", "warn,kibitzer::http=info", "a=off,info"] {
        let settings = with_environment(&[("KIBITZER__LOG__LEVEL", level)]).unwrap();
        assert_eq!(settings.log.level, level);
    }
}

#[test]
fn every_integer_setting_has_a_range() {
    let defaults = defaults().build().unwrap();
    for (key, value) in defaults::flatten(&defaults.cache) {
        if matches!(value.kind, config::ValueKind::I64(_)) {
            let error = with_file(&format!("{key} = -1")).unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("{key}: -1 is out of range; it must be ")),
                "{error}"
            );
        }
    }
}

#[test]
fn bad_list_entries_are_refused_with_their_index() {
    for (key, value) in [
        ("access.trusted_proxies", "[\"10.0.0.0/8\", \"everybody\"]"),
        ("access.keys", "[{ name = \"a\", sha256 = \"abc\" }]"),
        ("access.keys", "[{ name = \"a\", secret = \"b\" }]"),
        ("access.keys", "[{ name = \"a\" }]"),
    ] {
        let refused = refused(with_file(&format!("{key} = {value}")));
        assert!(
            refused.len() == 1 && refused[0].starts_with(&format!("{key}[")),
            "{key} = {value}: {refused:?}"
        );
    }
    let key = format!("{{ name = \"a\", sha256 = \"{}\" }}", "0".repeat(64));
    assert_eq!(with_file(&format!("access.keys = [{key}]")).unwrap().access.keys.len(), 1);
    assert_eq!(
        refused(with_file(&format!("access.keys = [{key}, {key}]"))),
        ["access.keys[1].name", "access.keys[1].sha256"],
        "two keys with the same name and digest"
    );
    let other_name = key.replace("\"a\"", "\"b\"");
    assert_eq!(
        refused(with_file(&format!("access.keys = [{key}, {other_name}]"))),
        ["access.keys[1].sha256"],
        "two keys with the same digest"
    );
    let empty = key.replace(
        &"0".repeat(64),
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    );
    assert_eq!(
        refused(with_file(&format!("access.keys = [{empty}]"))),
        ["access.keys[0].sha256"],
        "the digest of the empty text"
    );
}

#[test]
fn an_error_names_the_value_and_what_is_allowed() {
    for (text, message) in [
        ("limits.depth = 1000", "limits.depth: 1000 is out of range; it must be 1 to 120"),
        ("search.hash_mb = -4", "search.hash_mb: -4 is out of range; it must be 1 to 1048576"),
        ("search = 3", "search: is a section; it must have keys"),
        ("log.format = \"xml\"", "log.format: \"xml\" is not a format; it must be text or json"),
        (
            "listen = \"8080\"",
            "listen: \"8080\" is not an address to listen on; it must be IP:port",
        ),
        (
            "access.trusted_proxies = [\"everybody\"]",
            "access.trusted_proxies[0]: \"everybody\" is not a network such as 10.0.0.0/8",
        ),
        (
            "access.keys = [{ name = \"a\", requests = -1 }]",
            "access.keys[0].requests: -1 is out of range; it must be 0 to 4294967295",
        ),
        (
            "access.keys = [\"secret\"]",
            "access.keys[0]: is a string; it must be a table with a name and the SHA-256 of the \
             key, such as { name = \"board\", sha256 = \"2bb80d53…\" }; `printf %s KEY | sha256sum` \
             prints it (only a file can set it)",
        ),
        (
            "access.keys = \"secret\"",
            "access.keys: is a string; it must be a list of tables, each with a name and the \
             SHA-256 of the key (only a file can set it)",
        ),
        ("access.keys = [[1], 2]", "access.keys[0]: is a list; it must be a table with a name"),
        (
            "access.keys = [{ name = \"a\" }]",
            "access.keys[0].sha256: is missing (only a file can set it)",
        ),
    ] {
        let error = with_file(text).unwrap_err().to_string();
        assert!(error.starts_with(message), "{text}: {error}");
    }
}

#[test]
fn the_error_of_a_digest_does_not_repeat_a_key_that_was_entered_in_its_place() {
    let almost_a_digest = format!("z{}", "0".repeat(63));
    for (entered, message) in [
        ("correct horse", "has 13 characters; it must be the 64 hexadecimal digits"),
        (almost_a_digest.as_str(), "must have only hexadecimal digits"),
    ] {
        let text = format!("access.keys = [{{ name = \"a\", sha256 = \"{entered}\" }}]");
        let error = with_file(&text).unwrap_err().to_string();
        assert!(error.starts_with(&format!("access.keys[0].sha256: {message}")), "{error}");
        assert!(!error.contains(entered), "{error}");
    }
}

#[test]
fn all_errors_are_reported_together() {
    let error =
        with_environment(&[("KIBITZER__QUEUE__CAPACITY", "0"), ("KIBITZER__PERFT__MAX_MS", "0")])
            .unwrap_err();
    let text = error.to_string();
    assert!(text.contains("queue.capacity") && text.contains("perft.max_ms"), "{text}");
    assert!(text.contains("KIBITZER__QUEUE__CAPACITY"), "{text}");
}

#[test]
fn a_missing_file_is_named() {
    let error = Settings::load_with(Some(Path::new("no/such/file.toml")), Some(BTreeMap::new()))
        .unwrap_err();
    assert!(error.to_string().contains("no/such/file.toml"), "{error}");
}
