//! Fixtures: games of random legal moves and settings of short runs, the same on every call.

use std::path::{Path, PathBuf};

use kibitzer_trainer::config::{Config, LatePhase};
use kibitzer_trainer::example::Target;
use kibitzer_trainer::filter::Filter;
use kibitzer_trainer::network::Network;
use kibitzer_trainer::optimiser::AdamW;
use kibitzer_trainer::optimiser::Schedule;
use kibitzer_trainer::row::Row;
use kibitzer_trainer::sample::{GameResult, Sample};
use kibitzer_trainer::selection::Selection;
use kibitzer_trainer::shape::Architecture;
use kibitzer_trainer::weighted_file::WeightedFile;
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
use viriformat::chess::board::{Board, DrawType, GameOutcome, WinType};
use viriformat::chess::piece::{Colour, PieceType};
use viriformat::dataformat::Game;

/// Makes the weights of the king buckets differ.
pub(crate) fn perturb_king_buckets(network: &mut Network) {
    for layer in network.feature_layers_mut().into_iter().filter(|layer| layer.shared.is_some()) {
        let weights = layer.weights.value.iter_mut().flat_map(Row::iter_mut);
        for (number, weight) in weights.enumerate() {
            *weight += (number * 37 % 101) as f32 / 500.0 - 0.1;
        }
    }
    network.refresh();
}

/// The length of the longest game, in plies.
const MAX_PLIES: usize = 80;

/// `count` games, every second one from a Chess960 start position.
pub(crate) fn games(count: usize, seed: u64) -> Vec<Game> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    (0..count).map(|i| game(&mut random, i % 2 == 1)).collect()
}

fn game(random: &mut ChaCha8Rng, chess960: bool) -> Game {
    let mut board = Board::default();
    if chess960 {
        board.set_frc_idx(random.random_range(0..960));
    }
    let mut game = Game::new(&board);
    for _ in 0..MAX_PLIES {
        let moves = board.legal_moves();
        if moves.is_empty() {
            break;
        }
        let mv = moves[random.random_range(0..moves.len())];
        game.add_move(mv, material(&board));
        board.make_move_simple(mv);
    }
    game.set_outcome(match material(&board) {
        300.. => GameOutcome::WhiteWin(WinType::Adjudication),
        ..=-300 => GameOutcome::BlackWin(WinType::Adjudication),
        _ => GameOutcome::Draw(DrawType::Adjudication),
    });
    game
}

/// White's material minus Black's, in centipawns: a score that a network can learn.
fn material(board: &Board) -> i16 {
    let values = [
        (PieceType::Pawn, 100),
        (PieceType::Knight, 300),
        (PieceType::Bishop, 320),
        (PieceType::Rook, 500),
        (PieceType::Queen, 900),
    ];
    let side = |colour: Colour| -> i32 {
        let own = board.pieces.occupied_co(colour);
        values
            .iter()
            .map(|(role, value)| value * (board.pieces.of_type(*role) & own).count() as i32)
            .sum()
    };
    (side(Colour::White) - side(Colour::Black)) as i16
}

/// The bytes of games as in a file.
pub(crate) fn bytes(games: &[Game]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for game in games {
        game.serialise_into(&mut bytes).expect("writing to memory");
    }
    bytes
}

/// All positions of `count` games.
pub(crate) fn samples(count: usize, seed: u64) -> Vec<Sample> {
    let mut samples = Vec::new();
    for game in games(count, seed) {
        let bytes = bytes(&[game]);
        kibitzer_trainer::games::visit(&bytes, |board, _, score, result| {
            samples.push(Sample::new(board, score, result))
        })
        .expect("a game");
    }
    samples
}

/// The samples in an order of their own.
pub(crate) fn sorted(samples: &[Sample]) -> Vec<String> {
    let mut texts: Vec<String> = samples.iter().map(|sample| format!("{sample:?}")).collect();
    texts.sort_unstable();
    texts
}

/// The position of a FEN, without score or result.
pub(crate) fn position(fen: &str) -> Sample {
    let mut board = Board::new();
    board.set_from_fen(fen, true).expect("a FEN");
    Sample::new(&board, 0, GameResult::Unknown)
}

/// An empty folder of this name.
pub(crate) fn empty_folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    if folder.exists() {
        std::fs::remove_dir_all(&folder).expect("the folder of an earlier test");
    }
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Settings of a run of less than a second, on games written to `folder`. A superbatch has all of
/// them.
pub(crate) fn config(folder: &Path) -> Config {
    config_with_games(folder, 40)
}

/// The settings of [`config`] on `count` games.
pub(crate) fn config_with_games(folder: &Path, count: usize) -> Config {
    let data = folder.join("generated.vf");
    std::fs::write(&data, bytes(&games(count, 1))).expect("a data file");
    Config {
        data: vec![WeightedFile::new(data)],
        selection: selection(),
        target: Target { scale: 200, result_weight: 0.25 },
        late: LatePhase { late_from: 1.0, late_data: Vec::new(), late_result_weight: None },
        architecture: Architecture::SingleLayer,
        hidden: 32,
        king_buckets: "4".to_owned(),
        output_buckets: 8,
        start_from: None,
        exact_weights: false,
        samples: 30 * 256,
        shuffle_units: 1,
        checkpoint_every: 1,
        benchmark_every: 1,
        benchmark: None,
        batch: 256,
        power: 2.0,
        schedule: Schedule { learning_rate: 0.005, final_share: 0.01, warm_up: 5 },
        optimiser: AdamW { beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weight_decay: 0.01 },
        seed: 7,
    }
}

/// All results, a tenth of the games held out, and the permissive filter.
pub(crate) fn selection() -> Selection {
    Selection { unknown_results: Vec::new(), hold_out: 10, filter: permissive_filter() }
}

/// A filter that drops only mates.
pub(crate) fn permissive_filter() -> Filter {
    Filter { max_score: 32000, keep_checks: true, keep_tactical: true, min_pieces: 2 }
}
