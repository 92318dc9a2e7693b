/** The rows of the known moves: the moves of the position, and those after an expanded move. */
import { continued } from "./line";
import type { Explored, Explorer } from "./store";
import { endText, whiteScoreText } from "./texts";

export interface Row {
  /** The moves from the shown position; the last one is the row's. */
  readonly moves: readonly string[];
  readonly san: string;
  /** From White's view. */
  readonly score: string;
  readonly depth: string;
  /** The age of the entry when it came; `null` if the rules, not a search, give the score. */
  readonly ageMs: number | null;
  readonly at: number;
  /** `mate`, `stalemate`, `draw`, or empty. */
  readonly end: string;
  /** 1 for a move of the position. */
  readonly level: number;
  /** Whether the moves after it are shown; `null` if there are none to show. */
  readonly isExpanded: boolean | null;
  /** A row without a move: what stands where moves are missing. */
  readonly hint?: string;
}

/** More moves ahead would leave no room for the columns. */
const MAX_LEVEL = 3;

interface Kept {
  readonly answer: Explored;
  readonly at: number;
}

export function rowsOf(
  kept: Kept,
  explorer: Pick<Explorer, "line" | "linesAhead" | "kept">,
): readonly Row[] {
  const expanded = new Set(explorer.linesAhead().map(({ key }) => key));
  const rows: Row[] = [];
  const add = ({ answer, at }: Kept, before: readonly string[]) => {
    const level = before.length + 1;
    const known = (answer.moves ?? []).filter(({ score }) => score !== null);
    for (const move of known) {
      const moves = [...before, move.uci];
      const { key } = continued(explorer.line(), moves, "");
      const canExpand = move.known !== null && move.status === "ongoing" && level < MAX_LEVEL;
      const isExpanded = canExpand ? expanded.has(key) : null;
      rows.push({
        moves, san: move.san, at, level, isExpanded,
        score: move.score ? whiteScoreText(move.score, answer.turn) : "",
        depth: move.known ? String(move.known.depth) : "",
        ageMs: move.known?.age_ms ?? null, end: endText(move),
      });
      if (!isExpanded) continue;
      const next = explorer.kept(key);
      if (next) add(next, moves);
      else rows.push(hint(moves, level + 1, "Loading…"));
    }
    if (known.length === 0 && before.length > 0) rows.push(hint(before, level, "No known move"));
  };
  add(kept, []);
  return rows;
}

const hint = (moves: readonly string[], level: number, text: string): Row => ({
  moves, san: "", score: "", depth: "", ageMs: null, at: 0, end: "", level, isExpanded: null,
  hint: text,
});
