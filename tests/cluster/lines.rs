//! The lines of a response as they come.

use reqwest::Response;
use serde_json::Value;

/// A response of one JSON object on each line.
pub(crate) struct Lines {
    response: Response,
    text: Vec<u8>,
}

impl Lines {
    pub(crate) fn new(response: Response) -> Lines {
        Lines { response, text: Vec::new() }
    }

    /// The next line; `None` at the end.
    pub(crate) async fn next(&mut self) -> reqwest::Result<Option<Value>> {
        loop {
            if let Some(end) = self.text.iter().position(|&byte| byte == b'\n') {
                let line = serde_json::from_slice(&self.text[..end]).unwrap();
                self.text.drain(..=end);
                return Ok(Some(line));
            }
            match self.response.chunk().await? {
                Some(chunk) => self.text.extend_from_slice(&chunk),
                None => return Ok(None),
            }
        }
    }
}

/// The depth of a finished iteration.
pub(crate) fn depth_of(line: &Value) -> Option<u64> {
    if line["type"] == "info" { line["depth"].as_u64() } else { None }
}
