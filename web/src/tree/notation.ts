/** Moves and their numbers as books write them and as people say them. */
import type { TreeNode } from "./node";

/** The number before a move: `1.`, and `1…` before a move of Black that begins a text. */
export function moveNumber(ply: number, isFirst: boolean): string {
  const number = Math.ceil(ply / 2);
  if (ply % 2 === 1) return `${number}.`;
  return isFirst ? `${number}…` : "";
}

/** A move with its number: `3… Nf6`. The root is the start position. */
export const moveText = ({ ply, san }: TreeNode): string =>
  san === null ? "the start position" : `${moveNumber(ply, true)} ${san}`;

const PIECES: Record<string, string> = {
  K: "king", Q: "queen", R: "rook", B: "bishop", N: "knight",
};

/** SAN in words: `Nbxd7+` is “knight b takes d7, check”. */
function spokenSan(san: string): string {
  const castling = san.startsWith("O-O-O") ? "castles long" : "castles short";
  const words = san.startsWith("O-O") ? castling : san
    .replace(/[+#]$/, "")
    .replace(/=([QRBN])/, (_, piece: string) => ` promotes to ${PIECES[piece]}`)
    .replace(/^[KQRBN]/, (piece) => `${PIECES[piece]} `)
    .replace("x", " takes ")
    .replace(/ {2,}/g, " ");
  const end = san.endsWith("#") ? ", checkmate" : san.endsWith("+") ? ", check" : "";
  return words + end;
}

/** The shown move for a screen reader: “1, White, e4”. */
export function spokenMove({ ply, san }: TreeNode): string {
  if (san === null) return "Start position";
  return `${Math.ceil(ply / 2)}, ${ply % 2 === 1 ? "White" : "Black"}, ${spokenSan(san)}`;
}
