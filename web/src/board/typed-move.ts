/** Typed moves: SAN or UCI, with sentences for what is no move, not legal or ambiguous. */
import type { Chess } from "chessops/chess";
import { makeSan } from "chessops/san";
import type { NormalMove, Role, Square } from "chessops/types";
import {
  charToRole, makeSquare, makeUci, parseSquare, squareFile, squareRank,
} from "chessops/util";
import { isPromotion, targetsOf, uciOf } from "./moves";
import { COLOR_NAMES, listed } from "./squares";

type TypedMove =
  | { readonly uci: string; readonly problem?: never }
  | { readonly problem: string; readonly uci?: never };

const UCI = /^([a-h][1-8])[-x]?([a-h][1-8])=?([qrbn])?$/i;
const CASTLING = /^[o0]-?[o0](-?[o0])?$/i;
const SAN = /^([KQRBN]?)([a-h]?)([1-8]?)[x:-]?([a-h][1-8])(?:=?\(?([QRBNqrbn])\)?)?$/;

interface Pattern {
  readonly role: Role;
  readonly file: number | null;
  readonly rank: number | null;
  readonly to: Square;
  readonly promotion: Role | undefined;
}

const squareOf = (name: string): Square => parseSquare(name.toLowerCase() as never)!;

function patternOf(text: string): Pattern | null {
  const [, piece, file, rank, to, promotion] = SAN.exec(text) ?? [];
  if (to === undefined) return null;
  return {
    role: piece ? charToRole(piece as "K") : "pawn",
    file: file ? file.charCodeAt(0) - "a".charCodeAt(0) : null,
    rank: rank ? Number(rank) - 1 : null,
    to: squareOf(to),
    promotion: promotion ? charToRole(promotion as "q") : undefined,
  };
}

/** The pieces that can make this move. */
function movers(position: Chess, { role, file, rank, to }: Pattern): Square[] {
  return [...position.board[role].intersect(position.board[position.turn])].filter((from) =>
    (file === null || squareFile(from) === file) &&
    (rank === null || squareRank(from) === rank) &&
    // A pawn move without a file is no capture.
    (role !== "pawn" || file !== null || squareFile(from) === squareFile(to)) &&
    position.dests(from).has(to) &&
    // King takes rook is castling, which has a name of its own.
    !position.board[position.turn].has(to));
}

function notLegal(position: Chess, text: string): TypedMove {
  const check = position.isCheck() ? `: ${COLOR_NAMES[position.turn]} is in check` : "";
  return { problem: `“${text}” is not legal here${check}.` };
}

/** The move, or the question for its piece if a pawn reaches the last rank without one. */
function withPromotion(position: Chess, move: NormalMove, text: string): TypedMove {
  const { from, to, promotion } = move;
  if (!isPromotion(position, from, to)) {
    return promotion === undefined
      ? { uci: makeUci(move) }
      : { problem: `“${text}” is no promotion. Write the move without a piece at its end.` };
  }
  if (promotion !== undefined) return { uci: makeUci(move) };
  const texts = ["Q", "R", "B", "N"].map((letter) => `${text}=${letter}`);
  return { problem: `“${text}” promotes a pawn. Write ${listed(texts)}.` };
}

function readUci(position: Chess, text: string): TypedMove | null {
  const [, origin, target, letter] = UCI.exec(text) ?? [];
  if (origin === undefined || target === undefined) return null;
  const [from, to] = [squareOf(origin), squareOf(target)];
  if (!targetsOf(position).get(from)?.includes(to)) return notLegal(position, text);
  const promotion = letter ? charToRole(letter.toLowerCase() as "q") : undefined;
  if (promotion === undefined && !isPromotion(position, from, to)) {
    return { uci: uciOf(position, from, to) };
  }
  return withPromotion(position, { from, to, ...(promotion ? { promotion } : {}) }, text);
}

function readCastling(position: Chess, text: string): TypedMove | null {
  const parts = CASTLING.exec(text);
  if (!parts) return null;
  const king = position.board.kingOf(position.turn);
  const rook = position.castles.rook[position.turn][parts[1] ? "a" : "h"];
  if (king === undefined || rook === undefined || !position.dests(king).has(rook)) {
    return notLegal(position, text);
  }
  return { uci: makeSquare(king) + makeSquare(rook) };
}

function readSan(position: Chess, text: string): TypedMove | null {
  // Pieces in lower case are read, too. `bc4` is a move of a pawn if there is one.
  const patterns = [text, text.charAt(0).toUpperCase() + text.slice(1)].flatMap(
    (spelling) => patternOf(spelling) ?? [],
  );
  if (patterns.length === 0) return null;
  for (const pattern of patterns) {
    const found = movers(position, pattern);
    const [from] = found;
    if (from === undefined) continue;
    const { to, promotion } = pattern;
    const move = { from, to, ...(promotion ? { promotion } : {}) };
    if (found.length === 1) return withPromotion(position, move, text);
    const sans = found.map((origin) => makeSan(position, { ...move, from: origin }));
    return { problem: `“${text}” is ambiguous. Write ${listed(sans)}.` };
  }
  return notLegal(position, text);
}

/** Reads a typed move in a position. */
export function readMove(position: Chess, typed: string): TypedMove {
  const text = typed.trim().replace(/^\d+\s*(\.+|…)?\s*(?=[a-zA-Z0])/, "")
    .replace(/[+#!?]+$/, "").replace(/\s*e\.?p\.?$/, "");
  if (text === "") return { problem: "Write a move: e4, Nf3, O-O or e2e4, say." };
  if (position.isEnd()) return { problem: "The game is over here: no move is legal." };
  // A move of a pawn in lower case, such as `e4`, is never UCI, which has two squares.
  const read = readUci(position, text) ?? readCastling(position, text) ?? readSan(position, text);
  return read ?? { problem: `“${text}” is not a move. Write e4, Nf3, O-O or e2e4, say.` };
}
