//! A server of the Redis protocol that is too old.

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// Listens and answers `INFO` with version 6.2.14, and everything else with `OK`. Returns the URL.
pub(crate) async fn start() -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let url = format!("redis://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(answer(stream));
        }
    });
    url
}

async fn answer(stream: TcpStream) {
    let mut stream = BufReader::new(stream);
    while let Some(command) = read_command(&mut stream).await {
        let info = "redis_version:6.2.14\r\n";
        let reply = match command.first().map(String::as_str) {
            Some("INFO") if command.len() > 2 => "-ERR syntax error\r\n".to_owned(),
            Some("INFO") => format!("${}\r\n{info}\r\n", info.len()),
            _ => "+OK\r\n".to_owned(),
        };
        if stream.write_all(reply.as_bytes()).await.is_err() {
            return;
        }
    }
}

/// Reads an array of texts; `None` at the end.
async fn read_command(stream: &mut BufReader<TcpStream>) -> Option<Vec<String>> {
    let count = read_length(stream, '*').await?;
    let mut command = Vec::new();
    for _ in 0..count {
        let mut bytes = vec![0; read_length(stream, '$').await? + 2];
        stream.read_exact(&mut bytes).await.ok()?;
        bytes.truncate(bytes.len() - 2);
        command.push(String::from_utf8(bytes).ok()?);
    }
    Some(command)
}

async fn read_length(stream: &mut BufReader<TcpStream>, kind: char) -> Option<usize> {
    let mut line = String::new();
    stream.read_line(&mut line).await.ok()?;
    line.strip_prefix(kind)?.trim_end().parse().ok()
}
