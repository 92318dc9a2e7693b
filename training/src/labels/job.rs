//! The work on one block: its seeds and their relatives, evaluated and encoded.

use anyhow::{Context, Result};
use kibitzer::chess::{Move, Position};

use super::block::{GameEncoder, Label};
use super::evaluator::{Evaluator, IN_CHECK};
use super::file::NewBlock;
use super::line::Line;
use super::random::Random;
use super::relatives::{RelativeDrawer, RelativeSettings};
use super::thinning::Thinning;
use crate::game_layout::{MOVE_BYTES, PACKED_BYTES};
use crate::packed_board;

/// What determines the labels of a file of games, besides its content.
#[derive(Clone, Debug)]
pub(super) struct JobSettings {
    pub(super) file_name: String,
    pub(super) results_known: bool,
    pub(super) seed: u64,
    pub(super) seed_share: f32,
    pub(super) relatives: RelativeSettings,
    pub(super) thinning: Vec<Thinning>,
}

/// The relatives of a block's seeds, before their evaluation.
#[derive(Default)]
struct Relatives {
    positions: Vec<[u8; PACKED_BYTES]>,
    /// For each position its line and the random bits of its thinning.
    lines: Vec<(Line, u32)>,
}

/// A game with the number of relatives of each of its positions.
struct SeedGame<'a> {
    start: &'a [u8; PACKED_BYTES],
    moves: Vec<Move>,
    relatives: Vec<usize>,
}

/// A finished block, and the number of positions that were evaluated for it.
pub(super) struct LabelledBlock {
    pub(super) block: NewBlock,
    pub(super) evaluated: u64,
}

impl JobSettings {
    /// Labels consecutive games, from the one with the number `first_game` on.
    pub(super) fn label(
        &self,
        games: &[&[u8]],
        first_game: usize,
        evaluator: &mut Evaluator,
    ) -> Result<LabelledBlock> {
        let mut relatives = Relatives::default();
        let mut seed_games = Vec::with_capacity(games.len());
        for (number, game) in (first_game..).zip(games) {
            let seed_game = self
                .draw_relatives(game, number, &mut relatives)
                .with_context(|| format!("{}, game {number}", self.file_name))?;
            seed_games.push(seed_game);
        }
        let scores = evaluator.evaluate(&relatives.positions)?;
        let labels: Vec<Option<Label>> = relatives
            .lines
            .iter()
            .zip(scores)
            .map(|((line, bits), score)| {
                let is_kept = score != IN_CHECK && Thinning::keeps(&self.thinning, score, *bits);
                is_kept.then_some(Label { line: *line, score })
            })
            .collect();
        let block = self.encode(&seed_games, first_game, &labels);
        Ok(LabelledBlock { block, evaluated: labels.len() as u64 })
    }

    /// Replays a game and draws the relatives of its seeds.
    fn draw_relatives<'a>(
        &self,
        game: &'a [u8],
        number: usize,
        to: &mut Relatives,
    ) -> Result<SeedGame<'a>> {
        let (start, entries) = game.split_first_chunk().context("it has no start position")?;
        let mut position = packed_board::unpack(start)?;
        let mut seed_game = SeedGame { start, moves: Vec::new(), relatives: Vec::new() };
        let mut random = Random::of_game(self.seed, &self.file_name, number as u64);
        let (entries, _) = entries.as_chunks::<MOVE_BYTES>();
        for [low, high, ..] in entries.iter().take_while(|entry| **entry != [0; MOVE_BYTES]) {
            let before = to.positions.len();
            if random.chance(self.seed_share) {
                self.draw_relatives_of(&position, &mut random, to);
            }
            seed_game.relatives.push(to.positions.len() - before);
            let mv = packed_board::play(&mut position, u16::from_le_bytes([*low, *high]))?;
            seed_game.moves.push(mv);
        }
        Ok(seed_game)
    }

    fn draw_relatives_of(&self, seed: &Position, random: &mut Random, to: &mut Relatives) {
        let keep = |line, position: &Position, random: &mut Random| {
            to.positions.push(packed_board::pack(position));
            to.lines.push((line, random.bits()));
        };
        RelativeDrawer::new(self.relatives, random, keep).draw(seed);
    }

    /// Encodes the games with the labels that are kept.
    fn encode(
        &self,
        games: &[SeedGame<'_>],
        first_game: usize,
        mut labels: &[Option<Label>],
    ) -> NewBlock {
        let mut block = NewBlock {
            first_game: first_game as u32,
            games: games.len() as u32,
            ..NewBlock::default()
        };
        let mut kept = Vec::new();
        for game in games {
            let mut encoder = GameEncoder::new(game.start, self.results_known);
            for (count, mv) in game.relatives.iter().zip(&game.moves) {
                let of_position = labels.split_off(..*count).unwrap_or_default();
                kept.clear();
                kept.extend(of_position.iter().flatten().copied());
                encoder.add_position(&kept);
                encoder.add_move(*mv);
            }
            block.labels += encoder.finish(&mut block.content);
        }
        block
    }
}
