//! A body that is made piece by piece, as its reader takes it.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use http_body::Frame;
use tokio::sync::mpsc;
use tracing::Instrument;

/// Something that is written piece by piece.
pub(crate) trait Pieces: Send + 'static {
    /// The next piece; `None` at the end.
    ///
    /// # Errors
    /// When it cannot go on: then the body breaks off.
    fn next(&mut self) -> impl Future<Output = io::Result<Option<Bytes>>> + Send;
}

/// The body. Two pieces are there at most: one that is taken, and one that is next.
pub(crate) fn in_pieces(mut pieces: impl Pieces) -> Body {
    let (put, take) = mpsc::channel(1);
    let written = async move {
        loop {
            // Nothing is made before there is a place for it.
            let Ok(place) = put.reserve().await else { return };
            match pieces.next().await {
                Ok(Some(piece)) => place.send(Ok(piece)),
                Ok(None) => return,
                Err(error) => {
                    tracing::warn!(error = error.to_string(), "an answer breaks off");
                    return place.send(Err(error));
                }
            }
        }
    };
    tokio::spawn(written.in_current_span());
    Body::new(Taken(take))
}

struct Taken(mpsc::Receiver<io::Result<Bytes>>);

impl HttpBody for Taken {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        self.0.poll_recv(context).map(|piece| piece.map(|piece| piece.map(Frame::data)))
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use super::*;

    struct Count(u8);

    impl Pieces for Count {
        async fn next(&mut self) -> io::Result<Option<Bytes>> {
            self.0 += 1;
            match self.0 {
                1..=3 => Ok(Some(Bytes::from(self.0.to_string()))),
                4 => Ok(None),
                _ => Err(io::Error::other("broken")),
            }
        }
    }

    async fn frames(pieces: Count) -> Vec<Result<Bytes, axum::Error>> {
        let mut body = in_pieces(pieces);
        let mut frames = Vec::new();
        while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
            frames.push(frame.map(|frame| frame.into_data().unwrap()));
        }
        frames
    }

    #[tokio::test]
    async fn pieces_come_in_their_order_to_the_end() {
        let all: Vec<_> = frames(Count(0)).await.into_iter().map(Result::unwrap).collect();
        assert_eq!(all, ["1", "2", "3"].map(Bytes::from));
    }

    #[tokio::test]
    async fn what_cannot_go_on_breaks_off() {
        let frames = frames(Count(4)).await;
        assert!(frames.len() == 1 && frames[0].is_err(), "{frames:?}");
    }
}
