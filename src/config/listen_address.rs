//! The text forms of an address to listen on.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};

/// A text that is no address to listen on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not an address to listen on; it must be IP:port, localhost:port or :port, with a \
     port of 0 to 65535, such as 127.0.0.1:8080 or [::1]:8080"
)]
pub struct ListenAddressError(String);

/// Parses `IP:port`, `localhost:port` (127.0.0.1) or `:port` (all addresses).
///
/// # Errors
/// The text has another form.
pub fn parse_listen_address(text: &str) -> Result<SocketAddr, ListenAddressError> {
    let named = || {
        let (host, port) = text.split_once(':')?;
        // `parse` alone would accept a sign.
        let port = port.parse().ok().filter(|_| port.bytes().all(|byte| byte.is_ascii_digit()))?;
        match host {
            "" => Some(all_addresses(port)),
            "localhost" => Some((Ipv4Addr::LOCALHOST, port).into()),
            _ => None,
        }
    };
    text.parse().ok().or_else(named).ok_or_else(|| ListenAddressError(text.to_owned()))
}

/// All addresses: IPv6 and IPv4 where one socket accepts both, else IPv4.
fn all_addresses(port: u16) -> SocketAddr {
    // Linux has this file if it supports IPv6, and 0 means that an IPv6 socket accepts IPv4 too.
    let is_dual_stack = std::fs::read_to_string("/proc/sys/net/ipv6/bindv6only")
        .is_ok_and(|text| text.trim() == "0");
    if is_dual_stack {
        (Ipv6Addr::UNSPECIFIED, port).into()
    } else {
        (Ipv4Addr::UNSPECIFIED, port).into()
    }
}

/// The URL by which a client on this machine reaches a server that listens on this address.
pub fn local_url(address: SocketAddr) -> String {
    if address.ip().is_unspecified() {
        format!("http://localhost:{}", address.port())
    } else {
        format!("http://{address}")
    }
}
