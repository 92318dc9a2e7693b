//! The target of a load test: the server, or the nodes of a cluster, and the callers.

use std::time::Duration;

use kibitzer::client::plain_http;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::{Client, RequestBuilder, StatusCode};

use crate::error::LoadError;
use crate::request::RequestSet;

/// Timeout of the readiness check.
const READY_TIMEOUT: Duration = Duration::from_secs(5);

/// A server or several nodes, with the API keys of the callers.
#[derive(Clone, Debug)]
pub struct Target {
    /// The root URL of each node.
    urls: Vec<String>,
    client: Client,
    keys: Vec<HeaderValue>,
}

impl Target {
    /// Nodes by their root URLs, such as `http://127.0.0.1:8080`, with a timeout for their answers.
    /// Requests go to the nodes in turn, and use the keys in turn.
    ///
    /// # Errors
    ///
    /// A URL is invalid, or a key cannot be sent in a header.
    pub fn new(urls: &[String], keys: &[String], timeout: Duration) -> Result<Target, LoadError> {
        urls.iter().try_for_each(|url| check_url(url))?;
        let bearer = |(index, key): (usize, &String)| {
            let mut bearer = HeaderValue::try_from(format!("Bearer {key}"))
                .map_err(|_| LoadError::InvalidApiKey(index + 1))?;
            bearer.set_sensitive(true);
            Ok(bearer)
        };
        let keys = keys.iter().enumerate().map(bearer).collect::<Result<_, LoadError>>()?;
        // A proxy of the environment would falsify the measurement.
        let client = plain_http()?.no_proxy().timeout(timeout).build()?;
        let urls = urls.iter().map(|url| url.trim_end_matches('/').to_owned()).collect();
        Ok(Target { urls, client, keys })
    }

    /// The root URLs.
    pub(crate) fn urls(&self) -> &[String] {
        &self.urls
    }

    /// The first nodes of these.
    pub(crate) fn first_nodes(&self, count: usize) -> Target {
        Target { urls: self.urls[..count.min(self.urls.len())].to_vec(), ..self.clone() }
    }

    /// Each node as a target of its own.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = Target> {
        self.urls.iter().map(|url| Target { urls: vec![url.clone()], ..self.clone() })
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
        let node = &self.urls[index % self.urls.len()];
        let request = self
            .client
            .post(format!("{node}{}", requests.kind.route()))
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, requests.kind.accept())
            .body(requests.body(index));
        match self.keys.get(self.caller_index(index)) {
            Some(key) => request.header(AUTHORIZATION, key),
            None => request,
        }
    }

    /// Checks that all nodes are ready, and that they accept requests without a key if there is
    /// none.
    ///
    /// # Errors
    ///
    /// `/readyz` does not return 200, or a node requires a key.
    pub(crate) async fn check(&self) -> Result<(), LoadError> {
        for url in &self.urls {
            self.check_ready(url).await?;
            // With keys, this request would count against the rate of one of them.
            if self.keys.is_empty() && self.requires_key(url).await? {
                return Err(LoadError::KeyRequired(url.clone()));
            }
        }
        Ok(())
    }

    async fn requires_key(&self, url: &str) -> Result<bool, LoadError> {
        let url = format!("{url}/v1/engine");
        let response = self.client.get(url).timeout(READY_TIMEOUT).send().await?;
        Ok(response.status() == StatusCode::UNAUTHORIZED)
    }

    async fn check_ready(&self, url: &str) -> Result<(), LoadError> {
        let result = self.client.get(format!("{url}/readyz")).timeout(READY_TIMEOUT).send().await;
        let not_ready = |reason| Err(LoadError::NotReady(url.to_owned(), reason));
        match result {
            Ok(response) if response.status() == StatusCode::OK => Ok(()),
            Ok(response) => {
                not_ready(format!("/readyz returned {}; expected 200 OK", response.status()))
            }
            Err(error) => not_ready(with_cause(&error)),
        }
    }
}

/// # Errors
///
/// The URL is invalid, or has another scheme than `http`.
fn check_url(url: &str) -> Result<(), LoadError> {
    let invalid = |reason: String| LoadError::InvalidUrl(url.to_owned(), reason);
    let parsed = reqwest::Url::parse(url).map_err(|error| invalid(error.to_string()))?;
    if parsed.scheme() == "http" {
        Ok(())
    } else {
        Err(invalid("only http:// is supported".to_owned()))
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
        Target::new(&[url.to_owned()], &keys, Duration::from_secs(1))
    }

    fn requests(kind: RequestKind) -> RequestSet {
        RequestSet::new(kind, RequestLimits::default(), &["startpos".to_owned()])
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
    fn nodes_are_asked_in_turn() {
        let requests = requests(RequestKind::BestMove);
        let urls = ["http://10.0.0.1/", "http://10.0.0.2:8080"].map(str::to_owned);
        let target = Target::new(&urls, &[], Duration::from_secs(1)).unwrap();
        let asked = |target: &Target, number| {
            let request = target.request(&requests, number).build().unwrap();
            request.url().to_string()
        };
        let (first, second) = ("http://10.0.0.1/v1/best-move", "http://10.0.0.2:8080/v1/best-move");
        assert_eq!([0, 1, 2].map(|number| asked(&target, number)), [first, second, first]);
        let first_node = target.first_nodes(1);
        assert_eq!([0, 1].map(|number| asked(&first_node, number)), [first, first]);
    }

    #[test]
    fn keys_are_used_in_turn() {
        let requests = requests(RequestKind::LegalMoves);
        let target = target("http://127.0.0.1:1/", &["a", "b"]).unwrap();
        let shown = |number| {
            let request = target.request(&requests, number).build().unwrap();
            assert_eq!(request.url().path(), "/v1/legal-moves");
            request.headers()[AUTHORIZATION].to_str().unwrap().to_owned()
        };
        assert_eq!([0, 1, 2].map(shown), ["Bearer a", "Bearer b", "Bearer a"]);
    }
}
