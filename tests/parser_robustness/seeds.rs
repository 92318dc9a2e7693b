//! Valid inputs that are mutated.

use std::sync::Arc;
use std::time::Duration;

use kibitzer::analysis::{Client, PriorityClass, RemoteSearch};
use kibitzer::chess::encodings::packed::PackedPosition;
use kibitzer::chess::pgn::{Line, PgnGame, PgnMove, write};
use kibitzer::chess::{CastlingNotation, Game, Outcome, Position, to_san, to_uci};
use kibitzer::engine::{Limits, SearchOptions};

use crate::inputs::{body, move_text};
use crate::random::Random;

/// Positions from random games. The games start from positions with every kind of move.
pub(crate) fn positions(random: &mut Random, count: usize) -> Vec<Position> {
    let mut found = Vec::with_capacity(count);
    while found.len() < count {
        let mut position = random.pick(move_text::positions()).clone();
        for _ in 0..random.below(60) {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            position.play(*random.pick(&moves));
        }
        if position.halfmove_clock() <= 150 {
            found.push(position);
        }
    }
    found
}

pub(crate) fn fens(positions: &[Position]) -> Vec<Vec<u8>> {
    let both = positions.iter().flat_map(|position| [position.fen(), position.shredder_fen()]);
    both.map(String::into_bytes).collect()
}

pub(crate) fn packed(positions: &[Position]) -> Vec<Vec<u8>> {
    positions
        .iter()
        .map(|position| PackedPosition::from_position(position).to_text().into_bytes())
        .collect()
}

/// Offered searches of positions behind some moves, with different limits.
pub(crate) fn remote_searches(random: &mut Random, positions: &[Position]) -> Vec<Vec<u8>> {
    let (options, client) = (SearchOptions::default(), Client::new("a client"));
    let classes = [PriorityClass::Interactive, PriorityClass::Batch];
    let mut searches = Vec::new();
    for position in positions {
        let mut game = Game::new(position.clone());
        for _ in 0..random.below(8) {
            let moves = game.position().legal_moves();
            if !moves.is_empty() {
                game.play(*random.pick(&moves));
            }
        }
        let limits = Limits {
            depth: random.once_in(2).then_some(20),
            nodes: random.once_in(2).then_some(1_000_000),
            movetime: Some(Duration::from_millis(60_000)),
            ..Limits::default()
        };
        let (game, class) = (Arc::new(game), *random.pick(&classes));
        let search = RemoteSearch::new(&game, limits, &options, &client, class);
        searches.extend(search.map(|search| search.to_bytes()));
    }
    searches
}

/// Every move of the positions of [`move_text`] in each notation, after the byte that chooses the
/// position.
pub(crate) fn move_texts() -> Vec<Vec<u8>> {
    let mut texts = Vec::new();
    for (choice, position) in (0_u8..).zip(move_text::positions()) {
        for &mv in position.legal_moves().iter() {
            for text in [
                to_san(position, mv),
                to_uci(position, mv, CastlingNotation::Standard),
                to_uci(position, mv, CastlingNotation::Chess960),
            ] {
                let mut bytes = vec![choice];
                bytes.extend_from_slice(text.as_bytes());
                texts.push(bytes);
            }
        }
    }
    texts
}

/// Bodies for every route, after the byte that chooses the route: FENs and packed forms, with and
/// without moves.
pub(crate) fn bodies(random: &mut Random, positions: &[Position]) -> Vec<Vec<u8>> {
    let mut bodies = Vec::new();
    for position in positions {
        let place = if random.once_in(2) {
            format!("\"fen\":\"{}\"", position.fen())
        } else {
            format!("\"packed\":\"{}\"", PackedPosition::from_position(position).to_text())
        };
        let (moves, undo) = (random_line(random, position), random.below(3));
        for (choice, route) in (0_u8..).zip(body::ROUTES) {
            let text = match route {
                "/v1/position" => {
                    format!(
                        "{{{place},\"moves\":[{moves}],\"views\":[\"state\",\"list\"],\
                         \"bit_order\":\"a8\"}}"
                    )
                }
                "/v1/play" => format!(
                    "{{{place},\"moves\":[{moves}],\"undo\":{}}}",
                    undo.min(moves.matches(',').count())
                ),
                _ if moves.is_empty() => format!("{{{place}}}"),
                _ => format!("{{\"moves\":[{moves}],{place}}}"),
            };
            let mut body = vec![choice];
            body.extend_from_slice(text.as_bytes());
            bodies.push(body);
        }
    }
    bodies
}

/// Every UCI command, and `position` commands with these positions.
pub(crate) fn uci_lines(positions: &[Position]) -> Vec<Vec<u8>> {
    let plain = [
        "uci",
        "isready",
        "ucinewgame",
        "stop",
        "ponderhit",
        "quit",
        "d",
        "eval",
        "bench",
        "bench 7",
        "perft 3",
        "go perft 3",
        "go",
        "go infinite",
        "go ponder wtime 1000 btime 1000 winc 10 binc 10 movestogo 20",
        "go depth 5 nodes 1000 mate 3 movetime 100 searchmoves e2e4 d2d4",
        "setoption name Hash value 64",
        "setoption name Clear Hash",
        "setoption name UCI_Chess960 value true",
        "setoption name Move Overhead value 100",
        "position startpos",
        "position startpos moves e2e4 e7e5 e1g1",
    ];
    let positions =
        positions.iter().map(|position| format!("position fen {} moves e2e4", position.fen()));
    plain.into_iter().map(str::to_owned).chain(positions).map(String::into_bytes).collect()
}

/// Games from these positions with headers, comments, NAGs and a variation; two per text.
pub(crate) fn games(positions: &[Position]) -> Vec<Vec<u8>> {
    let starts = positions.iter().filter(|position| position.has_moves());
    let games: Vec<String> = starts.zip(0..).map(|(start, n)| game(start, n)).collect();
    games.chunks(2).map(|games| games.join("\n").into_bytes()).collect()
}

fn game(start: &Position, n: usize) -> String {
    let mut game = PgnGame::new(start.clone());
    game.headers.set("Event", &format!("Game \"{n}\" \\"));
    let mut position = start.clone();
    for ply in 0..10 {
        let legal = position.legal_moves();
        let Some(&first) = legal.get((n * 7 + ply * 5) % legal.len().max(1)) else { break };
        let mut mv = PgnMove::new(first);
        match (n + ply) % 5 {
            0 => mv.set_comment("[%eval -0.34] [%clk 0:03:00] a remark"),
            1 => mv.add_nag(6),
            2 => mv.add_variation(Line::from_moves(&legal[..1])),
            _ => {}
        }
        game.line.moves.push(mv);
        position.play(first);
    }
    write(&game)
}

/// A few legal moves in JSON, in either notation.
fn random_line(random: &mut Random, position: &Position) -> String {
    let mut game = Game::new(position.clone());
    let mut texts = Vec::new();
    for _ in 0..random.below(6) {
        let moves = game.position().legal_moves();
        if game.outcome() != Outcome::Ongoing || moves.is_empty() {
            break;
        }
        let mv = *random.pick(&moves);
        let san = random.once_in(2);
        let text = if san {
            to_san(game.position(), mv)
        } else {
            to_uci(game.position(), mv, CastlingNotation::Standard)
        };
        texts.push(format!("\"{text}\""));
        game.play(mv);
    }
    texts.join(",")
}
