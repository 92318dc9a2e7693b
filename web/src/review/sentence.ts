/** The judgement of a move as one plain sentence. */
import type { Score } from "../engine/protocol";
import type { Judged } from "./judge";
import { lineText } from "./line";
import { KINDS } from "./protocol";

/** The moves of a line that fit into the sentence. */
const LINE_MOVES = 4;

export interface Move {
  readonly san: string;
  /** The position before the move, and the best move and line there. */
  readonly fenBefore: string;
  readonly bestSan: string | null;
  readonly bestLine: readonly string[];
  /** The position after the move, and the best line there: it refutes a bad move. */
  readonly fenAfter: string;
  readonly answer: readonly string[];
  /** From the view of the player who moved. */
  readonly before: Score;
  readonly after: Score;
}

const inBrackets = (text: string) => (text === "" ? "" : ` (${text})`);

/** The mate that a move allows or misses: `allows mate in 3`, `misses mate in 2`, or `null`. */
export function mateText({ before, after }: Pick<Move, "before" | "after">): string | null {
  const isMate = ({ type }: Score) => type === "mate";
  if (isMate(after) && after.value < 0) return `allows mate in ${-after.value}`;
  if (isMate(before) && before.value > 0 && !isMate(after)) return `misses mate in ${before.value}`;
  return null;
}

/** What the move costs: `loses 14% winning chance`, or the mate that it allows or misses. */
const costText = (move: Move, loss: number) =>
  mateText(move) ?? `loses ${Math.round(loss)}% winning chance`;

/** Why the move is bad: `Nf6 loses 14% winning chance (2. e5 Nd5)`. */
export function whyBad(move: Move, { win_chance_loss }: Judged): string {
  const answer = lineText(move.fenAfter, move.answer, LINE_MOVES);
  return `${move.san} ${costText(move, win_chance_loss)}${inBrackets(answer)}`;
}

/** The best line instead of the move: `Best was 1… d5 2. exd5 Qxd5.` */
export function bestText({ bestSan, bestLine, fenBefore }: Move): string {
  if (bestSan === null) return "";
  return `Best was ${lineText(fenBefore, bestLine, LINE_MOVES) || bestSan}.`;
}

/** Such as `Mistake: Nf6 loses 14% winning chance (2. e5 Nd5). Best was 1… d5 2. exd5 Qxd5.` */
export function sentenceOf(move: Move, judged: Judged, isBest: boolean): string {
  const { judgement, win_chance_loss: loss } = judged;
  if (judgement) return `${KINDS[judgement].name}: ${whyBad(move, judged)}. ${bestText(move)}`;
  if (isBest) return `${move.san} is the best move.`;
  if (loss < 1) return `Good: ${move.san} is as good as ${move.bestSan ?? "any other move"}.`;
  return `Good: ${move.san} loses only ${Math.round(loss)}% winning chance. ${bestText(move)}`;
}
