//! The arguments of a call. Each error names the argument, its value and what is allowed.

use std::ops::RangeInclusive;

use serde_json::{Map, Value};

use super::error::ToolError;
use crate::chess::excerpt;

/// The least similarity of a suggestion to an unknown name.
const MIN_SIMILARITY: f64 = 0.7;

/// The arguments of a call, all of them known to the tool.
#[derive(Clone, Debug, Default)]
pub(super) struct Arguments(Map<String, Value>);

impl Arguments {
    /// Checks the names against the properties of the tool's schema.
    ///
    /// # Errors
    /// `invalid_request` for an unknown name.
    pub(super) fn new(
        arguments: Map<String, Value>,
        schema: &Map<String, Value>,
    ) -> Result<Arguments, ToolError> {
        let known = schema.get("properties").and_then(Value::as_object);
        let mut known = known.into_iter().flatten().map(|(name, _)| name.as_str());
        for name in arguments.keys() {
            if !known.clone().any(|known| known == name) {
                return Err(unknown(name, &mut known));
            }
        }
        Ok(Arguments(arguments.into_iter().filter(|(_, value)| !value.is_null()).collect()))
    }

    /// Whether the argument is given.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// A text.
    ///
    /// # Errors
    /// `invalid_request` if it is no text.
    pub(super) fn text(&self, name: &str) -> Result<Option<&str>, ToolError> {
        match self.0.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(wrong(name, other, "a string")),
        }
    }

    /// A text that the tool needs.
    ///
    /// # Errors
    /// `invalid_request` if it is missing or no text.
    pub(super) fn required_text(&self, name: &str) -> Result<&str, ToolError> {
        self.text(name)?.ok_or_else(|| ToolError::invalid_request(format!("{name} is missing")))
    }

    /// A whole number in this range.
    ///
    /// # Errors
    /// `invalid_request` if it is no whole number or outside the range.
    pub(super) fn number(
        &self,
        name: &str,
        range: RangeInclusive<u64>,
    ) -> Result<Option<u64>, ToolError> {
        let Some(value) = self.0.get(name) else { return Ok(None) };
        match value.as_u64() {
            Some(number) if range.contains(&number) => Ok(Some(number)),
            _ => {
                let (first, last) = range.into_inner();
                Err(wrong(name, value, &format!("a whole number, {first} to {last}")))
            }
        }
    }

    /// A list of texts; empty if it is missing.
    ///
    /// # Errors
    /// `invalid_request` if it is no list of texts.
    pub(super) fn texts(&self, name: &str) -> Result<Vec<String>, ToolError> {
        const ALLOWED: &str = "an array of strings, such as [\"e4\", \"e5\"]";
        match self.0.get(name) {
            None => Ok(Vec::new()),
            Some(Value::Array(items)) => {
                let text = |(index, item): (usize, &Value)| {
                    let text = item.as_str().map(str::to_owned);
                    text.ok_or_else(|| wrong(&format!("{name}[{index}]"), item, "a string"))
                };
                items.iter().enumerate().map(text).collect()
            }
            Some(other) => Err(wrong(name, other, ALLOWED)),
        }
    }

    /// A list of texts with at most this number of items and of bytes in each.
    ///
    /// # Errors
    /// `invalid_request` if it is no list of texts, or too long.
    pub(super) fn short_texts(
        &self,
        name: &str,
        max_items: usize,
        max_bytes: usize,
    ) -> Result<Vec<String>, ToolError> {
        let texts = self.texts(name)?;
        if texts.len() > max_items {
            let count = texts.len();
            let detail = format!("{name} has {count} items; at most {max_items} are allowed");
            return Err(ToolError::invalid_request(detail));
        }
        match texts.iter().position(|text| text.len() > max_bytes) {
            Some(index) => {
                let allowed = format!("a string of at most {max_bytes} characters");
                let value = Value::from(texts[index].as_str());
                Err(wrong(&format!("{name}[{index}]"), &value, &allowed))
            }
            None => Ok(texts),
        }
    }

    /// A flag; `false` if it is missing.
    ///
    /// # Errors
    /// `invalid_request` if it is neither true nor false.
    pub(super) fn flag(&self, name: &str) -> Result<bool, ToolError> {
        match self.0.get(name) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(other) => Err(wrong(name, other, "true or false")),
        }
    }

    /// One of these words.
    ///
    /// # Errors
    /// `invalid_request` if it is another word or no text.
    pub(super) fn word(&self, name: &str, words: &[&str]) -> Result<Option<&str>, ToolError> {
        let text = self.text(name)?;
        match text {
            Some(text) if !words.contains(&text) => {
                Err(wrong(name, &Value::from(text), &format!("one of {}", words.join(", "))))
            }
            text => Ok(text),
        }
    }
}

fn unknown<'a>(name: &str, known: &mut (impl Iterator<Item = &'a str> + Clone)) -> ToolError {
    let similarity = |known: &&str| strsim::jaro_winkler(name, known);
    let best = known.clone().max_by(|a, b| similarity(a).total_cmp(&similarity(b)));
    let advice = match best.filter(|best| similarity(best) >= MIN_SIMILARITY) {
        Some(best) => format!("did you mean {best:?}?"),
        None => format!("the tool has {}", known.collect::<Vec<_>>().join(", ")),
    };
    ToolError::invalid_request(format!("{:?} is not a known argument; {advice}", excerpt(name)))
}

fn wrong(name: &str, value: &Value, allowed: &str) -> ToolError {
    let value = value.to_string();
    ToolError::invalid_request(format!("{name} is {}; it must be {allowed}", excerpt(&value)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn arguments(value: Value) -> Result<Arguments, ToolError> {
        let schema = json!({ "properties": { "fen": {}, "lines": {}, "moves": {}, "side": {} } });
        let object = |value: Value| value.as_object().unwrap().clone();
        Arguments::new(object(value), &object(schema))
    }

    #[test]
    fn errors_name_the_value_and_what_is_allowed() {
        for (value, detail) in [
            (json!({ "fem": "" }), "\"fem\" is not a known argument; did you mean \"fen\"?"),
            (
                json!({ "zzz": 1 }),
                "\"zzz\" is not a known argument; the tool has fen, lines, moves, side",
            ),
            (json!({ "fen": 3 }), "fen is 3; it must be a string"),
            (json!({ "lines": 9 }), "lines is 9; it must be a whole number, 1 to 5"),
            (json!({ "lines": "2" }), "lines is \"2\"; it must be a whole number, 1 to 5"),
            (json!({ "moves": ["e4", 5] }), "moves[1] is 5; it must be a string"),
            (
                json!({ "moves": "e4 e5" }),
                "moves is \"e4 e5\"; it must be an array of strings, such as [\"e4\", \"e5\"]",
            ),
            (json!({ "side": "red" }), "side is \"red\"; it must be one of white, black"),
        ] {
            let error = arguments(value).and_then(|arguments| {
                arguments.text("fen")?;
                arguments.number("lines", 1..=5)?;
                arguments.texts("moves")?;
                arguments.word("side", &["white", "black"]).map(|_| ())
            });
            assert_eq!(error.unwrap_err().detail(), detail);
        }
    }

    #[test]
    fn null_is_a_missing_argument() {
        let arguments = arguments(json!({ "fen": null, "moves": null })).unwrap();
        assert!(!arguments.has("fen"));
        assert_eq!(arguments.texts("moves"), Ok(Vec::new()));
        assert_eq!(arguments.required_text("fen").unwrap_err().detail(), "fen is missing");
    }
}
