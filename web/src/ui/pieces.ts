/** The pieces that the boards show. `classic` is in the first style sheet; others are loaded. */

export const PIECE_SETS = ["classic", "flat", "shapes", "letters"] as const;
export type PieceSet = (typeof PIECE_SETS)[number];

let wanted: PieceSet | undefined;

/** Shows a set. The one before stays until all drawings of the new one are there. */
export async function showPieces(set: PieceSet): Promise<void> {
  wanted = set;
  if (set !== "classic") await (await import("./piece-sets")).loadPieces(set);
  if (wanted === set) document.documentElement.dataset["pieces"] = set;
}
