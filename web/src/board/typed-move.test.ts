import { Chess } from "chessops/chess";
import { parseFen } from "chessops/fen";
import { expect, test } from "vitest";
import { readMove } from "./typed-move";

const at = (fen: string) => Chess.fromSetup(parseFen(fen).unwrap()).unwrap();
const start = Chess.default();

test("SAN, UCI and loose spellings are read", () => {
  const cases = [
    ["e4", "e2e4"], ["e2e4", "e2e4"], ["E2-E4", "e2e4"], ["Nf3", "g1f3"], ["nf3", "g1f3"],
    ["1. Nf3!?", "g1f3"], ["Ng1f3", "g1f3"], [" d4 ", "d2d4"],
  ] as const;
  for (const [text, uci] of cases) expect(readMove(start, text)).toEqual({ uci });
});

test("what is no move, not legal or ambiguous is said", () => {
  const problem = (fen: string, text: string) => readMove(at(fen), text).problem;
  const initial = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
  expect(problem(initial, "Nf9")).toMatch(/^“Nf9” is not a move\./);
  expect(problem(initial, "")).toMatch(/^Write a move/);
  expect(problem(initial, "Ke2")).toBe("“Ke2” is not legal here.");
  expect(problem(initial, "e2e5")).toBe("“e2e5” is not legal here.");
  expect(problem(initial, "O-O")).toBe("“O-O” is not legal here.");
  expect(problem("4k3/8/8/8/8/8/8/1N2KN2 w - - 0 1", "Nd2"))
    .toBe("“Nd2” is ambiguous. Write Nbd2 or Nfd2.");
  expect(problem("4k3/8/8/8/4q3/8/8/N3K3 w - - 0 1", "Nb3"))
    .toBe("“Nb3” is not legal here: White is in check.");
  expect(problem("7k/5QQ1/8/8/8/8/8/K7 b - - 0 1", "Kh7")).toMatch(/^The game is over/);
});

test("a promotion needs its piece, and no other move has one", () => {
  const fen = "8/4P1k1/8/8/8/8/8/4K3 w - - 0 1";
  expect(readMove(at(fen), "e8").problem).toBe(
    "“e8” promotes a pawn. Write e8=Q, e8=R, e8=B or e8=N.",
  );
  expect(readMove(at(fen), "e8=N")).toEqual({ uci: "e7e8n" });
  for (const text of ["e8Q", "e8=q", "e8(Q)+"]) {
    expect(readMove(at(fen), text)).toEqual({ uci: "e7e8q" });
  }
  expect(readMove(at(fen), "e7e8r")).toEqual({ uci: "e7e8r" });
  expect(readMove(at(fen), "Kd2=Q").problem).toMatch(/is no promotion/);
});

test("en passant may be named", () => {
  const fen = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1";
  for (const text of ["exd6", "exd6 e.p.", "ed6ep"]) {
    expect(readMove(at(fen), text), text).toEqual({ uci: "e5d6" });
  }
});

test("bc4 is a pawn's capture where there is one, and else a bishop's move", () => {
  expect(readMove(at("4k3/8/8/8/2p5/1P6/8/4KB2 w - - 0 1"), "bxc4")).toEqual({ uci: "b3c4" });
  expect(readMove(at("4k3/8/8/8/2p5/8/8/4KB2 w - - 0 1"), "bxc4")).toEqual({ uci: "f1c4" });
});

test("castling is read in all spellings, in Chess960, too", () => {
  const both = at("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1");
  for (const text of ["O-O", "0-0", "oo", "e1g1", "e1h1"]) {
    expect(readMove(both, text), text).toEqual({ uci: "e1h1" });
  }
  for (const text of ["O-O-O", "0-0-0", "e1c1", "e1a1"]) {
    expect(readMove(both, text), text).toEqual({ uci: "e1a1" });
  }
  expect(readMove(at("4k3/8/8/8/8/8/8/1R2K1R1 w GB - 0 1"), "O-O-O")).toEqual({ uci: "e1b1" });
});
