//! One thread's sums of the hidden layer along its line of moves.

use std::sync::Arc;

use super::architecture::output_bucket;
use super::boards::Boards;
use super::change::{Change, Man, king_walk};
use super::network::Network;
use super::refresh::RefreshCache;
use super::row::Row;
use super::simd::{Kernels, Level};
use crate::chess::{Color, Move, Position};

/// The hidden layer's sums for each position of a line, and what evaluates its last one.
///
/// A move only notes what it changes. The sums follow when an evaluation asks for them, for each
/// player's view on its own, from the nearest ply whose sums are known; when that player's king has
/// changed the view since, from the refresh cache. All memory is taken at the start, but for lines
/// longer than announced. Chess Programming Wiki, "NNUE" (accumulator; lazy updates and the refresh
/// cache, "Finny tables", after Koivisto and Stockfish).
pub struct Accumulators {
    network: Arc<Network>,
    kernels: &'static Kernels,
    steps: Vec<Step>,
    /// The sums of White's view and of Black's, for each step.
    rows: Vec<[Row; 2]>,
    /// The place of the line's last position in `steps` and `rows`.
    top: usize,
    cache: RefreshCache,
}

/// A position of the line, by the move that led to it.
#[derive(Clone, Copy)]
struct Step {
    change: Change,
    /// Whose sums are known.
    known: [bool; 2],
    /// Whose view the move has changed, so that the sums before it are of no use.
    turned: [bool; 2],
}

impl Step {
    const ROOT: Step = Step { change: Change::NONE, known: [false; 2], turned: [true; 2] };
}

impl Accumulators {
    /// Sums for lines of up to so many moves, by the best instructions that this processor has. To
    /// be [`reset`] before use.
    ///
    /// [`reset`]: Accumulators::reset
    pub fn new(network: Arc<Network>, moves: usize) -> Accumulators {
        Accumulators::with_kernels(network, moves, Kernels::best())
    }

    /// The same by the instructions of a level; `None` where the processor lacks them.
    pub fn with_level(network: Arc<Network>, moves: usize, level: Level) -> Option<Accumulators> {
        Some(Accumulators::with_kernels(network, moves, Kernels::of(level)?))
    }

    fn with_kernels(
        network: Arc<Network>,
        moves: usize,
        kernels: &'static Kernels,
    ) -> Accumulators {
        Accumulators {
            kernels,
            steps: vec![Step::ROOT; moves + 1],
            rows: vec![[Row::ZERO; 2]; moves + 1],
            top: 0,
            cache: RefreshCache::new(&network),
            network,
        }
    }

    /// Starts a line at this position.
    pub fn reset(&mut self, root: &Position) {
        self.top = 0;
        self.steps[0] = Step::ROOT;
        for color in Color::ALL {
            self.update(color, root);
        }
    }

    /// A legal move is about to be made in `before`, the line's last position.
    #[inline]
    pub fn push(&mut self, before: &Position, mv: Move) {
        let mut step =
            Step { change: Change::of(before, mv), known: [false; 2], turned: [false; 2] };
        if let Some((color, from, to)) = king_walk(before, mv) {
            step.turned[color as usize] =
                self.network.view(color, from) != self.network.view(color, to);
        }
        self.add(step);
    }

    /// The side to move passes.
    #[inline]
    pub fn pass(&mut self) {
        self.add(Step { change: Change::NONE, known: [false; 2], turned: [false; 2] });
    }

    #[inline]
    fn add(&mut self, step: Step) {
        self.top += 1;
        if let Some(place) = self.steps.get_mut(self.top) {
            *place = step;
        } else {
            self.steps.push(step);
            self.rows.push([Row::ZERO; 2]);
        }
    }

    /// The line's last move or pass is taken back. At its start nothing happens.
    #[inline]
    pub fn pop(&mut self) {
        self.top = self.top.saturating_sub(1);
    }

    /// Centipawns from the view of the side to move in the line's last position, which is given.
    #[inline]
    pub fn evaluate(&mut self, position: &Position) -> i32 {
        self.value(position, 100)
    }

    /// The same in a unit of which so many make 100 centipawns.
    #[inline]
    pub fn value(&mut self, position: &Position, per_hundred: i32) -> i32 {
        self.update(Color::White, position);
        self.update(Color::Black, position);
        let [white, black] = &self.rows[self.top];
        let (own, other) = if position.turn().is_white() { (white, black) } else { (black, white) };
        let bucket = output_bucket(position.occupied().count());
        self.network.value(
            self.kernels.output(own, other, self.network.outputs(bucket)),
            bucket,
            per_hundred,
        )
    }

    /// Sees to it that the last position's sums in a player's view are known.
    #[inline]
    fn update(&mut self, color: Color, position: &Position) {
        let side = color as usize;
        let mut known = self.top;
        while !self.steps[known].known[side] {
            if self.steps[known].turned[side] {
                return self.refresh(color, position);
            }
            known -= 1;
        }
        for place in known + 1..=self.top {
            self.follow(color, position, place);
        }
    }

    /// Sums the last position by way of the refresh cache.
    fn refresh(&mut self, color: Color, position: &Position) {
        let sums = &mut self.rows[self.top][color as usize];
        let boards = Boards::of(position);
        self.cache.refresh(&self.network, self.kernels, color, position.king(color), &boards, sums);
        self.steps[self.top].known[color as usize] = true;
    }

    /// Sums the position of a step from the one before it. The view is the same as in the last
    /// position.
    #[inline]
    fn follow(&mut self, color: Color, position: &Position, place: usize) {
        let side = color as usize;
        let view = self.network.view(color, position.king(color));
        let weights = |(piece, square): Man| self.network.feature(view.input(color, piece, square));
        let (before, after) = self.rows.split_at_mut(place);
        let (before, sums) = (&before[place - 1][side], &mut after[0][side]);
        match self.steps[place].change {
            Change::Step { off, on } => self.kernels.step(before, sums, weights(on), weights(off)),
            Change::Capture { off, on } => {
                self.kernels.capture(before, sums, weights(on), off.map(weights))
            }
            Change::Castle { off, on } => {
                self.kernels.castle(before, sums, on.map(weights), off.map(weights))
            }
        }
        self.steps[place].known[side] = true;
    }
}
