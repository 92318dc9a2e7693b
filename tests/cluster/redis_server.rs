//! The server that the nodes share.

use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};

use redis::AsyncConnectionConfig;
use redis::aio::MultiplexedConnection;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::wait::{LONG, until};

/// A server process, killed when it is dropped.
pub(crate) struct RedisServer {
    child: Child,
    port: u16,
    arguments: Vec<String>,
    /// The working folder of the server, with its data.
    folder: TempDir,
}

impl RedisServer {
    /// Starts a server.
    pub(crate) async fn start() -> RedisServer {
        RedisServer::start_with(&[]).await
    }

    /// Starts a server with more arguments.
    pub(crate) async fn start_with(arguments: &[&str]) -> RedisServer {
        RedisServer::start_at(free_port(), arguments).await
    }

    /// Starts a server that has each write on its disk before it answers.
    pub(crate) async fn start_durable() -> RedisServer {
        RedisServer::start_with(&["--appendonly", "yes", "--appendfsync", "always"]).await
    }

    /// Starts a server at a port.
    pub(crate) async fn start_at(port: u16, arguments: &[&str]) -> RedisServer {
        let arguments: Vec<String> = arguments.iter().map(|&text| text.to_owned()).collect();
        let folder = tempfile::tempdir().unwrap();
        let child = spawn(port, folder.path(), &arguments);
        let server = RedisServer { child, port, arguments, folder };
        server.wait_until_ready().await;
        server
    }

    /// Starts the server again on its port. It has what was on its disk.
    pub(crate) async fn restart(&mut self) {
        self.kill();
        self.child = spawn(self.port, self.folder.path(), &self.arguments);
        self.wait_until_ready().await;
    }

    /// The URL of the server.
    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Host and port of the server.
    pub(crate) fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// A connection of the test itself.
    pub(crate) async fn connect(&self) -> MultiplexedConnection {
        let client = redis::Client::open(self.url()).unwrap();
        let config = AsyncConnectionConfig::new().set_response_timeout(Some(LONG));
        client.get_multiplexed_async_connection_with_config(&config).await.unwrap()
    }

    /// Kills the process by SIGKILL.
    pub(crate) fn kill(&mut self) {
        // Both calls fail only if the process has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Stops the process where it is: connections stay open and nothing is answered.
    pub(crate) fn freeze(&self) {
        self.signal("-STOP");
    }

    /// Lets a frozen process go on.
    pub(crate) fn thaw(&self) {
        self.signal("-CONT");
    }

    fn signal(&self, signal: &str) {
        let sent = Command::new("kill").args([signal, &self.child.id().to_string()]).status();
        assert!(sent.unwrap().success());
    }

    async fn wait_until_ready(&self) {
        let address = ("127.0.0.1", self.port);
        until("the server answers", LONG, async || is_answering(address).await).await;
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        self.kill();
    }
}

/// How many nodes listen to entries into sessions.
pub(crate) async fn listeners(server: &RedisServer) -> u64 {
    let mut command = redis::cmd("PUBSUB");
    command.arg("NUMSUB").arg("k1:sessions");
    let (_, count): (String, u64) = command.query_async(&mut server.connect().await).await.unwrap();
    count
}

/// `true` if a server answers at this address, whatever it answers.
pub(crate) async fn is_answering(address: (&str, u16)) -> bool {
    let Ok(mut stream) = TcpStream::connect(address).await else { return false };
    let mut answer = [0; 1];
    stream.write_all(b"PING\r\n").await.is_ok() && stream.read_exact(&mut answer).await.is_ok()
}

/// A port that nobody listens on. Each call returns another one, and none that the system gives to
/// whoever asks for any port: a server needs some time until it listens.
pub(crate) fn free_port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let first = (std::process::id() % 100) as u16 * 120;
    loop {
        let port = 20_000 + (first + NEXT.fetch_add(1, Ordering::Relaxed)) % 12_000;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

/// The program of the server.
pub(crate) fn program() -> String {
    std::env::var("REDIS_SERVER").unwrap_or_else(|_| "redis-server".to_owned())
}

fn spawn(port: u16, folder: &Path, arguments: &[String]) -> Child {
    let program = program();
    Command::new(&program)
        .args(["--bind", "127.0.0.1", "--port", &port.to_string(), "--save", ""])
        .args(["--maxmemory", "64mb", "--maxmemory-policy", "volatile-lfu"])
        // A replica follows at once.
        .args(["--repl-diskless-sync-delay", "0"])
        .args(arguments)
        .current_dir(folder)
        .stdout(Stdio::null())
        .spawn()
        .unwrap_or_else(|error| {
            panic!("{program}: {error}; on Debian: apt-get install redis-server")
        })
}
