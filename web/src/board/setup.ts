/**
 * A position as its FEN describes it, field by field, right or wrong. The setup editor keeps one
 * text and shows its fields; an edit of a field writes the text anew.
 */
import { Board } from "chessops/board";
import { EMPTY_BOARD_FEN, makeBoardFen, parseBoardFen } from "chessops/fen";
import type { CastlingSide, Color, Piece, Square } from "chessops/types";
import { makeSquare, opposite, squareFile } from "chessops/util";

export interface Setup {
  readonly board: string;
  readonly side: string;
  readonly castling: string;
  readonly enPassant: string;
  readonly halfmoves: string;
  readonly fullmoves: string;
}

export const EMPTY_SETUP: Setup = {
  board: EMPTY_BOARD_FEN, side: "w", castling: "-", enPassant: "-", halfmoves: "0", fullmoves: "1",
};

/** The fields of a FEN. Those that are missing have their usual values. */
export function readSetup(fen: string): Setup {
  const [board, side, castling, enPassant, halfmoves, fullmoves] = fen.trim().split(/[\s_]+/);
  return {
    board: board || EMPTY_SETUP.board,
    side: side ?? EMPTY_SETUP.side,
    castling: castling ?? EMPTY_SETUP.castling,
    enPassant: enPassant ?? EMPTY_SETUP.enPassant,
    halfmoves: halfmoves ?? EMPTY_SETUP.halfmoves,
    fullmoves: fullmoves ?? EMPTY_SETUP.fullmoves,
  };
}

/** The FEN of these fields. */
export function writeSetup(setup: Setup): string {
  const { board, side, castling, enPassant, halfmoves, fullmoves } = setup;
  return [board, side, castling || "-", enPassant || "-", halfmoves || "0", fullmoves || "1"]
    .map((field) => field.replace(/\s+/g, ""))
    .join(" ");
}

/** The pieces, as far as they can be read. */
export function boardOf({ board }: Setup): Board {
  return parseBoardFen(board).unwrap((read) => read, () => Board.empty());
}

/** A board with a piece on a square, or with none. */
export function withPiece(setup: Setup, square: Square, piece: Piece | null): Setup {
  const board = boardOf(setup);
  if (piece) board.set(square, piece);
  else board.take(square);
  return { ...setup, board: makeBoardFen(board) };
}

/** A castling right: `null`, `outer` for the outermost rook, or the file of its rook. */
export type Right = "outer" | "a" | "b" | "c" | "d" | "e" | "f" | "g" | "h" | null;
type Rights = Readonly<Record<Color, Readonly<Record<CastlingSide, Right>>>>;

const NO_RIGHTS: Rights = { white: { a: null, h: null }, black: { a: null, h: null } };

/** The castling rights of a position. */
export function rightsOf(setup: Setup): Rights {
  const board = boardOf(setup);
  return [...setup.castling].reduce((rights: Rights, letter) => {
    const color: Color = letter === letter.toUpperCase() ? "white" : "black";
    const name = letter.toLowerCase();
    const file = "abcdefgh".indexOf(name);
    const king = board.kingOf(color);
    const isKingside = name === "k" || (file >= 0 && king !== undefined && file > squareFile(king));
    if (file < 0 && name !== "k" && name !== "q") return rights;
    const right = file < 0 ? "outer" : (name as Right);
    return { ...rights, [color]: { ...rights[color], [isKingside ? "h" : "a"]: right } };
  }, NO_RIGHTS);
}

/** A position with these castling rights. */
export function withRights(setup: Setup, rights: Rights): Setup {
  const letters = (["white", "black"] as const).flatMap((color) =>
    (["h", "a"] as const).flatMap((side) => {
      const right = rights[color][side];
      if (right === null) return [];
      const letter = right !== "outer" ? right : side === "h" ? "k" : "q";
      return [color === "white" ? letter.toUpperCase() : letter];
    }));
  return { ...setup, castling: letters.join("") || "-" };
}

/** Whether the rights name the files of rooks, or a king that may castle is not on the e-file. */
export function isChess960(setup: Setup): boolean {
  const board = boardOf(setup);
  const rights = rightsOf(setup);
  return (["white", "black"] as const).some((color) => {
    const own = [rights[color].a, rights[color].h].filter((right) => right !== null);
    const king = board.kingOf(color);
    const isMoved = king !== undefined && squareFile(king) !== 4;
    return own.some((right) => right !== "outer") || (own.length > 0 && isMoved);
  });
}

/** The squares that a pawn may have passed with a double step just now. */
export function enPassantSquares(setup: Setup): string[] {
  const board = boardOf(setup);
  const turn: Color = setup.side === "b" ? "black" : "white";
  const [target, pawn, origin] = turn === "white" ? [5, 4, 6] : [2, 3, 1];
  return [0, 1, 2, 3, 4, 5, 6, 7].flatMap((file) => {
    const passed = board.get(pawn * 8 + file);
    const isFree = !board.occupied.has(target * 8 + file) && !board.occupied.has(origin * 8 + file);
    const isPawn = passed?.role === "pawn" && passed.color === opposite(turn);
    return isPawn && isFree ? [makeSquare(target * 8 + file)] : [];
  });
}
