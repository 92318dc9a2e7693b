//! TLS: `rediss://` with a certificate of an authority of one's own.

use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

use crate::authority::{Authority, certificate_for};
use crate::jobs::{GAME, moves};
use crate::node::{ANSWERED, Node};
use crate::redis_server::{RedisServer, listeners};
use crate::wait::{LONG, until};

/// Puts TLS before a server. Returns the URL.
async fn serve_tls(server: &RedisServer, authority: &Authority) -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let acceptor =
        TlsAcceptor::from(std::sync::Arc::new(authority.sign(&certificate_for("localhost"))));
    let server = server.address();
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            let (acceptor, server) = (acceptor.clone(), server.clone());
            tokio::spawn(async move {
                // A client that refuses the certificate ends here.
                let Ok(mut client) = acceptor.accept(client).await else { return };
                let mut server = TcpStream::connect(server).await.unwrap();
                let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
            });
        }
    });
    format!("rediss://localhost:{port}")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn nodes_share_all_through_tls() {
    let (server, authority) = (RedisServer::start_durable().await, Authority::new());
    let url = serve_tls(&server, &authority).await;
    let file = authority.file();
    let settings = [("SSL_CERT_FILE", file.to_str().unwrap())];
    let nodes = [(); 2].map(|()| Node::start(&url, &settings));
    for node in &nodes {
        node.wait_for_nodes(2).await;
    }
    until("both listen", LONG, async || listeners(&server).await == 2).await;
    let job = nodes[0].accept(GAME, 1_000).await;
    assert_eq!(moves(&nodes[1].wait_for_job(&job).await).len(), 10);
    nodes[0].best_move("startpos", 14).await;
    nodes[1].best_move("startpos", 12).await;
    assert!(nodes[1].metric(ANSWERED).await >= 1.0, "its reads are answered in time");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_certificate_of_an_unknown_authority_is_refused() {
    let (server, authority) = (RedisServer::start().await, Authority::new());
    let url = serve_tls(&server, &authority).await;
    let other = Authority::new();
    let file = other.file();
    let node = Node::start(&url, &[("SSL_CERT_FILE", file.to_str().unwrap())]);
    node.wait_until_degraded(true).await;
    assert_eq!(listeners(&server).await, 0);
}
