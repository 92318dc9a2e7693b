//! The address of a client behind proxies, and the origin of the page that opens a WebSocket.

use std::net::{IpAddr, SocketAddr};

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
    /// received the request from. The first untrusted address is the client's. A client may send
    /// anything to the left of it, so that an element without an address ends the walk.
    pub(crate) fn client_address(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let mut client = peer.to_canonical();
        let lists = headers.get_all(X_FORWARDED_FOR);
        let mut hops = lists
            .iter()
            .rev()
            .flat_map(|list| list.as_bytes().rsplit(|&byte| byte == b','))
            .map(forwarded_address);
        while self.trusts(client)
            && let Some(Some(address)) = hops.next()
        {
            client = address.to_canonical();
        }
        client
    }
}

/// The address in one element of `X-Forwarded-For`. Some proxies add a port, brackets or quotes.
fn forwarded_address(element: &[u8]) -> Option<IpAddr> {
    let text = str::from_utf8(element).ok()?.trim_ascii();
    let unquoted = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    let text = unquoted.unwrap_or(text).trim_ascii();
    let without_brackets = || text.strip_prefix('[')?.strip_suffix(']')?.parse().ok();
    text.parse()
        .or_else(|_| text.parse().map(|address: SocketAddr| address.ip()))
        .ok()
        .or_else(|| without_brackets().map(IpAddr::V6))
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
/// An origin that is no http or https URL, such as `null`, is never allowed.
pub(crate) fn disallowed_origin<'a>(
    headers: &'a HeaderMap,
    uri: &Uri,
    allowed: &[String],
) -> Option<&'a str> {
    // A request without an origin does not come from a web page.
    let origin = headers.get(ORIGIN)?.to_str().unwrap_or("(not ASCII)");
    let host = request_host(headers, uri);
    let Some(origin_host) = origin_host(origin) else { return Some(origin) };
    let is_same_host = host.is_some_and(|host| origin_host.eq_ignore_ascii_case(host));
    let is_allowed = allowed.iter().any(|allowed| allowed == "*" || allowed == origin);
    (!is_same_host && !is_allowed).then_some(origin)
}

/// The host and port that the client names.
pub(crate) fn request_host<'a>(headers: &'a HeaderMap, uri: &'a Uri) -> Option<&'a str> {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    host.or_else(|| uri.authority().map(|host| host.as_str()))
}

/// The host and port of an origin of the form `http://host:port` or `https://host:port`.
fn origin_host(origin: &str) -> Option<&str> {
    let uri: Uri = origin.parse().ok()?;
    if !matches!(uri.scheme_str(), Some("http" | "https")) || uri.host()?.is_empty() {
        return None;
    }
    origin.split_once("://").map(|(_, host)| host)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn forwarded_client(peer: &str, forwarded: &[&str]) -> String {
        let lists: Vec<&[u8]> = forwarded.iter().map(|list| list.as_bytes()).collect();
        forwarded_client_of_bytes(peer, &lists)
    }

    fn forwarded_client_of_bytes(peer: &str, forwarded: &[&[u8]]) -> String {
        let proxies = TrustedProxies::new(
            ["10.0.0.0/8", "::1/128"].map(|network| network.parse().unwrap()).to_vec(),
        );
        let mut headers = HeaderMap::new();
        for list in forwarded {
            headers.append(X_FORWARDED_FOR, HeaderValue::from_bytes(list).unwrap());
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
    fn an_element_may_have_a_port_brackets_quotes_and_spaces() {
        for (element, client) in [
            ("198.51.100.1:4711", "198.51.100.1"),
            ("[2001:db8::1]:4711", "2001:db8::1"),
            ("[2001:db8::1]", "2001:db8::1"),
            ("\"[2001:db8::1]:4711\"", "2001:db8::1"),
            (" \" 198.51.100.1 \"\t", "198.51.100.1"),
            ("::ffff:198.51.100.1", "198.51.100.1"),
        ] {
            assert_eq!(forwarded_client("10.0.0.1", &[element]), client, "{element}");
            let list = format!("203.0.113.9, {element}, 10.2.3.4:80");
            assert_eq!(forwarded_client("10.0.0.1", &[&list]), client, "{list}");
        }
    }

    #[test]
    fn an_invalid_element_only_ends_the_walk() {
        for invalid in [&b"\xff"[..], b"", b"unknown", b"198.51.100.1:99999", b"[10.2.3.4]"] {
            let list = |right: &[u8]| [&b"203.0.113.9,"[..], invalid, b",", right].concat();
            assert_eq!(
                forwarded_client_of_bytes("10.0.0.1", &[&list(b"198.51.100.1, 10.2.3.4")]),
                "198.51.100.1",
                "the client cannot hide its address"
            );
            assert_eq!(
                forwarded_client_of_bytes("10.0.0.1", &[&list(b"10.2.3.4")]),
                "10.2.3.4",
                "the last trusted hop is the client"
            );
            assert_eq!(
                forwarded_client_of_bytes("10.0.0.1", &[&b"203.0.113.9"[..], invalid, b"10.2.3.4"]),
                "10.2.3.4",
                "several headers"
            );
        }
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
        for origin in ["null", "file://", "x", "http://", "ftp://chess.example:8080", "://"] {
            assert!(is_disallowed(Some(origin), &["*", origin]), "{origin}");
        }
    }
}
