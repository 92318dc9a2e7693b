/** FEN texts of users: leniently read, with a sentence for what is wrong. */
import { Chess, IllegalSetup } from "chessops/chess";
import { InvalidFen, makeFen, parseFen } from "chessops/fen";

const SENTENCES: Record<string, string> = {
  [InvalidFen.Fen]: "A FEN has six fields: board, side, castling, en passant and two counts.",
  [InvalidFen.Board]: "The board of a FEN has eight ranks of eight squares, separated by “/”.",
  [InvalidFen.Turn]: "The side to move is “w” or “b”.",
  [InvalidFen.Castling]: "Castling rights are “-” or letters such as “KQkq”, with a rook for each.",
  [InvalidFen.EpSquare]: "The en passant square is “-” or a square such as “e3”.",
  [InvalidFen.Halfmoves]: "The half-move clock is a number from 0 to 9999.",
  [InvalidFen.Fullmoves]: "The move number is a number from 1 to 9999.",
  [IllegalSetup.Empty]: "The board is empty; it needs one king of each side.",
  [IllegalSetup.OppositeCheck]: "The side that has just moved is in check.",
  [IllegalSetup.PawnsOnBackrank]: "A pawn stands on the first or last rank.",
  [IllegalSetup.Kings]: "Each side needs exactly one king.",
};

/** Whether a text is one line that begins as a FEN does. */
export function looksLikeFen(text: string): boolean {
  return /^\s*([pnbrqk1-8]+\/){7}[pnbrqk1-8]+([\s_+]|$)/i.test(text) && !/\n\s*\S/.test(text);
}

/** A FEN as the tree keeps it, or a sentence that says what is wrong. */
type ReadFen = { readonly fen: string } | { readonly problem: string };

/** Reads a FEN. Underscores and `+` may stand for spaces, as in addresses. */
export function readFen(text: string): ReadFen {
  const words = text.trim().replace(/[_+]/g, " ").replace(/\s+/g, " ");
  const read = parseFen(words).chain((setup) => Chess.fromSetup(setup));
  return read.unwrap<ReadFen>(
    (position) => ({ fen: makeFen(position.toSetup()) }),
    ({ message }) => ({ problem: SENTENCES[message] ?? "This is not a legal position." }),
  );
}
