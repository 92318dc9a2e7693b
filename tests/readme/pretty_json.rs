//! Compact JSON laid out for people: a member a line, and a line for each object of a member's
//! list.

/// Lays out the text of an object as the server sends it, members in its order.
pub(crate) fn pretty_print(json: &str) -> String {
    let mut output = String::with_capacity(json.len() * 2);
    let mut open = Vec::new();
    let (mut quoted, mut escaped) = (false, false);
    let mut letters = json.chars().peekable();
    while let Some(letter) = letters.next() {
        if quoted {
            quoted = letter != '"' || escaped;
            escaped = letter == '\\' && !escaped;
            output.push(letter);
            continue;
        }
        match letter {
            '"' => {
                quoted = true;
                output.push(letter);
            }
            '{' | '[' => {
                open.push(letter);
                output.push(letter);
                if open == ['{'] || (open == ['{', '['] && letters.peek() == Some(&'{')) {
                    new_line(&mut output, open.len());
                }
            }
            '}' | ']' => {
                let list_of_objects = open == ['{', '['] && output.ends_with('}');
                open.pop();
                if open.is_empty() || list_of_objects {
                    new_line(&mut output, open.len());
                }
                output.push(letter);
            }
            ',' if open == ['{'] || (open == ['{', '['] && output.ends_with('}')) => {
                output.push(letter);
                new_line(&mut output, open.len());
            }
            ',' | ':' => {
                output.push(letter);
                output.push(' ');
            }
            _ => output.push(letter),
        }
    }
    output
}

fn new_line(laid: &mut String, depth: usize) {
    laid.push('\n');
    laid.push_str(&"  ".repeat(depth));
}

#[test]
fn each_member_has_its_own_line() {
    let compact = r#"{"a":1,"b":[{"c":[1,2]},{"d":"e,\"f:"}],"g":[],"h":{"i":[3]}}"#;
    let laid = [
        "{",
        r#"  "a": 1,"#,
        r#"  "b": ["#,
        r#"    {"c": [1, 2]},"#,
        r#"    {"d": "e,\"f:"}"#,
        "  ],",
        r#"  "g": [],"#,
        r#"  "h": {"i": [3]}"#,
        "}",
    ];
    assert_eq!(pretty_print(compact), laid.join("\n"));
}
