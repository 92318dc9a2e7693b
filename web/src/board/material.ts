/** The material on a board: what each side has more than the other. */
import type { Board } from "chessops/board";
import type { Color, Role } from "chessops/types";
import { opposite } from "chessops/util";

/** The roles in the order in which they are shown, with their usual worth in pawns. */
const WORTH = { queen: 9, rook: 5, bishop: 3, knight: 3, pawn: 1 } as const;

type Counted = keyof typeof WORTH;

const ROLES = Object.keys(WORTH) as Counted[];

export interface Surplus {
  /** The pieces that this side has more than the other. */
  readonly pieces: readonly { readonly role: Role; readonly count: number }[];
  /** How many points this side is ahead; 0 for the side that is not. */
  readonly points: number;
}

/** What a side has more than the other one, promoted pieces included. */
export function surplusOf(board: Board, color: Color): Surplus {
  const more = (role: Counted) =>
    board.pieces(color, role).size() - board.pieces(opposite(color), role).size();
  const points = ROLES.reduce((sum, role) => sum + more(role) * WORTH[role], 0);
  const pieces = ROLES.map((role) => ({ role, count: more(role) }));
  return { pieces: pieces.filter(({ count }) => count > 0), points: Math.max(points, 0) };
}

/** A surplus in words: `2 pawns and 1 knight more, 5 points ahead`. */
export function surplusText({ pieces, points }: Surplus): string {
  const names = pieces.map(({ role, count }) => `${count} ${role}${count > 1 ? "s" : ""}`);
  const last = names.pop();
  const list = names.length > 0 ? `${names.join(", ")} and ${last}` : last;
  const ahead = points > 0 ? `${points} ${points > 1 ? "points" : "point"} ahead` : "";
  return [list ? `${list} more` : "", ahead].filter(Boolean).join(", ");
}
