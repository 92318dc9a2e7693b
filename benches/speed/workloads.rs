//! Workloads that every library runs.

use std::hint::black_box;

use kibitzer::chess::{Position, perft};
use shakmaty::{CastlingMode, Chess, Position as _, fen::Fen};

use crate::positions::{self, TestPosition};

/// A workload, implemented with each library. Each function returns its number of units, which must
/// be
pub(crate) struct Workload {
    pub(crate) name: String,
    /// The counted unit: `nodes`, `moves` or `positions`.
    pub(crate) unit: &'static str,
    pub(crate) kibitzer: Box<dyn Fn() -> u64>,
    pub(crate) cozy: Box<dyn Fn() -> u64>,
    pub(crate) shakmaty: Box<dyn Fn() -> u64>,
}

impl Workload {
    /// The name and the function of each library.
    pub(crate) fn by_library(&self) -> [(&'static str, &dyn Fn() -> u64); 3] {
        [("kibitzer", &*self.kibitzer), ("cozy-chess", &*self.cozy), ("shakmaty", &*self.shakmaty)]
    }
}

/// Perft workloads: name, FEN and depth.
const PERFTS: [(&str, &str, u8); 4] = [
    ("start", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 6),
    ("kiwipete", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 5),
    ("middle game", "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", 5),
    ("Chess960", "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", 5),
];

pub(crate) fn all() -> Vec<Workload> {
    let mixed = positions::mixed_positions();
    let mut workloads: Vec<Workload> =
        PERFTS.iter().map(|&(name, fen, depth)| perft_workload(name, fen, depth)).collect();
    workloads.extend([generate_moves(mixed.clone()), make_moves(mixed.clone()), parse_fens(mixed)]);
    workloads
}

/// Perft with bulk counting.
fn perft_workload(name: &str, fen: &str, depth: u8) -> Workload {
    let TestPosition { kibitzer, cozy, shakmaty, .. } = TestPosition::from_fen(fen);
    Workload {
        name: format!("perft {name} {depth}"),
        unit: "nodes",
        kibitzer: Box::new(move || perft::perft(black_box(&kibitzer), depth)),
        cozy: Box::new(move || cozy_perft(black_box(&cozy), depth)),
        shakmaty: Box::new(move || shakmaty::perft(black_box(&shakmaty), u32::from(depth))),
    }
}

/// The leaves are counted in sets, like in [`perft::perft`]. Separate closures for leaves and inner
/// nodes: with a single one, cozy-chess is a third slower.
fn cozy_perft(board: &cozy_chess::Board, depth: u8) -> u64 {
    let mut nodes = 0;
    if depth == 1 {
        board.generate_moves(|moves| {
            nodes += moves.len() as u64;
            false
        });
    } else {
        board.generate_moves(|moves| {
            for mv in moves {
                let mut child = board.clone();
                child.play_unchecked(mv);
                nodes += cozy_perft(&child, depth - 1);
            }
            false
        });
    }
    nodes
}

/// Generation of legal move lists.
fn generate_moves(trios: Vec<TestPosition>) -> Workload {
    let (ours, cozys, shakmatys) = split(trios);
    Workload {
        name: "move generation".to_owned(),
        unit: "moves",
        kibitzer: Box::new(move || {
            ours.iter().map(|position| black_box(position.legal_moves()).len() as u64).sum()
        }),
        cozy: Box::new(move || {
            let list = |board: &cozy_chess::Board| {
                let mut list = CozyMoveList::new();
                board.generate_moves(|moves| {
                    moves.into_iter().for_each(|mv| list.push(mv));
                    false
                });
                black_box(&list).len as u64
            };
            cozys.iter().map(list).sum()
        }),
        shakmaty: Box::new(move || {
            shakmatys.iter().map(|position| black_box(position.legal_moves()).len() as u64).sum()
        }),
    }
}

/// Copies a position and plays a move, for each legal move. All three libraries undo moves by
/// copying.
fn make_moves(trios: Vec<TestPosition>) -> Workload {
    let (ours, cozys, shakmatys) = split(trios);
    let ours: Vec<_> =
        ours.into_iter().map(|position| (position.legal_moves().to_vec(), position)).collect();
    let cozys: Vec<_> = cozys
        .into_iter()
        .map(|board| {
            let mut list = Vec::new();
            board.generate_moves(|moves| {
                list.extend(moves);
                false
            });
            (list, board)
        })
        .collect();
    let shakmatys: Vec<_> =
        shakmatys.into_iter().map(|position| (position.legal_moves(), position)).collect();
    Workload {
        name: "make a move".to_owned(),
        unit: "moves",
        kibitzer: Box::new(move || {
            let play = |(moves, position): &(Vec<_>, Position)| {
                let mut child = position.clone();
                for &mv in moves {
                    position.after_into(mv, &mut child);
                    black_box(&child);
                }
                moves.len() as u64
            };
            ours.iter().map(play).sum()
        }),
        cozy: Box::new(move || {
            let play = |(moves, board): &(Vec<_>, cozy_chess::Board)| {
                for &mv in moves {
                    let mut child = board.clone();
                    child.play_unchecked(mv);
                    black_box(&child);
                }
                moves.len() as u64
            };
            cozys.iter().map(play).sum()
        }),
        shakmaty: Box::new(move || {
            let play = |(moves, position): &(shakmaty::MoveList, Chess)| {
                for &mv in moves {
                    let mut child = position.clone();
                    child.play_unchecked(mv);
                    black_box(&child);
                }
                moves.len() as u64
            };
            shakmatys.iter().map(play).sum()
        }),
    }
}

/// Parsing of FENs into legal positions.
fn parse_fens(trios: Vec<TestPosition>) -> Workload {
    let fens: Vec<String> = trios.into_iter().map(|trio| trio.fen).collect();
    let (for_cozy, for_shakmaty) = (fens.clone(), fens.clone());
    Workload {
        name: "read a FEN".to_owned(),
        unit: "positions",
        kibitzer: Box::new(move || {
            fens.iter().filter(|fen| black_box(Position::from_fen(fen)).is_ok()).count() as u64
        }),
        cozy: Box::new(move || {
            let read = |fen: &&String| black_box(cozy_chess::Board::from_fen(fen, false)).is_ok();
            for_cozy.iter().filter(read).count() as u64
        }),
        shakmaty: Box::new(move || {
            let read = |fen: &&String| {
                let parsed = Fen::from_ascii(fen.as_bytes()).ok();
                parsed.is_some_and(|fen| {
                    black_box(fen.into_position::<Chess>(CastlingMode::Standard)).is_ok()
                })
            };
            for_shakmaty.iter().filter(read).count() as u64
        }),
    }
}

fn split(trios: Vec<TestPosition>) -> (Vec<Position>, Vec<cozy_chess::Board>, Vec<Chess>) {
    let ours = trios.iter().map(|trio| trio.kibitzer.clone()).collect();
    let cozys = trios.iter().map(|trio| trio.cozy.clone()).collect();
    (ours, cozys, trios.into_iter().map(|trio| trio.shakmaty).collect())
}

/// A move list on the stack for cozy-chess, which generates sets. The other libraries fill such a
/// list themselves.
struct CozyMoveList {
    moves: [cozy_chess::Move; 256],
    len: usize,
}

impl CozyMoveList {
    fn new() -> CozyMoveList {
        let none = cozy_chess::Move {
            from: cozy_chess::Square::A1,
            to: cozy_chess::Square::A1,
            promotion: None,
        };
        CozyMoveList { moves: [none; 256], len: 0 }
    }

    fn push(&mut self, mv: cozy_chess::Move) {
        self.moves[self.len] = mv;
        self.len += 1;
    }
}
