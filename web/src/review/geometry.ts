/** The geometry of the graph, in percent of its width and height. */
import type { MoveReview } from "./protocol";

/** A position of the game: 0 is the one before the first move. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

export const xOf = (index: number, plies: number): number =>
  plies === 0 ? 0 : (index / plies) * 100;

/** Points from the top: White's certain win is 0. `null` where the move is not reviewed yet. */
export function pointsOf(moves: readonly (MoveReview | null)[]): (Point | null)[] {
  const first = moves[0];
  const before = first ? [{ x: 0, y: 100 - first.win_chance.before }] : [null];
  return [
    ...before,
    ...moves.map((move, index) =>
      move && { x: xOf(index + 1, moves.length), y: 100 - move.win_chance.after }),
  ];
}

const text = ({ x, y }: Point) => `${x.toFixed(2)} ${y.toFixed(2)}`;

/** Runs of points without a gap between them. */
function runsOf(points: readonly (Point | null)[]): Point[][] {
  const runs: Point[][] = [];
  let run: Point[] = [];
  for (const point of [...points, null]) {
    if (point) run.push(point);
    else if (run.length > 0) {
      runs.push(run);
      run = [];
    }
  }
  return runs;
}

/** The line through the known points. */
export const linePath = (points: readonly (Point | null)[]): string =>
  runsOf(points).map((run) => `M${run.map(text).join("L")}`).join("");

/** The area between the line and an edge: White's is down to 100, Black's is up to 0. */
export const areaPath = (points: readonly (Point | null)[], edge: 0 | 100): string =>
  runsOf(points)
    .map((run) => `M${run[0]?.x.toFixed(2)} ${edge}L${run.map(text).join("L")}` +
      `L${run.at(-1)?.x.toFixed(2)} ${edge}Z`)
    .join("");
