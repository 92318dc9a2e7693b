//! A body that is made piece by piece, as its reader takes it.

use std::error::Error;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use http_body::Frame;
use tokio::sync::mpsc;
use tracing::Instrument;

/// So much of a body is made before its answer begins.
const FIRST_BYTES: usize = 64 << 10;

/// Something that is written piece by piece.
pub(crate) trait Pieces: Send + 'static {
    /// Why it cannot go on.
    type Error: Error + Send + Sync + 'static;

    /// The next piece; `None` at the end.
    ///
    /// # Errors
    /// When it cannot go on.
    fn next(&mut self) -> impl Future<Output = Result<Option<Bytes>, Self::Error>> + Send;
}

/// The body. Its beginning is made at once: a short body is whole, or is not begun. Of the rest two
/// pieces are there at most: one that is taken, and one that is next. A body that cannot go on
/// breaks off.
///
/// # Errors
/// When the beginning cannot be made: the answer can still be another one.
pub(crate) async fn in_pieces<P: Pieces>(mut pieces: P) -> Result<Body, P::Error> {
    let mut beginning = Vec::new();
    while beginning.len() < FIRST_BYTES {
        match pieces.next().await? {
            Some(piece) => beginning.extend_from_slice(&piece),
            None => return Ok(Body::from(beginning)),
        }
    }
    let (put, take) = mpsc::channel(1);
    let written = async move {
        if put.send(Ok(Bytes::from(beginning))).await.is_err() {
            return;
        }
        loop {
            // Nothing is made before there is a place for it.
            let Ok(place) = put.reserve().await else { return };
            match pieces.next().await {
                Ok(Some(piece)) => place.send(Ok(piece)),
                Ok(None) => return,
                Err(error) => {
                    tracing::warn!(error = error.to_string(), "an answer breaks off");
                    return place.send(Err(io::Error::other(error)));
                }
            }
        }
    };
    tokio::spawn(written.in_current_span());
    Ok(Body::new(Taken(take)))
}

struct Taken(mpsc::Receiver<io::Result<Bytes>>);

impl HttpBody for Taken {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        self.0.poll_recv(context).map(|piece| piece.map(|piece| piece.map(Frame::data)))
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use super::*;

    /// Pieces of a size, numbered from 1, and how many there are before one that cannot be made, or
    /// the end.
    struct Numbered {
        bytes: usize,
        told: u8,
        most: u8,
        breaks: bool,
    }

    impl Pieces for Numbered {
        type Error = io::Error;

        async fn next(&mut self) -> io::Result<Option<Bytes>> {
            if self.told < self.most {
                self.told += 1;
                return Ok(Some(Bytes::from(vec![self.told; self.bytes])));
            }
            if self.breaks { Err(io::Error::other("broken")) } else { Ok(None) }
        }
    }

    const SHORT: Numbered = Numbered { bytes: 10, told: 0, most: 3, breaks: false };
    const LONG: Numbered = Numbered { bytes: FIRST_BYTES / 2, most: 5, ..SHORT };

    async fn frames(pieces: Numbered) -> Vec<Result<Bytes, axum::Error>> {
        let mut body = in_pieces(pieces).await.unwrap();
        let mut frames = Vec::new();
        while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
            frames.push(frame.map(|frame| frame.into_data().unwrap()));
        }
        frames
    }

    #[tokio::test]
    async fn pieces_come_in_their_order_to_the_end() {
        for pieces in [SHORT, LONG] {
            let (bytes, most) = (pieces.bytes, pieces.most);
            let all =
                frames(pieces).await.into_iter().map(Result::unwrap).collect::<Vec<_>>().concat();
            assert_eq!(all, (1..=most).flat_map(|number| vec![number; bytes]).collect::<Vec<_>>());
        }
    }

    #[tokio::test]
    async fn what_is_short_is_whole_or_is_not_begun() {
        assert_eq!(frames(SHORT).await.len(), 1);
        let refused = in_pieces(Numbered { breaks: true, ..SHORT }).await;
        assert_eq!(refused.map(|_| ()).unwrap_err().to_string(), "broken");
    }

    #[tokio::test]
    async fn what_is_long_and_cannot_go_on_breaks_off() {
        let frames = frames(Numbered { breaks: true, ..LONG }).await;
        assert_eq!(
            frames.iter().map(Result::is_ok).collect::<Vec<_>>(),
            [true, true, true, true, false]
        );
    }
}
