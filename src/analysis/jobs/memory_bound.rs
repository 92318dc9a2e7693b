//! How much memory jobs come to take: their share of the sizing rule that the configuration states.

use crate::store::jobs::MEMORY_BYTES;

const MB: u64 = 1 << 20;

/// One game while it is read, with the most moves and variations that one may have (50,000 at some
/// 350 bytes).
const MAX_PARSED_GAME_BYTES: u64 = 20 * MB;

/// What is known of jobs that are there and of those that are gone, and the games that are worked
/// at.
const INDEX_BYTES: u64 = 16 * MB;

/// How often a text is there while it is received and read, those added up that are so at once: as
/// bytes, as text (one byte of an old encoding may become three), and once as games.
const TEXT_COPIES: u64 = 16;

/// What pages of a B-tree take beside what is kept in them, as a factor. They are half full at
/// worst.
const PAGE_OVERHEAD: u64 = 2;

/// The most memory that jobs take whose texts have so many bytes at most and which together may
/// take so much, in bytes. Only those in memory take what they are kept in.
pub const fn jobs_memory_bound(max_text_bytes: u64, max_total_bytes: u64, on_disk: bool) -> u64 {
    let stored_bytes = if on_disk { 0 } else { max_total_bytes.saturating_mul(PAGE_OVERHEAD) };
    let fixed = MEMORY_BYTES as u64 + MAX_PARSED_GAME_BYTES + INDEX_BYTES;
    fixed.saturating_add(max_text_bytes.saturating_mul(TEXT_COPIES)).saturating_add(stored_bytes)
}
