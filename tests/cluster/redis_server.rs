//! The server that the nodes share.

use std::net::TcpListener;
use std::process::{Child, Command, Stdio};

use redis::aio::MultiplexedConnection;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::wait::{LONG, until};

/// A server process, killed when it is dropped.
pub(crate) struct RedisServer {
    child: Child,
    port: u16,
    arguments: Vec<String>,
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

    /// Starts a server at a port.
    pub(crate) async fn start_at(port: u16, arguments: &[&str]) -> RedisServer {
        let arguments: Vec<String> = arguments.iter().map(|&text| text.to_owned()).collect();
        let server = RedisServer { child: spawn(port, &arguments), port, arguments };
        server.wait_until_ready().await;
        server
    }

    /// Starts the server again on its port. Its data is gone.
    pub(crate) async fn restart(&mut self) {
        self.kill();
        self.child = spawn(self.port, &self.arguments);
        self.wait_until_ready().await;
    }

    /// The URL of the server.
    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// Host and port of the server.
    pub(crate) fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// A connection of the test itself.
    pub(crate) async fn connect(&self) -> MultiplexedConnection {
        let client = redis::Client::open(self.url()).unwrap();
        client.get_multiplexed_async_connection().await.unwrap()
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
async fn is_answering(address: (&str, u16)) -> bool {
    let Ok(mut stream) = TcpStream::connect(address).await else { return false };
    let mut answer = [0; 1];
    stream.write_all(b"PING\r\n").await.is_ok() && stream.read_exact(&mut answer).await.is_ok()
}

/// A port that nobody listens on.
pub(crate) fn free_port() -> u16 {
    TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port()
}

fn spawn(port: u16, arguments: &[String]) -> Child {
    let program = std::env::var("REDIS_SERVER").unwrap_or_else(|_| "redis-server".to_owned());
    Command::new(&program)
        .args(["--bind", "127.0.0.1", "--port", &port.to_string(), "--save", ""])
        .args(["--maxmemory", "64mb", "--maxmemory-policy", "allkeys-lfu"])
        .args(arguments)
        .stdout(Stdio::null())
        .spawn()
        .unwrap_or_else(|error| {
            panic!("{program}: {error}; on Debian: apt-get install redis-server")
        })
}
