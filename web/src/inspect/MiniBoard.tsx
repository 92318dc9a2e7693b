/** A small board that shows a bitboard: a1 is below on the left, set squares are filled. */
import { createMemo } from "solid-js";
import { squaresOf } from "./bits";
import { useInspect } from "./context";
import { squareName, type Square } from "./squares";

const fileOf = (square: Square) => square % 8;
const rowOf = (square: Square) => 7 - Math.floor(square / 8);

/** The squares as a path, each smaller than its field by this much on all sides. */
const path = (squares: Iterable<Square>, inset: number) =>
  [...squares].map((square) => {
    const side = 1 - 2 * inset;
    return `M${fileOf(square) + inset} ${rowOf(square) + inset}h${side}v${side}h-${side}z`;
  }).join("");

/** The dark fields, and the lines between all fields. */
const GRID = Array.from({ length: 7 }, (_, line) => `M${line + 1} 0v8M0 ${line + 1}h8`).join("");

export function MiniBoard(props: { hex: string }) {
  const { selection } = useInspect();
  const set = createMemo(() => squaresOf(props.hex));
  const squareAt = (event: MouseEvent): Square => {
    const { left, top, width } = (event.currentTarget as Element).getBoundingClientRect();
    const place = (offset: number) => Math.max(0, Math.min(7, Math.floor((offset / width) * 8)));
    return place(event.clientX - left) + 8 * (7 - place(event.clientY - top));
  };
  const point = (event: PointerEvent) => {
    const square = squareAt(event);
    const bit = set().includes(square) ? 1 : 0;
    selection.point({ squares: [square], label: `${squareName(square)}: ${bit}` });
  };
  return (
    <svg
      class="mini-board"
      viewBox="0 0 8 8"
      aria-hidden="true"
      on:pointermove={point}
    >
      <path class="grid" d={GRID} />
      <path class="set" d={path(set(), 0.12)} />
      <path class="mark" d={path(selection.marks(), 0.06)} />
    </svg>
  );
}
