//! The tested examples of a Markdown page, and the subset of shell and curl that they use.

use std::net::SocketAddr;

use kibitzer::client::plain_http;
use serde_json::Value;

/// A curl command and the response that the page prints below it.
pub(crate) struct Example {
    pub(crate) command: String,
    /// The response as the page prints it.
    pub(crate) printed: String,
    /// The page prints only some members of the response: the block's language is `json part`.
    pub(crate) is_part: bool,
}

impl Example {
    /// Every example of a page, in order.
    pub(crate) fn parse_markdown(markdown: &str) -> Vec<Example> {
        let mut blocks = Vec::new();
        let mut rest = markdown;
        while let Some((_, after)) = rest.split_once("\n```") {
            let (block, next) = after.split_once("\n```").expect("every block ends");
            let (language, code) = block.split_once('\n').unwrap_or((block, ""));
            blocks.push((language.trim(), code.trim()));
            rest = next;
        }
        let pairs = blocks.windows(2).filter(|pair| {
            pair[0].0 == "sh"
                && pair[0].1.starts_with("curl ")
                && matches!(pair[1].0, "json" | "json part")
        });
        pairs
            .map(|pair| Example {
                command: pair[0].1.replace("\\\n", " "),
                printed: pair[1].1.to_owned(),
                is_part: pair[1].0 == "json part",
            })
            .collect()
    }

    /// The members of a response that the page prints.
    pub(crate) fn printed_members_of(&self, response: Value, printed: &Value) -> Value {
        match (response, printed) {
            (Value::Object(mut response), Value::Object(printed)) if self.is_part => {
                let members = printed
                    .keys()
                    .filter_map(|name| Some((name.clone(), response.shift_remove(name)?)));
                Value::Object(members.collect())
            }
            (response, _) => response,
        }
    }
}

/// Sends what the curl command would send, to another address.
pub(crate) async fn send(command: &str, address: SocketAddr) -> reqwest::Result<String> {
    let Curl { path, headers, body } = Curl::parse(command);
    let url = format!("http://{address}{path}");
    let client = plain_http().expect("a client").no_proxy().build()?;
    let mut request = match body {
        Some(body) => client.post(url).body(body),
        None => client.get(url),
    };
    for (name, value) in headers {
        request = request.header(name, value);
    }
    request.send().await?.text().await
}

/// A parsed curl command.
#[derive(Debug, PartialEq, Eq)]
struct Curl {
    /// The path and the query.
    path: String,
    headers: Vec<(String, String)>,
    /// The body of a POST; a command without one is a GET.
    body: Option<String>,
}

impl Curl {
    fn parse(command: &str) -> Curl {
        let (mut path, mut headers, mut body) = (None, Vec::new(), None);
        let mut words = split_words(command).into_iter().skip(1);
        while let Some(word) = words.next() {
            match word.as_str() {
                "-s" => {}
                "-H" => {
                    let header = words.next().expect("a header after -H");
                    let (name, value) = header.split_once(": ").expect("a header has a value");
                    headers.push((name.to_owned(), value.to_owned()));
                }
                "-d" => body = words.next(),
                _ => {
                    let own = word.strip_prefix("localhost:8080");
                    path = Some(own.expect("an example asks localhost:8080").to_owned());
                }
            }
        }
        Curl { path: path.expect("an example has an address"), headers, body }
    }
}

/// The words of a command; single quotes hold blanks together.
fn split_words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = None::<String>;
    let mut quoted = false;
    for letter in command.chars() {
        match letter {
            '\'' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            _ if letter.is_whitespace() && !quoted => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

#[test]
fn words_are_split_as_a_shell_splits_them() {
    assert_eq!(split_words("curl  -s '/a?b= c' ''"), ["curl", "-s", "/a?b= c", ""]);
}

#[test]
fn a_curl_command_has_a_path_headers_and_a_body() {
    let command = r#"curl -s localhost:8080/v1/play -H 'content-type: application/json' -d '{}'"#;
    let expected = Curl {
        path: "/v1/play".to_owned(),
        headers: vec![("content-type".to_owned(), "application/json".to_owned())],
        body: Some("{}".to_owned()),
    };
    assert_eq!(Curl::parse(command), expected);
}

#[test]
fn a_page_may_print_a_part_of_a_response() {
    let page = "\n```sh\ncurl -s localhost:8080/x\n```\ntext\n```json part\n{\"b\": 1}\n```\n";
    let [example] = Example::parse_markdown(page).try_into().ok().expect("one example");
    let response = serde_json::json!({"a": 1, "b": 2, "c": 3});
    let members = example.printed_members_of(response, &serde_json::json!({"b": 1}));
    assert_eq!(members, serde_json::json!({"b": 2}));
}
