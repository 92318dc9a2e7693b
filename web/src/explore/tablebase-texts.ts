/** Outcomes and distances of tablebases, written for people. */
import { opposite } from "chessops/util";
import { COLOR_NAMES } from "../board/squares";
import type { Category, TablebaseAnswer, TablebaseMove } from "./protocol";
import { stateText } from "./texts";

/** What the outcomes mean for the side to move, as headings of its moves. */
const OUTCOMES: Record<Category, string> = {
  "win": "Win",
  "syzygy-win": "Win, or a draw by the 50-move rule",
  "cursed-win": "Win, but a draw by the 50-move rule",
  "draw": "Draw",
  "blessed-loss": "Loss, but a draw by the 50-move rule",
  "syzygy-loss": "Loss, or a draw by the 50-move rule",
  "loss": "Loss",
  "unknown": "Not in the server's tables",
};

/** The outcome of a move for its player, from that of the opponent after it. */
const MIRRORED: Record<Category, Category> = {
  "win": "loss", "syzygy-win": "syzygy-loss", "cursed-win": "blessed-loss", "draw": "draw",
  "blessed-loss": "cursed-win", "syzygy-loss": "syzygy-win", "loss": "win", "unknown": "unknown",
};

/** The colour of an outcome: whether the player wins, draws or loses in the game. */
const RESULTS: Record<Category, "win" | "draw" | "loss" | "unknown"> = {
  "win": "win", "syzygy-win": "win", "cursed-win": "draw", "draw": "draw",
  "blessed-loss": "draw", "syzygy-loss": "loss", "loss": "loss", "unknown": "unknown",
};

/** The outcome of a position with the name of the winner. */
export function outcomeText(answer: TablebaseAnswer): string {
  const { category, turn, status } = answer;
  if (status !== "ongoing") return (stateText(answer) ?? "").replace(/\.$/, "");
  const [first, ...rule] = OUTCOMES[category].split(", ");
  if (category === "draw" || category === "unknown") return OUTCOMES[category];
  const winner = COLOR_NAMES[first === "Win" ? turn : opposite(turn)];
  return rule.length === 0 ? `${winner} wins` : `Win for ${winner}, ${rule.join(", ")}`;
}

/** Explains the outcomes that the 50-move rule changes. */
export function ruleNote(category: Category): string | undefined {
  if (category.startsWith("syzygy")) {
    return "The tables round the distance, so they do not say whether the win comes in time.";
  }
  return category === "cursed-win" || category === "blessed-loss"
    ? "The win takes so many moves without a capture or a pawn move that the defender may claim "
      + "a draw."
    : undefined;
}

const plies = (dtz: number) => (Math.abs(dtz) === 1 ? "1 ply" : `${Math.abs(dtz)} plies`);

/** The distance of a position; empty in a draw and after the end of the game. */
export function distanceText({ dtz, moves, status }: TablebaseAnswer): string {
  if (status !== "ongoing" || dtz === 0) return "";
  return moves[0]?.checkmate ? "mate in one move" : `zeroing in ${plies(dtz)}`;
}

/** What distances mean, for people who do not know the word. */
export const DISTANCE_NOTE = "The distance to zeroing (DTZ): so many plies, moves of one player, "
  + "until a capture, a pawn move or mate with best play. Then the 50-move rule counts anew from "
  + "zero. The tables round: it may be one ply more.";

/** What a move does: an end of the game, or what lets the 50-move rule count anew. */
export function markText(move: TablebaseMove): string {
  if (move.checkmate) return "mate";
  if (move.stalemate) return "stalemate";
  if (!move.zeroing) return move.insufficient_material ? "no mate possible" : "";
  return move.san.includes("x") ? "capture" : move.san.includes("=") ? "promotion" : "pawn move";
}

export interface MoveItem {
  readonly move: TablebaseMove;
  /** The distance after the move, empty where it means nothing. */
  readonly distance: string;
  readonly mark: string;
  /** The outcome for the player who moves. */
  readonly outcome: string;
}

/** A heading above moves of the same outcome, or a move. */
export type Item = MoveItem | {
  readonly heading: string;
  readonly result: string;
  readonly note: string | undefined;
};

/** The moves in the server's order, with a heading before each outcome. */
export function itemsOf({ moves, status }: TablebaseAnswer): readonly Item[] {
  // The end of the game makes the outcome of a move pointless.
  if (status !== "ongoing") return [];
  return moves.flatMap((move, index): Item[] => {
    const category = MIRRORED[move.category];
    const outcome = OUTCOMES[category];
    const isDecided = !move.checkmate && (move.dtz ?? 0) !== 0;
    const item: MoveItem = {
      move, outcome, mark: markText(move),
      distance: isDecided ? String(Math.abs(move.dtz!)) : "",
    };
    if (moves[index - 1]?.category === move.category) return [item];
    const heading = { heading: outcome, result: RESULTS[category], note: ruleNote(category) };
    return [heading, item];
  });
}
