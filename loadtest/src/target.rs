//! The target of a load test: the server and the callers.

use std::time::Duration;

use kibitzer::client::plain_http;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::{Client, RequestBuilder, StatusCode};

use crate::error::LoadError;
use crate::request::RequestSet;

/// Timeout of the readiness check.
const READY_TIMEOUT: Duration = Duration::from_secs(5);

/// A server, with the API keys of the callers.
#[derive(Clone, Debug)]
pub struct Target {
    url: String,
    client: Client,
    keys: Vec<HeaderValue>,
}

impl Target {
    /// A server by its root URL, such as `http://127.0.0.1:8080`, with a timeout for its answers.
    /// Requests use the keys in turn.
    ///
    /// # Errors
    ///
    /// The URL is invalid, or a key cannot be sent in a header.
    pub fn new(url: &str, keys: &[String], timeout: Duration) -> Result<Target, LoadError> {
        let parsed = reqwest::Url::parse(url)
            .map_err(|error| LoadError::InvalidUrl(url.to_owned(), error.to_string()))?;
        if parsed.scheme() != "http" {
            return Err(LoadError::InvalidUrl(
                url.to_owned(),
                "only http:// is supported".to_owned(),
            ));
        }
        let bearer = |(index, key): (usize, &String)| {
            let mut bearer = HeaderValue::try_from(format!("Bearer {key}"))
                .map_err(|_| LoadError::InvalidApiKey(index + 1))?;
            bearer.set_sensitive(true);
            Ok(bearer)
        };
        let keys = keys.iter().enumerate().map(bearer).collect::<Result<_, LoadError>>()?;
        // A proxy of the environment would falsify the measurement.
        let client = plain_http()?.no_proxy().timeout(timeout).build()?;
        Ok(Target { url: url.trim_end_matches('/').to_owned(), client, keys })
    }

    /// The root URL.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Number of callers: one per key, or one without keys.
    pub(crate) fn caller_count(&self) -> usize {
        self.keys.len().max(1)
    }

    /// The caller of a request.
    pub(crate) fn caller_index(&self, index: usize) -> usize {
        index % self.caller_count()
    }

    /// Builds a request.
    pub(crate) fn request(&self, requests: &RequestSet, index: usize) -> RequestBuilder {
        let request = self
            .client
            .post(format!("{}{}", self.url, requests.kind.route()))
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, requests.kind.accept())
            .body(requests.body(index));
        match self.keys.get(self.caller_index(index)) {
            Some(key) => request.header(AUTHORIZATION, key),
            None => request,
        }
    }

    /// Checks that the server is ready, and that it accepts requests without a key if there is
    /// none.
    ///
    /// # Errors
    ///
    /// `/readyz` does not return 200, or the server requires a key.
    pub(crate) async fn check(&self) -> Result<(), LoadError> {
        self.check_ready().await?;
        // With keys, this request would count against the rate of one of them.
        if self.keys.is_empty() && self.requires_key().await? {
            return Err(LoadError::KeyRequired(self.url.clone()));
        }
        Ok(())
    }

    async fn requires_key(&self) -> Result<bool, LoadError> {
        let url = format!("{}/v1/engine", self.url);
        let response = self.client.get(url).timeout(READY_TIMEOUT).send().await?;
        Ok(response.status() == StatusCode::UNAUTHORIZED)
    }

    async fn check_ready(&self) -> Result<(), LoadError> {
        let result =
            self.client.get(format!("{}/readyz", self.url)).timeout(READY_TIMEOUT).send().await;
        let not_ready = |reason| Err(LoadError::NotReady(self.url.clone(), reason));
        match result {
            Ok(response) if response.status() == StatusCode::OK => Ok(()),
            Ok(response) => {
                not_ready(format!("/readyz returned {}; expected 200 OK", response.status()))
            }
            Err(error) => not_ready(with_cause(&error)),
        }
    }
}

/// The text of an error and of its causes.
fn with_cause(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RequestKind, RequestLimits};

    fn target(url: &str, keys: &[&str]) -> Result<Target, LoadError> {
        let keys: Vec<String> = keys.iter().map(|&key| key.to_owned()).collect();
        Target::new(url, &keys, Duration::from_secs(1))
    }

    #[test]
    fn an_invalid_url_or_key_is_refused() {
        assert!(matches!(target("nonsense", &[]), Err(LoadError::InvalidUrl(..))));
        assert!(matches!(target("https://127.0.0.1", &[]), Err(LoadError::InvalidUrl(..))));
        assert!(matches!(
            target("http://127.0.0.1", &["a", "b\n"]),
            Err(LoadError::InvalidApiKey(2))
        ));
    }

    #[test]
    fn keys_are_used_in_turn() {
        let requests = RequestSet::new(
            RequestKind::LegalMoves,
            RequestLimits::default(),
            &["startpos".to_owned()],
        );
        let target = target("http://127.0.0.1:1/", &["a", "b"]).unwrap();
        let shown = |number| {
            let request = target.request(&requests, number).build().unwrap();
            assert_eq!(request.url().path(), "/v1/legal-moves");
            request.headers()[AUTHORIZATION].to_str().unwrap().to_owned()
        };
        assert_eq!([0, 1, 2].map(shown), ["Bearer a", "Bearer b", "Bearer a"]);
    }
}
