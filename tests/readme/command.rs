//! The examples of the README, and enough of a shell and of curl to run them.

use std::net::SocketAddr;

/// A command and the answer that is printed below it.
pub(crate) struct Example {
    pub(crate) command: String,
    /// As it is printed.
    pub(crate) printed: String,
}

impl Example {
    /// Every example of a text in Markdown.
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
            pair[0].0 == "sh" && pair[0].1.starts_with("curl ") && pair[1].0 == "json"
        });
        pairs
            .map(|pair| Example {
                command: pair[0].1.replace("\\\n", " "),
                printed: pair[1].1.to_owned(),
            })
            .collect()
    }
}

/// Does what the curl command would do, at another address.
pub(crate) async fn send(command: &str, address: SocketAddr) -> reqwest::Result<String> {
    let (mut path, mut body) = (None, None);
    let mut words = split_words(command).into_iter().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "-s" | "--silent" => {}
            "--json" => body = words.next(),
            _ => {
                path = Some(
                    word.strip_prefix("localhost:8080")
                        .expect("an example asks localhost:8080")
                        .to_owned(),
                )
            }
        }
    }
    let url = format!("http://{address}{}", path.expect("an example has an address"));
    let client = reqwest::Client::builder().no_proxy().build()?;
    let request = match body {
        Some(body) => client.post(url).header("content-type", "application/json").body(body),
        None => client.get(url),
    };
    request.send().await?.text().await
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
