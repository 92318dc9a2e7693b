use std::collections::VecDeque;
use std::convert::Infallible;
use std::task::{Context, Poll};

use http_body::Frame;

use super::*;

const LIMITS: BodyLimits =
    BodyLimits { max_lines: 4, max_bytes: 200_000, idle_timeout: Duration::from_secs(5) };

async fn read_all(body: impl Into<Body>, limits: BodyLimits) -> (Vec<InputLine>, EndReason) {
    read_form(body.into(), BodyForm::Lines, limits).await
}

async fn read_form(body: Body, form: BodyForm, limits: BodyLimits) -> (Vec<InputLine>, EndReason) {
    let mut reader = LineReader::new(body, form, limits);
    let mut all = Vec::new();
    loop {
        match reader.next().await {
            Ok(line) => all.push(line),
            Err(end) => return (all, end),
        }
    }
}

fn texts(texts: &[&str]) -> Vec<InputLine> {
    let line = |text: &&str| match *text {
        "" => InputLine::Blank,
        text => InputLine::Text(text.as_bytes().to_vec()),
    };
    texts.iter().map(line).collect()
}

fn elements(texts: &[&str]) -> Vec<InputLine> {
    texts.iter().map(|text| InputLine::Element(text.as_bytes().to_vec())).collect()
}

#[tokio::test]
async fn the_last_line_needs_no_line_break() {
    assert_eq!(read_all("a\n\nb\n", LIMITS).await, (texts(&["a", "", "b"]), EndReason::Done));
    assert_eq!(read_all("a\nb", LIMITS).await, (texts(&["a", "b"]), EndReason::Done));
    assert_eq!(read_all("", LIMITS).await, (Vec::new(), EndReason::Done));
}

#[tokio::test]
async fn too_many_lines_or_bytes_end_the_body() {
    assert_eq!(
        read_all("a\nb\nc\nd\ne\n", LIMITS).await,
        (texts(&["a", "b", "c", "d"]), EndReason::TooLarge)
    );
    let limits = |max_bytes| BodyLimits { max_bytes, ..LIMITS };
    assert_eq!(read_all("abc\n", limits(3)).await, (Vec::new(), EndReason::TooLarge));
    assert_eq!(read_all("a\nb\n", limits(4)).await, (texts(&["a", "b"]), EndReason::Done));
    assert_eq!(
        read_all("a\nb\nc\n", limits(5)).await,
        (texts(&["a", "b"]), EndReason::TooLarge),
        "c is incomplete"
    );
    assert_eq!(read_all("a\nb\nc\n", limits(4)).await, (texts(&["a", "b"]), EndReason::TooLarge));
}

#[tokio::test]
async fn a_too_long_line_is_dropped_and_the_next_one_is_read() {
    let text = format!("{}\nb\n", "a".repeat(MAX_LINE_BYTES + 1));
    let expected = vec![InputLine::TooLong, InputLine::Text(b"b".to_vec())];
    assert_eq!(read_all(text, LIMITS).await, (expected, EndReason::Done));
}

/// A body that arrives in these chunks.
struct Chunks(VecDeque<Bytes>);

impl HttpBody for Chunks {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.0.pop_front().map(|chunk| Ok(Frame::data(chunk))))
    }
}

/// Reads a body of unknown form, in one chunk and byte by byte.
async fn read_unknown(text: &'static str) -> (Vec<InputLine>, EndReason) {
    let whole = read_form(Body::from(text), BodyForm::Unknown, LIMITS).await;
    let bytes = text.as_bytes().chunks(1).map(Bytes::from_static).collect();
    let in_bytes = read_form(Body::new(Chunks(bytes)), BodyForm::Unknown, LIMITS).await;
    assert_eq!(whole, in_bytes, "{text}");
    whole
}

#[tokio::test]
async fn a_body_that_begins_with_a_bracket_is_an_array() {
    for (body, expected) in [
        ("[a,b]", elements(&["a", "b"])),
        ("\r\n [ a ,\n  b\n]\n", elements(&["a ", "b\n"])),
        ("[ ]", Vec::new()),
        ("a\n[b]", texts(&["a", "[b]"])),
        ("\n\n a\n", texts(&["", "", " a"])),
        (" \n", Vec::new()),
    ] {
        assert_eq!(read_unknown(body).await, (expected, EndReason::Done), "{body:?}");
    }
}

#[tokio::test]
async fn only_a_comma_between_elements_separates_them() {
    let (found, end) =
        read_unknown(r#"[{"a": [1, 2], "b": {}}, "x, ]\" \\", [[3], 4], "y"]"#).await;
    let expected = [r#"{"a": [1, 2], "b": {}}"#, r#""x, ]\" \\""#, "[[3], 4]", r#""y""#];
    assert_eq!((found, end), (elements(&expected), EndReason::Done));
}

#[tokio::test]
async fn a_missing_element_is_reported_beside_its_comma() {
    let missing = |is_last| InputLine::MissingElement { is_last };
    let a = || InputLine::Element(b"a".to_vec());
    for (body, expected) in [
        ("[a,,a]", vec![a(), missing(false), a()]),
        ("[a, ]", vec![a(), missing(true)]),
        ("[ ,]", vec![missing(false), missing(true)]),
    ] {
        assert_eq!(read_unknown(body).await, (expected, EndReason::Done), "{body}");
    }
}

#[tokio::test]
async fn an_array_must_be_closed_and_end_the_body() {
    assert_eq!(read_unknown("[a,b").await, (elements(&["a", "b"]), EndReason::Broken));
    assert_eq!(read_unknown("[a,").await, (elements(&["a"]), EndReason::Broken));
    assert_eq!(read_unknown("[").await, (Vec::new(), EndReason::Broken));
    for text in ["[a] b", "[a]\nb c\n"] {
        let expected = vec![InputLine::Element(b"a".to_vec()), InputLine::AfterArray];
        assert_eq!(read_unknown(text).await, (expected, EndReason::Done), "{text}");
    }
}

#[tokio::test]
async fn elements_have_the_limits_of_lines() {
    assert_eq!(
        read_unknown("[a,b,c,d,e]").await,
        (elements(&["a", "b", "c", "d"]), EndReason::TooLarge)
    );
    let text = format!("[\"{}\", b]", "a".repeat(MAX_LINE_BYTES));
    let expected = vec![InputLine::TooLong, InputLine::Element(b"b".to_vec())];
    let found = read_form(Body::from(text), BodyForm::Unknown, LIMITS).await;
    assert_eq!(found, (expected, EndReason::Done));
    let limits = BodyLimits { max_bytes: 4, ..LIMITS };
    let found = read_form(Body::from("[a,b]"), BodyForm::Unknown, limits).await;
    assert_eq!(found, (elements(&["a"]), EndReason::TooLarge), "b is incomplete");
}
