//! Frames that break the WebSocket protocol (RFC 6455).

use tokio::io::AsyncWriteExt;

use super::start_board;

crate::trials![a_broken_frame_closes_the_board_with_its_code];

/// The bit of the second byte of a frame that has a mask.
const MASKED: u8 = 0x80;

/// A mask that changes nothing.
const MASK: [u8; 4] = [0; 4];

/// A frame with a mask and a payload of at most 125 bytes.
fn frame(first_byte: u8, payload: &[u8]) -> Vec<u8> {
    [&[first_byte, MASKED | payload.len() as u8], MASK.as_slice(), payload].concat()
}

async fn a_broken_frame_closes_the_board_with_its_code() {
    let too_long = [&[0x81, MASKED | 127], 1_000_000_u64.to_be_bytes().as_slice(), &MASK].concat();
    for (what, bytes, code) in [
        ("no mask", vec![0x81, 2, b'{', b'}'], 1002),
        ("a reserved bit", frame(0xc1, b"{}"), 1002),
        ("a reserved opcode", frame(0x83, b"{}"), 1002),
        ("a reserved control opcode", frame(0x8b, b""), 1002),
        ("a fragment of a control frame", frame(0x09, b""), 1002),
        ("a continuation of nothing", frame(0x80, b"{}"), 1002),
        ("a text within a fragmented text", [frame(1, b"{"), frame(0x81, b"{}")].concat(), 1002),
        ("a text that is not UTF-8", frame(0x81, b"{\xff}"), 1007),
        ("a text that ends within a character", frame(0x81, b"\xc3"), 1007),
        ("a frame that is too long", too_long, 1009),
    ] {
        let (_server, mut board) = start_board().await;
        board.socket.get_mut().write_all(&bytes).await.unwrap();
        assert_eq!(board.collect_until_closed().await, (vec![], code), "{what}");
    }
}
