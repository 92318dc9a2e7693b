//! Compact JSON laid out for people: a member a line, and a line for each object of a member's
//! list.

/// Lays out the text of an object as the server sends it, members in its order.
pub(crate) fn layout(json: &str) -> String {
    let mut laid = String::with_capacity(json.len() * 2);
    let mut open = Vec::new();
    let (mut quoted, mut escaped) = (false, false);
    let mut letters = json.chars().peekable();
    while let Some(letter) = letters.next() {
        if quoted {
            quoted = letter != '"' || escaped;
            escaped = letter == '\\' && !escaped;
            laid.push(letter);
            continue;
        }
        match letter {
            '"' => {
                quoted = true;
                laid.push(letter);
            }
            '{' | '[' => {
                open.push(letter);
                laid.push(letter);
                if open == ['{'] || (open == ['{', '['] && letters.peek() == Some(&'{')) {
                    new_line(&mut laid, open.len());
                }
            }
            '}' | ']' => {
                let list_of_objects = open == ['{', '['] && laid.ends_with('}');
                open.pop();
                if open.is_empty() || list_of_objects {
                    new_line(&mut laid, open.len());
                }
                laid.push(letter);
            }
            ',' if open == ['{'] || (open == ['{', '['] && laid.ends_with('}')) => {
                laid.push(letter);
                new_line(&mut laid, open.len());
            }
            ',' | ':' => {
                laid.push(letter);
                laid.push(' ');
            }
            _ => laid.push(letter),
        }
    }
    laid
}

fn new_line(laid: &mut String, depth: usize) {
    laid.push('\n');
    laid.push_str(&"  ".repeat(depth));
}

#[test]
fn a_member_stands_on_a_line_of_its_own() {
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
    assert_eq!(layout(compact), laid.join("\n"));
}
