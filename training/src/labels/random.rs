//! Random numbers that depend on the seed of a run, a file's name and a game's number alone.

use kibitzer::chess::splitmix;

/// A sequence of random numbers.
#[derive(Clone, Debug)]
pub(super) struct Random {
    seed: u64,
    drawn: u64,
}

impl Random {
    /// The sequence of a game.
    pub(super) fn of_game(seed: u64, file_name: &str, game: u64) -> Random {
        // FNV-1a.
        let name = file_name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        let of_file = splitmix::nth(name, seed.wrapping_add(1));
        Random { seed: splitmix::nth(of_file, game.wrapping_add(1)), drawn: 0 }
    }

    /// The next 32 random bits.
    pub(super) fn bits(&mut self) -> u32 {
        self.drawn += 1;
        (splitmix::nth(self.seed, self.drawn) >> 32) as u32
    }

    /// A number from 0 to `limit` − 1.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        ((u64::from(self.bits()) * limit as u64) >> 32) as usize
    }

    /// `true` with this probability.
    pub(super) fn chance(&mut self, share: f32) -> bool {
        f64::from(self.bits()) < f64::from(share) * 2_f64.powi(32)
    }
}
