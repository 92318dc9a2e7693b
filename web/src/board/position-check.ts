/** The check of a position: what is wrong with each field of its FEN. */
import { Chess, IllegalSetup } from "chessops/chess";
import { InvalidFen, parseFen } from "chessops/fen";

/** The fields as the server names them. */
export type FenField =
  | "fen" | "board" | "side" | "castling" | "en_passant" | "halfmove_clock" | "fullmove_number";

export interface FieldNote {
  readonly field: FenField;
  readonly text: string;
}

export interface Verdict {
  readonly errors: readonly FieldNote[];
  /** What the server corrects by itself. */
  readonly warnings: readonly FieldNote[];
  /** Why the server did not check the position, as a sentence. */
  readonly notice: string | null;
}

export type CheckPosition = (fen: string, signal: AbortSignal) => Promise<Verdict>;

/** The errors of chessops by their codes. */
const ERRORS: Readonly<Record<string, FieldNote>> = {
  [InvalidFen.Fen]: { field: "fen", text: "The FEN has too many fields." },
  [InvalidFen.Board]: { field: "board", text: "The board needs 8 ranks of 8 squares each." },
  [InvalidFen.Turn]: { field: "side", text: "The side to move must be w or b." },
  [InvalidFen.Castling]: { field: "castling", text: "Castling rights are letters such as KQkq." },
  [InvalidFen.EpSquare]: { field: "en_passant", text: "En passant must be a square or “-”." },
  [InvalidFen.Halfmoves]: { field: "halfmove_clock", text: "The clock must be a whole number." },
  [InvalidFen.Fullmoves]: {
    field: "fullmove_number", text: "The move number must be a whole number.",
  },
  [IllegalSetup.Empty]: { field: "board", text: "The board is empty." },
  [IllegalSetup.OppositeCheck]: {
    field: "board", text: "The side that is not to move is in check.",
  },
  [IllegalSetup.PawnsOnBackrank]: {
    field: "board", text: "Pawns must be on ranks 2 to 7.",
  },
  [IllegalSetup.Kings]: { field: "board", text: "Each side must have one king." },
};

/** The position of a FEN by chessops, or what is wrong with it. */
export function readPosition(fen: string): { position: Chess } | { error: FieldNote } {
  return parseFen(fen).chain((setup) => Chess.fromSetup(setup)).unwrap(
    (position) => ({ position }),
    ({ message }) => ({
      error: ERRORS[message] ?? { field: "fen", text: `The position is not legal: ${message}.` },
    }),
  );
}

/** The check without the server, which finds fewer errors. */
export function checkHere(fen: string, notice: string): Verdict {
  const read = readPosition(fen);
  return { errors: "error" in read ? [read.error] : [], warnings: [], notice };
}
