//! The key of an analysis: the position, and the part of its history that can change the answer.

use sha2::{Digest, Sha256};

use crate::chess::Game;
use crate::chess::encodings::PackedPosition;

/// Above this many plies the half-move clock is always part of the context.
const HALFMOVE_CLOCK_THRESHOLD: u16 = 20;
/// The 50-move rule, in plies.
const FIFTY_MOVE_RULE_PLIES: u16 = 100;

/// A 128-bit hash of the earlier positions that can recur, each with its count: the first bytes of
/// the SHA-256 of their keys in rising order, high byte first, each followed by its count. The
/// store keeps it, so it must never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct HistoryHash([u64; 2]);

impl HistoryHash {
    /// No earlier position can recur, as for a bare FEN.
    pub(super) const NONE: HistoryHash = HistoryHash([0; 2]);

    fn of(game: &Game) -> HistoryHash {
        let earlier = game.reversible_key_counts();
        if earlier.is_empty() {
            return HistoryHash::NONE;
        }
        let digest = earlier.iter().fold(Sha256::new(), |digest, (key, count)| {
            digest.chain_update(key.to_be_bytes()).chain_update([*count])
        });
        let digest = digest.finalize();
        HistoryHash(
            [0, 8]
                .map(|from| u64::from_be_bytes(std::array::from_fn(|place| digest[from + place]))),
        )
    }

    /// The stored form; zero for [`HistoryHash::NONE`].
    pub(super) fn to_parts(self) -> [u64; 2] {
        self.0
    }

    /// The hash of a stored form.
    pub(super) fn from_parts(parts: [u64; 2]) -> HistoryHash {
        HistoryHash(parts)
    }
}

/// A position with the part of its history that matters to an analysis. The in-flight searches
/// ([`SearchKey`](super::in_flight::SearchKey)) and the store (`EntryKey`) build their keys from
/// it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct AnalysisKey {
    pub(super) zobrist_key: u64,
    pub(super) packed: PackedPosition,
    pub(super) history: HistoryHash,
    pub(super) halfmove_clock: u16,
}

impl AnalysisKey {
    /// The key of a game's current position.
    pub(super) fn of(game: &Game) -> AnalysisKey {
        let position = game.position();
        AnalysisKey {
            zobrist_key: position.key(),
            packed: PackedPosition::from_position(position),
            history: HistoryHash::of(game),
            halfmove_clock: position.halfmove_clock(),
        }
    }

    /// The context under which a finished search of this position is stored. A search whose moves
    /// tablebases ranked holds for its half-move clock alone.
    pub(super) fn context(&self, seldepth: u8, is_ranked_by_tablebase: bool) -> HistoryContext {
        let matters = is_ranked_by_tablebase
            || self.halfmove_clock > HALFMOVE_CLOCK_THRESHOLD
            || self.nears_fifty_moves(seldepth);
        HistoryContext {
            history: self.history,
            halfmove_clock: matters.then_some(self.halfmove_clock),
        }
    }

    /// `true` if a search that reached `seldepth` plies may have met the 50-move rule.
    pub(super) fn nears_fifty_moves(&self, seldepth: u8) -> bool {
        self.halfmove_clock + u16::from(seldepth) >= FIFTY_MOVE_RULE_PLIES
    }

    /// `true` if an analysis of the same position with this context and selective depth holds here.
    pub(super) fn accepts(&self, context: HistoryContext, seldepth: u8) -> bool {
        context.history == self.history
            && match context.halfmove_clock {
                Some(clock) => clock == self.halfmove_clock,
                None => {
                    self.halfmove_clock <= HALFMOVE_CLOCK_THRESHOLD
                        && !self.nears_fifty_moves(seldepth)
                }
            }
    }

    /// The hash by which requests are counted. It is equal for requests that the same analysis
    /// answers, as far as that is known before the search.
    pub(super) fn popularity_hash(&self) -> u64 {
        popularity_hash(self.zobrist_key, self.context(0, false))
    }
}

/// The part of a position's history that an analysis depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct HistoryContext {
    pub(super) history: HistoryHash,
    /// The half-move clock, if the 50-move rule can matter.
    pub(super) halfmove_clock: Option<u16>,
}

impl HistoryContext {
    /// The context of a bare FEN with a low clock.
    pub(super) const EMPTY: HistoryContext =
        HistoryContext { history: HistoryHash::NONE, halfmove_clock: None };
}

/// The hash by which requests for a position in a context are counted.
pub(super) fn popularity_hash(zobrist_key: u64, context: HistoryContext) -> u64 {
    let [high, low] = context.history.0;
    let clock = context.halfmove_clock.map_or(0, |clock| u64::from(clock) + 1);
    zobrist_key ^ high ^ low.rotate_left(32) ^ clock.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::tests::{game_of, start_game};

    #[test]
    fn the_hash_of_a_history_is_frozen() {
        let history = |moves| AnalysisKey::of(&game_of(moves)).history.to_parts();
        assert_eq!(AnalysisKey::of(&start_game()).history, HistoryHash::NONE);
        assert_eq!(history("e2e4"), [0; 2], "a pawn move cannot be reversed");
        // sha256sum of the start position's key and one byte of 1.
        assert_eq!(history("g1f3"), [0x1b70_61fa_b596_5601, 0xf3ca_6630_2d9a_e938]);
        assert_ne!(
            history("g1f3 g8f6 f3g1 f6g8 g1f3"),
            history("g1f3"),
            "the count is part of the hash"
        );
    }
}
