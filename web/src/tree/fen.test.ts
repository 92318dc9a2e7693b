import { readFileSync } from "node:fs";
import { IllegalSetup } from "chessops/chess";
import { InvalidFen } from "chessops/fen";
import { expect, test } from "vitest";
import { looksLikeFen, readFen } from "./fen";

const problem = (fen: string) => {
  const read = readFen(fen);
  return "problem" in read ? `${read.field}: ${read.problem}` : null;
};

test("a problem names the field, its value and what is allowed", () => {
  const problems = {
    "4k3/8/8/8/8/8/8/4K3 x - - 0 1": "side: The side to move is “x”; it must be “w” or “b”.",
    "4k3/8/8/8/8/8/8/4K3 w X - 0 1": "castling: The castling rights are “X”; they must be",
    "4k3/8/8/8/8/8/8/4K3 w - e9 0 1": "en_passant: The en passant square is “e9”; it must be",
    "4k3/8/8/8/8/8/8/4K3 w - - -1 1": "halfmove_clock: The half-move clock is “-1”; it must be",
    "4k3/8/8/8/8/8/8/4K3 w - - 0 $&": "fullmove_number: The move number is “$&”; it must be",
    "4k3/8/8/8/8/8/8/4K3 w - - 0 1 more": "fen: A FEN has six fields",
    "4k3/8/8/8/8/8/8/4K3 w - - 0 1 3 3": "fen: A FEN has six fields",
    "": "board: The board must have eight ranks",
    "4k3/8/8/8/8/8/4K3 w - - 0 1": "board: The board must have eight ranks",
    "4k3/8/8/8/8/8/8/4K3/Q w - - 0 1": "board: The board must have eight ranks",
    "4k3/8/8/8/8/8/8/4K3[Qq] w - - 0 1": "board: The board must have eight ranks",
    "4k3/8/8/8/8/8/8/4K3/9 w - - 0 1": "board: The board must have eight ranks",
    "8/8/8/8/8/8/8/8 w - - 0 1": "board: The board is empty",
    "4k3/8/8/8/8/8/8/8 w - - 0 1": "board: Each side needs exactly one king.",
    "P3k3/8/8/8/8/8/8/4K3 w - - 0 1": "board: Pawns must be on ranks 2 to 7.",
    "4k3/8/8/8/8/8/8/4R1K1 w - - 0 1": "board: The side that is not to move is in check.",
  };
  for (const [fen, start] of Object.entries(problems)) expect(problem(fen), fen).toContain(start);
});

test("every code of the library has a sentence", () => {
  const source = readFileSync(new URL("fen.ts", import.meta.url), "utf8");
  const named = [...Object.keys(InvalidFen).map((name) => `InvalidFen.${name}`),
    ...Object.keys(IllegalSetup).map((name) => `IllegalSetup.${name}`)];
  // Errors of variants, which do not occur.
  const missing = named.filter((name) => !source.includes(name));
  expect(missing).toEqual(["InvalidFen.Pockets", "IllegalSetup.Variant"]);
});

test("a FEN is read leniently and kept in one form", () => {
  const start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
  const joined = ["_", "+"].map((joint) => start.replaceAll(" ", joint));
  for (const text of [start, ` ${start}\n`, ...joined]) {
    expect(readFen(text)).toEqual({ fen: start });
    expect(looksLikeFen(text)).toBe(true);
  }
  expect(readFen(" 4k3/8/8/8/8/8/8/4K3_ ")).toEqual({ fen: "4k3/8/8/8/8/8/8/4K3 w - - 0 1" });
  for (const text of ["1. e4 e5", "1/2-1/2", "[Event \"8/8/8/8/8/8/8/8 w\"]"]) {
    expect(looksLikeFen(text), text).toBe(false);
  }
  // A FEN with a mistake is still one, so that its own sentence is shown.
  for (const text of ["4k3/8/8/8/8/8/4K3 w - - 0 1", "4k3/9/8/8/8/8/8/4K3 w - - 0 1"]) {
    expect(looksLikeFen(text), text).toBe(true);
  }
});
