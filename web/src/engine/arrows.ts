/** The engine's arrows on the board: the best move, all lines with their scores, the threat. */
import type { DrawShape } from "@lichess-org/chessground/draw";
import { squaresOf } from "../board/move-squares";
import type { Overlay } from "../board/overlays";
import { scoreText, type Info, type Line } from "./protocol";

/** The widths of the arrows of the lines, the best first. */
const LINE_WIDTHS = [14, 11, 9, 7, 5];

const NO_SQUARES: Overlay["squares"] = new Map();

function arrow({ pv }: Line, brush: string, lineWidth: number): DrawShape | null {
  const [orig, dest] = squaresOf(pv[0] ?? null);
  return orig && dest ? { orig, dest, brush, modifiers: { lineWidth } } : null;
}

const overlayOf = (shapes: readonly (DrawShape | null)[]): Overlay =>
  ({ shapes: shapes.flatMap((shape) => shape ?? []), squares: NO_SQUARES });

/** A score as a picture of 100 by 100 units, which is one square. */
const scoreLabel = (text: string) =>
  `<rect x="8" y="35" width="84" height="30" rx="8" fill="#1c2733" fill-opacity="0.85"/>` +
  `<text x="50" y="57.5" font-size="21" font-weight="600" text-anchor="middle" fill="#fff">` +
  `${text}</text>`;

export function bestMoveArrow(info: Info | undefined): Overlay | null {
  const line = info?.lines[0];
  return line ? overlayOf([arrow(line, "paleBlue", 15)]) : null;
}

export function lineArrows(info: Info | undefined): Overlay | null {
  if (!info) return null;
  // The best line is drawn last, over the others.
  return overlayOf([...info.lines].reverse().map((line) => {
    const width = LINE_WIDTHS[line.rank - 1] ?? LINE_WIDTHS.at(-1)!;
    const shape = arrow(line, line.rank === 1 ? "paleBlue" : "paleGrey", width);
    const html = scoreLabel(scoreText(line.score));
    return shape && { ...shape, customSvg: { html, center: "dest" } };
  }));
}

export function threatArrow(info: Info | undefined): Overlay | null {
  const line = info?.lines[0];
  return line ? overlayOf([arrow(line, "red", 10)]) : null;
}
