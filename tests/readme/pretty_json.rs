//! Compact JSON laid out for people: a member a line, and a line for each object of a member's
//! list. Lines that are too long are broken between values.

/// The most columns of a line, where it can be broken.
const WIDTH: usize = 100;

/// Lays out the text of an object as the server sends it, members in its order.
pub(crate) fn pretty_print(json: &str) -> String {
    one_line_a_member(json).lines().map(wrap).collect::<Vec<_>>().join("\n")
}

fn one_line_a_member(json: &str) -> String {
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

/// Breaks a line after commas outside strings. Its other lines are indented by two more columns.
fn wrap(line: &str) -> String {
    let indent = " ".repeat(line.len() - line.trim_start().len() + 2);
    let mut wrapped = String::new();
    let mut column = 0;
    for value in values(line) {
        if column > 0 && column + value.trim_end().chars().count() > WIDTH {
            wrapped.truncate(wrapped.trim_end().len());
            wrapped.push('\n');
            wrapped.push_str(&indent);
            column = indent.len();
        }
        wrapped.push_str(value);
        column += value.chars().count();
    }
    wrapped
}

/// The pieces of a line; each but the last ends with a comma outside strings and a blank.
fn values(line: &str) -> Vec<&str> {
    let (mut quoted, mut escaped, mut previous) = (false, false, ' ');
    line.split_inclusive(|letter: char| {
        let ends = letter == ' ' && previous == ',' && !quoted;
        quoted ^= letter == '"' && !escaped;
        escaped = letter == '\\' && !escaped;
        previous = letter;
        ends
    })
    .collect()
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

#[test]
fn a_long_line_is_broken_between_values() {
    let long = "x".repeat(60);
    let compact = format!(r#"{{"a":["{long}","y, z","{long}, y"]}}"#);
    let laid =
        ["{", &format!(r#"  "a": ["{long}", "y, z","#), &format!(r#"    "{long}, y"]"#), "}"];
    assert_eq!(pretty_print(&compact), laid.join("\n"));
}
