//! The attacks, each of one address: as many connections as the server allows, opened again when
//! the server closes them.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use axum::body::Bytes;
use axum::http::Request;
use shakmaty::{CastlingMode, Chess, Position, Role};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinSet;
use tokio::time::sleep;

/// An attack.
#[derive(Clone, Copy)]
pub(crate) enum Attack {
    /// Request heads that never end.
    HalfHeads,
    /// Bodies that never end.
    HalfBodies,
    /// Long responses that nobody reads.
    UnreadResponses,
    /// Bodies that never end, on many streams of each connection.
    HalfBodiesOverHttp2,
    /// Long responses on streams without a window.
    ClosedWindowsOverHttp2,
    /// Short responses on streams without a window. Nothing limits the memory of these requests but
    /// the number of streams.
    SmallResponsesOverHttp2,
    /// Messages of live boards in fragments, the last of which never ends.
    LiveFragments,
}

impl Attack {
    /// All attacks.
    pub(crate) const ALL: [Attack; 7] = [
        Attack::HalfHeads,
        Attack::HalfBodies,
        Attack::UnreadResponses,
        Attack::HalfBodiesOverHttp2,
        Attack::ClosedWindowsOverHttp2,
        Attack::SmallResponsesOverHttp2,
        Attack::LiveFragments,
    ];

    /// The name, by which a run selects attacks.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Attack::HalfHeads => "half heads",
            Attack::HalfBodies => "half bodies",
            Attack::UnreadResponses => "unread responses",
            Attack::HalfBodiesOverHttp2 => "half bodies over HTTP/2",
            Attack::ClosedWindowsOverHttp2 => "closed windows over HTTP/2",
            Attack::SmallResponsesOverHttp2 => "small responses over HTTP/2",
            Attack::LiveFragments => "fragments of live boards",
        }
    }

    /// Settings of the server other than the defaults. For live boards it allows so many of them,
    /// and has so little other memory, that each of them has to keep its part of the bound.
    pub(crate) fn settings(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Attack::LiveFragments => &[
                ("KIBITZER__STREAM__MAX", "4096"),
                ("KIBITZER__HTTP__CONNECTIONS", "4096"),
                ("KIBITZER__SEARCH__HASH_MB", "1"),
                ("KIBITZER__DICTIONARY__MAX_ENTRIES", "1000"),
                ("KIBITZER__BATCH__MAX", "1"),
            ],
            _ => &[],
        }
    }

    /// The connections of one address.
    fn connections(self) -> usize {
        match self {
            Attack::HalfHeads
            | Attack::HalfBodies
            | Attack::UnreadResponses
            | Attack::LiveFragments => CONNECTIONS,
            Attack::HalfBodiesOverHttp2
            | Attack::ClosedWindowsOverHttp2
            | Attack::SmallResponsesOverHttp2 => HTTP2_CONNECTIONS,
        }
    }
}

/// The connections of one address over HTTP/1.1.
const CONNECTIONS: usize = 256;

/// The connections of one address over HTTP/2, and the requests on each.
const HTTP2_CONNECTIONS: usize = 16;
const STREAMS: usize = 64;

/// The time until a connection that ended is opened again.
const PAUSE: Duration = Duration::from_millis(500);

/// How a connection ended: by the server, or with an error.
type Ended = Result<(), Box<dyn std::error::Error + Send + Sync>>;

/// Attacks from this address until it is cancelled.
pub(crate) async fn run(attack: Attack, server: SocketAddr, from: IpAddr) {
    let mut all = JoinSet::new();
    for _ in 0..attack.connections() {
        all.spawn(async move {
            loop {
                // Whatever ends the connection, it is opened again.
                let _ended = hold_connection(attack, server, from).await;
                sleep(PAUSE).await;
            }
        });
    }
    all.join_all().await;
}

async fn connect(server: SocketAddr, from: IpAddr) -> std::io::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.set_recv_buffer_size(4_096)?;
    socket.bind((from, 0).into())?;
    socket.connect(server).await
}

