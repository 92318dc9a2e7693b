//! `--server` with an `https` URL: which certificates the commands accept.

use std::net::SocketAddr;
use std::process::{Command, Output};
use std::time::{Duration, SystemTime};

use rcgen::{BasicConstraints, IsCa, KeyPair};

use crate::authority::{Authority, certificate_for, server_config};
use crate::gui::Gui;
use crate::server::{ScriptedReply, Server};

fn url(address: SocketAddr) -> String {
    format!("https://{address}")
}

/// A command that trusts the authorities of a file alone.
fn kibitzer(arguments: &[&str], trusted: &Authority) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kibitzer"));
    command.args(arguments).env("SSL_CERT_FILE", trusted.file()).env_remove("SSL_CERT_DIR");
    for proxy in ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"] {
        command.env_remove(proxy);
    }
    command
}

/// Asserts that every command refuses the server with status 1 and says why.
#[track_caller]
fn assert_refused(server: &str, trusted: &Authority, cause: &str) {
    for command in [&["uci"][..], &["mcp"], &["healthcheck"], &["analyse", "startpos"]] {
        let arguments = [command, &["--server", server]].concat();
        let output = kibitzer(&arguments, trusted).output().unwrap();
        assert_failed_with(&output, server, cause);
    }
}

#[track_caller]
fn assert_failed_with(output: &Output, server: &str, cause: &str) {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains(server) && stderr.contains(cause), "{stderr}");
    assert!(output.stdout.is_empty(), "{output:?}");
}

#[test]
fn the_own_authority_of_ssl_cert_file_is_trusted() {
    let authority = Authority::new();
    let tls = authority.sign(&certificate_for("127.0.0.1"));
    let server = Server::with_tls(tls, [ScriptedReply::Complete, ScriptedReply::StaysOpen]);
    let url = url(server.address);
    let mut gui = Gui::run(&mut kibitzer(&["uci", "--server", &url], &authority));
    let (_, best) = gui.search("position startpos\ngo depth 1");
    assert_eq!(best[1], "e2e4");
    // A stream arrives while it is sent, not at its end.
    gui.send_commands("position startpos\ngo infinite");
    gui.wait_for("info depth 1");
    gui.send_commands("stop");
    gui.wait_for("bestmove e2e4");

    let output = kibitzer(&["healthcheck", "--server", &url], &authority).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    // Its client has left already.
    let output = kibitzer(&["mcp", "--server", &url], &authority).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}

#[test]
fn a_self_signed_certificate_is_refused() {
    let key = KeyPair::generate().unwrap();
    let certificate = certificate_for("127.0.0.1").self_signed(&key).unwrap();
    let tls = server_config(certificate.der().clone(), &key);
    let server = Server::with_tls(tls, [ScriptedReply::Complete]);
    let cause = "the server's certificate is refused: it is not signed by a trusted authority; \
                 SSL_CERT_FILE names a PEM file with the authorities to trust";
    assert_refused(&url(server.address), &Authority::new(), cause);
}

#[test]
fn a_self_signed_certificate_is_trusted_by_name() {
    let key = KeyPair::generate().unwrap();
    let certificate = certificate_for("127.0.0.1").self_signed(&key).unwrap();
    let tls = server_config(certificate.der().clone(), &key);
    let server = Server::with_tls(tls, [ScriptedReply::Complete]);
    let trusted = Authority::new();
    std::fs::write(trusted.file(), certificate.pem()).unwrap();
    let check = ["healthcheck", "--server", &url(server.address)];
    let output = kibitzer(&check, &trusted).output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn a_certificate_of_an_authority_is_not_one_of_a_server() {
    // As `openssl req -x509` writes it.
    let key = KeyPair::generate().unwrap();
    let mut params = certificate_for("127.0.0.1");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let certificate = params.self_signed(&key).unwrap();
    let tls = server_config(certificate.der().clone(), &key);
    let server = Server::with_tls(tls, [ScriptedReply::Complete]);
    let trusted = Authority::new();
    std::fs::write(trusted.file(), certificate.pem()).unwrap();
    assert_refused(&url(server.address), &trusted, "it is the certificate of an authority");
}

#[test]
fn a_certificate_of_another_host_is_refused() {
    let authority = Authority::new();
    let tls = authority.sign(&certificate_for("kibitzer.example"));
    let server = Server::with_tls(tls, [ScriptedReply::Complete]);
    assert_refused(&url(server.address), &authority, "it is for another host: ");
}

#[test]
fn an_expired_certificate_is_refused() {
    let authority = Authority::new();
    let mut params = certificate_for("127.0.0.1");
    params.not_before = (SystemTime::now() - Duration::from_secs(7_200)).into();
    params.not_after = (SystemTime::now() - Duration::from_secs(3_600)).into();
    let server = Server::with_tls(authority.sign(&params), [ScriptedReply::Complete]);
    assert_refused(&url(server.address), &authority, "it has expired");
}

#[test]
fn a_file_of_authorities_that_cannot_be_read_is_named() {
    let authority = Authority::new();
    std::fs::remove_file(authority.file()).unwrap();
    let output =
        kibitzer(&["uci", "--server", "https://127.0.0.1:1"], &authority).output().unwrap();
    assert_failed_with(&output, "authority.pem", "no certificates of authorities to trust");
    // Plain HTTP needs none.
    let (server, _) = Server::scripted([ScriptedReply::Complete]);
    let check = ["healthcheck", "--server", &server.address.to_string()];
    let output = kibitzer(&check, &authority).output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn a_server_without_tls_is_named() {
    let (server, _) = Server::scripted([ScriptedReply::Complete]);
    let cause = "the server does not speak TLS at this port; use http://";
    assert_refused(&url(server.address), &Authority::new(), cause);
}

#[test]
fn a_redirect_to_https_is_not_followed() {
    let authority = Authority::new();
    let tls = authority.sign(&certificate_for("127.0.0.1"));
    let secure = Server::with_tls(tls, [ScriptedReply::Complete]);
    let server = Server::redirecting_to(&url(secure.address));
    let plain = format!("http://{}", server.address);
    let output = kibitzer(&["uci", "--server", &plain], &authority).output().unwrap();
    let cause = format!("the server redirects to {}; use that URL", url(secure.address));
    assert_failed_with(&output, &plain, &cause);
}
