//! A body that is there already, and holds a place until its reader has it.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use http_body::{Frame, SizeHint};

use super::Place;

/// Bytes of a piece. What the connection has taken it keeps until it is sent: so it gets a copy of
/// little, and never hold of the whole.
const PIECE: usize = 64 << 10;

/// A body that holds a place.
pub(crate) fn held(bytes: impl Into<Bytes>, place: Place) -> Body {
    Body::new(Held { rest: bytes.into(), _place: place })
}

struct Held {
    rest: Bytes,
    _place: Place,
}

impl HttpBody for Held {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        if self.rest.is_empty() {
            return Poll::Ready(None);
        }
        let length = self.rest.len().min(PIECE);
        let piece = self.rest.split_to(length);
        Poll::Ready(Some(Ok(Frame::data(Bytes::copy_from_slice(&piece)))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.rest.len() as u64)
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use super::*;
    use crate::http::stream::Places;

    #[tokio::test]
    async fn a_place_is_held_until_the_body_is_read_or_left() {
        let places = Places::new(2);
        let text: Vec<u8> = (0..=255).cycle().take(PIECE + 100).collect();
        let mut body = held(text.clone(), places.take().unwrap());
        let _left = held(text.clone(), places.take().unwrap());
        assert_eq!((body.size_hint().exact(), places.taken()), (Some(text.len() as u64), 2));
        let mut read = Vec::new();
        while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
            read.extend_from_slice(&frame.unwrap().into_data().unwrap());
        }
        assert_eq!((read, body.is_end_stream(), places.taken()), (text, true, 2));
        drop((body, _left));
        assert_eq!(places.taken(), 0);
    }
}