async fn hold_connection(attack: Attack, server: SocketAddr, from: IpAddr) -> Ended {
    let mut stream = connect(server, from).await?;
    match attack {
        Attack::HalfHeads => {
            let head = format!("GET /livez HTTP/1.1\r\nhost: x\r\ncookie: {}", "x".repeat(15_000));
            stream.write_all(head.as_bytes()).await?;
            wait_for_end(&mut stream).await
        }
        Attack::HalfBodies => {
            stream.write_all(&post("/v1/legal-moves", 65_536, &"x".repeat(65_000))).await?;
            wait_for_end(&mut stream).await
        }
        Attack::UnreadResponses => {
            let body = &*LONG_GAME;
            stream.write_all(&post("/v1/play", body.len(), body)).await?;
            // Nothing is read until the server gives up.
            sleep(Duration::from_secs(30)).await;
            Ok(())
        }
        Attack::HalfBodiesOverHttp2 => hold_streams(stream, "/v1/legal-moves", None).await,
        Attack::ClosedWindowsOverHttp2 => {
            hold_streams(stream, "/v1/play", Some(LONG_GAME.clone())).await
        }
        Attack::SmallResponsesOverHttp2 => hold_streams(stream, "/livez", Some("{}".into())).await,
        Attack::LiveFragments => {
            stream.write_all(UPGRADE.as_bytes()).await?;
            // The longest fragment that the server takes, and most of another one.
            stream.write_all(&fragment(Opcode::Text, LIVE_FRAGMENT_BYTES)).await?;
            let next = fragment(Opcode::Continuation, LIVE_FRAGMENT_BYTES);
            stream.write_all(&next[..next.len() - 1]).await?;
            wait_for_end(&mut stream).await
        }
    }
}

fn post(path: &str, length: usize, body: &str) -> Vec<u8> {
    format!(
        "POST {path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n\
         content-length: {length}\r\n\r\n{body}"
    )
    .into_bytes()
}

/// A request for a live board.
const UPGRADE: &str = "GET /v1/live HTTP/1.1\r\nhost: x\r\n\
    connection: upgrade\r\nupgrade: websocket\r\n\
    sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n";

/// The longest fragment that a live board takes: 64 KB and 8 KB more.
const LIVE_FRAGMENT_BYTES: usize = 72 << 10;

/// The opcode of a WebSocket frame.
#[derive(Clone, Copy)]
enum Opcode {
    Continuation = 0,
    Text = 1,
}

/// A WebSocket frame that is not the last one of its message (RFC 6455, 5.2), with a mask of zeros.
fn fragment(opcode: Opcode, bytes: usize) -> Vec<u8> {
    let mut frame = vec![opcode as u8, 0x80 | 127];
    frame.extend((bytes as u64).to_be_bytes());
    frame.extend([0; 4]);
    frame.resize(frame.len() + bytes, b' ');
    frame
}

async fn wait_for_end(stream: &mut TcpStream) -> Ended {
    stream.read_to_end(&mut Vec::new()).await?;
    Ok(())
}

/// Sends requests whose responses get no window: with a whole body, or with most of a body that
/// never ends.
async fn hold_streams(stream: TcpStream, path: &str, body: Option<Arc<str>>) -> Ended {
    let (sender, connection) =
        h2::client::Builder::new().initial_window_size(0).handshake::<_, Bytes>(stream).await?;
    let mut tasks = JoinSet::new();
    for _ in 0..STREAMS {
        let (sender, path, body) = (sender.clone(), path.to_owned(), body.clone());
        tasks.spawn(async move {
            loop {
                if let Ok(mut ready) = sender.clone().ready().await {
                    let request = Request::post(format!("http://x{path}"))
                        .header("content-type", "application/json")
                        .body(())
                        .expect("a valid request");
                    if let Ok((answer, mut upload)) = ready.send_request(request, false) {
                        let (text, is_whole) = match &body {
                            Some(body) => (body.to_string(), true),
                            None => ("x".repeat(60_000), false),
                        };
                        let _sent = upload.send_data(text.into(), is_whole);
                        if let Ok(answer) = answer.await {
                            // Ends when the server resets the stream.
                            let _reset = answer.into_body().data().await;
                        }
                    }
                }
                sleep(4 * PAUSE).await;
            }
        });
    }
    connection.await?;
    Ok(())
}

/// A request to play a game of 951 moves, whose response has about 450 KB.
static LONG_GAME: LazyLock<Arc<str>> = LazyLock::new(|| {
    let moves = (1..).map(random_game).find(|moves| moves.len() == 951).expect("a long game");
    serde_json::json!({ "fen": "startpos", "moves": moves }).to_string().into()
});

/// The moves of a random game that avoids captures, up to 951.
fn random_game(mut state: u64) -> Vec<String> {
    let mut position = Chess::default();
    let mut moves = Vec::new();
    while moves.len() < 951 && !position.is_game_over() {
        let legal = position.legal_moves();
        let wanted = |mv: &&shakmaty::Move| {
            let is_pawn_move = mv.role() == Role::Pawn;
            !mv.is_capture() && is_pawn_move == (position.halfmoves() > 90)
        };
        let mut choices: Vec<_> = legal.iter().filter(wanted).collect();
        if choices.is_empty() {
            choices = legal.iter().collect();
        }
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mv = *choices[(state >> 33) as usize % choices.len()];
        moves.push(mv.to_uci(CastlingMode::Standard).to_string());
        position.play_unchecked(mv);
    }
    moves
}
