/** The start positions of Chess960 by their numbers from 0 to 959; 518 is that of chess. */
import type { Setup } from "./setup";

export const CHESS960_COUNT = 960;

/** The free files, counted from the a-file, for the two knights. */
const KNIGHTS: readonly (readonly [number, number])[] = [
  [0, 1], [0, 2], [0, 3], [0, 4], [1, 2], [1, 3], [1, 4], [2, 3], [2, 4], [3, 4],
];

/** The pieces on the first rank in upper case, from the a-file to the h-file. */
export function backRank(number: number): string {
  const files: string[] = Array.from({ length: 8 }, () => "");
  const place = (piece: string, free: number) => {
    const at = files.flatMap((taken, file) => (taken === "" ? [file] : []))[free];
    if (at !== undefined) files[at] = piece;
  };
  let rest = number;
  const digit = (base: number) => {
    const value = rest % base;
    rest = Math.floor(rest / base);
    return value;
  };
  files[digit(4) * 2 + 1] = "B";
  files[digit(4) * 2] = "B";
  place("Q", digit(6));
  const [first, second] = KNIGHTS[rest] ?? [0, 0];
  place("N", second);
  place("N", first);
  for (const piece of "RKR") place(piece, 0);
  return files.join("");
}

/** The start position with these numbers for White and Black. */
export function startPosition(white: number, black: number = white): Setup {
  return {
    board: `${backRank(black).toLowerCase()}/pppppppp/8/8/8/8/PPPPPPPP/${backRank(white)}`,
    side: "w", castling: "KQkq", enPassant: "-", halfmoves: "0", fullmoves: "1",
  };
}
