/** FEN texts of users, leniently read, and the sentences for what is wrong with them. */
import { Chess, IllegalSetup } from "chessops/chess";
import { InvalidFen, makeFen, parseFen } from "chessops/fen";

/** The fields as the server names them. `fen` is the text as a whole. */
export type FenField =
  | "fen" | "board" | "side" | "castling" | "en_passant" | "halfmove_clock" | "fullmove_number";

/** What is wrong, as a sentence that says what is allowed. */
interface FenProblem {
  readonly field: FenField;
  readonly problem: string;
}

const SIX_FIELDS = "A FEN has six fields: board, side to move, castling rights, en passant square, "
  + "half-move clock and move number.";
const RANKS = "The board must have eight ranks of eight squares, separated by “/”.";

/** The problems by the codes of chessops. `%` stands for the value of the field. */
const PROBLEMS: Readonly<Record<string, readonly [FenField, string]>> = {
  [InvalidFen.Fen]: ["fen", SIX_FIELDS],
  [InvalidFen.RemainingChecks]: ["fen", SIX_FIELDS],
  [InvalidFen.Board]: ["board", RANKS],
  [InvalidFen.Turn]: ["side", "The side to move is “%”; it must be “w” or “b”."],
  [InvalidFen.Castling]: ["castling", "The castling rights are “%”; they must be “-” or letters "
    + "such as “KQkq”, each with a rook."],
  [InvalidFen.EpSquare]: ["en_passant", "The en passant square is “%”; it must be “-” or a square "
    + "such as “e3”."],
  [InvalidFen.Halfmoves]: ["halfmove_clock", "The half-move clock is “%”; it must be a number from "
    + "0 to 9999."],
  [InvalidFen.Fullmoves]: ["fullmove_number", "The move number is “%”; it must be a number from 1 "
    + "to 9999."],
  [IllegalSetup.Empty]: ["board", "The board is empty; it needs one king of each side."],
  [IllegalSetup.Kings]: ["board", "Each side needs exactly one king."],
  [IllegalSetup.PawnsOnBackrank]: ["board", "Pawns must be on ranks 2 to 7."],
  [IllegalSetup.OppositeCheck]: ["board", "The side that is not to move is in check."],
};

/** More characters of a wrong value are not shown. */
const MAX_SHOWN = 20;

/** The fields in their order in a FEN. */
const ORDER: readonly FenField[] =
  ["board", "side", "castling", "en_passant", "halfmove_clock", "fullmove_number"];

function problemOf(code: string, fen: string): FenProblem {
  const [field, text] = PROBLEMS[code] ?? ["fen", "The position is not legal."];
  const value = fen.split(" ")[ORDER.indexOf(field)] ?? "";
  return { field, problem: text.replace("%", () => value.slice(0, MAX_SHOWN)) };
}

/** Whether a text is one line that begins as a FEN does. */
export function looksLikeFen(text: string): boolean {
  return /^\s*([pnbrqk\d]+\/){4,}[pnbrqk\d]+([\s_+[]|$)/i.test(text) && !/\n\s*\S/.test(text);
}

/** Reads a FEN. Underscores and `+` may stand for spaces, as in addresses. */
export function readPosition(text: string): { readonly position: Chess } | FenProblem {
  const fen = text.replace(/[\s_+]+/g, " ").trim();
  // chessops would read pieces in hand, which variants have.
  if ((fen.split(" ")[0] ?? "").split(/[/[]/).length > 8) return problemOf(InvalidFen.Board, fen);
  const read = parseFen(fen).chain((setup) => Chess.fromSetup(setup));
  return read.unwrap<{ position: Chess } | FenProblem>(
    (position) => ({ position }),
    ({ message }) => problemOf(message, fen),
  );
}

/** Reads a FEN as the tree keeps it. */
export function readFen(text: string): { readonly fen: string } | FenProblem {
  const read = readPosition(text);
  return "problem" in read ? read : { fen: makeFen(read.position.toSetup()) };
}
