//! The address of a client behind proxies, and the origin of the page that opens a WebSocket.

use std::net::IpAddr;

use axum::http::header::{HOST, ORIGIN};
use axum::http::{HeaderMap, Uri};
use ipnet::IpNet;

use crate::analysis::Client;
use crate::http::headers::X_FORWARDED_FOR;

/// The proxies whose `X-Forwarded-For` is trusted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrustedProxies(Vec<IpNet>);

impl TrustedProxies {
    /// Trusts all proxies in these networks.
    pub fn new(networks: Vec<IpNet>) -> TrustedProxies {
        TrustedProxies(networks)
    }

    /// Whether the canonical address is that of a trusted proxy.
    pub(crate) fn trusts(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(&address))
    }

    /// The address of the client: the remote end of the connection, or the address that trusted
    /// proxies report.
    ///
    /// `X-Forwarded-For` is read from the right, since each proxy appends the address that it
    /// received the request from. The first untrusted address is the client's.
    pub(crate) fn client_address(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let mut client = peer.to_canonical();
        let lists = headers.get_all(X_FORWARDED_FOR);
        let mut hops: Vec<&str> = lists
            .iter()
            .filter_map(|list| list.to_str().ok())
            .flat_map(|list| list.split(','))
            .collect();
        while self.trusts(client)
            && let Some(next) = hops.pop()
        {
            match next.trim().parse::<IpAddr>() {
                Ok(address) => client = address.to_canonical(),
                // An invalid entry makes all entries before it untrustworthy.
                Err(_) => break,
            }
        }
        client
    }
}

/// The client at an address. Providers assign each customer a whole IPv6 /64 network, so that one
/// such network is one client.
pub(crate) fn client_for_address(address: IpAddr) -> Client {
    let name = match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            format!("{a:x}:{b:x}:{c:x}:{d:x}::/64")
        }
    };
    Client::new(&name)
}

/// The origin of the requesting web page, if it is neither this host nor allowed (`*` allows all).
pub(crate) fn disallowed_origin<'a>(
    headers: &'a HeaderMap,
    uri: &Uri,
    allowed: &[String],
) -> Option<&'a str> {
    // A request without an origin does not come from a web page.
    let origin = headers.get(ORIGIN)?.to_str().unwrap_or("(not ASCII)");
    let host = headers
        .get(HOST)
        .and_then(|host| host.to_str().ok())
        .or_else(|| uri.authority().map(|host| host.as_str()));
    let origin_host = origin.split_once("://").map(|(_, host)| host);
    let is_same_host =
        matches!((origin_host, host), (Some(own), Some(host)) if own.eq_ignore_ascii_case(host));
    let is_allowed = allowed.iter().any(|allowed| allowed == "*" || allowed == origin);
    (!is_same_host && !is_allowed).then_some(origin)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn forwarded_client(peer: &str, forwarded: &[&'static str]) -> String {
        let proxies = TrustedProxies::new(
            ["10.0.0.0/8", "::1/128"].map(|network| network.parse().unwrap()).to_vec(),
        );
        let mut headers = HeaderMap::new();
        for list in forwarded {
            headers.append(X_FORWARDED_FOR, HeaderValue::from_static(list));
        }
        proxies.client_address(peer.parse().unwrap(), &headers).to_string()
    }

    #[test]
    fn only_trusted_proxies_set_the_client_address() {
        assert_eq!(forwarded_client("192.0.2.7", &["198.51.100.1"]), "192.0.2.7");
        assert_eq!(forwarded_client("10.0.0.1", &["198.51.100.1"]), "198.51.100.1");
        assert_eq!(
            forwarded_client("::ffff:10.0.0.1", &["198.51.100.1"]),
            "198.51.100.1",
            "an IPv4-mapped IPv6 address"
        );
        assert_eq!(forwarded_client("10.0.0.1", &[]), "10.0.0.1");
    }

    #[test]
    fn the_list_is_read_from_the_right() {
        assert_eq!(
            forwarded_client("10.0.0.1", &["203.0.113.9, 198.51.100.1, 10.2.3.4"]),
            "198.51.100.1"
        );
        assert_eq!(
            forwarded_client("10.0.0.1", &["203.0.113.9", "198.51.100.1, 10.2.3.4"]),
            "198.51.100.1"
        );
        assert_eq!(forwarded_client("10.0.0.1", &["203.0.113.9, unknown"]), "10.0.0.1");
    }

    #[test]
    fn a_customers_ipv6_addresses_are_one_client() {
        let of = |text: &str| client_for_address(text.parse().unwrap());
        assert_eq!(of("2001:db8:1:2:3:4:5:6"), of("2001:db8:1:2::9"));
        assert_ne!(of("2001:db8:1:2::9"), of("2001:db8:1:3::9"));
        assert_eq!(of("192.0.2.7").to_string(), "192.0.2.7");
    }

    fn is_disallowed(origin: Option<&'static str>, allowed: &[&str]) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, HeaderValue::from_static("chess.example:8080"));
        if let Some(origin) = origin {
            headers.insert(ORIGIN, HeaderValue::from_static(origin));
        }
        let allowed: Vec<String> = allowed.iter().map(|&origin| origin.to_owned()).collect();
        disallowed_origin(&headers, &Uri::from_static("/v1/live"), &allowed).is_some()
    }

    #[test]
    fn the_same_host_and_allowed_origins_are_accepted() {
        assert!(!is_disallowed(None, &[]), "a client that is not a web page sends no origin");
        assert!(!is_disallowed(Some("http://chess.example:8080"), &[]));
        assert!(
            !is_disallowed(Some("https://Chess.example:8080"), &[]),
            "a proxy may terminate TLS"
        );
        assert!(!is_disallowed(Some("https://board.example"), &["https://board.example"]));
        assert!(!is_disallowed(Some("https://anywhere.example"), &["*"]));
    }

    #[test]
    fn other_origins_are_refused() {
        assert!(is_disallowed(Some("http://chess.example"), &[]), "another port is another origin");
        assert!(is_disallowed(Some("https://elsewhere.example"), &["https://board.example"]));
        assert!(is_disallowed(Some("null"), &[]));
    }
}
