/** Clicks on the main board, which choose a square and leave the moves of pieces alone. */
import { onCleanup } from "solid-js";
import type { Square } from "./squares";

/** The square under the pointer, if it is on the main board. */
export function squareUnder(event: PointerEvent): Square | null {
  const board = (event.target as Element | null)?.closest?.(".page > .board cg-board");
  if (!board) return null;
  const { left, top, width, height } = board.getBoundingClientRect();
  const place = (offset: number, size: number) =>
    Math.max(0, Math.min(7, Math.floor((offset / size) * 8)));
  const column = place(event.clientX - left, width);
  const row = place(event.clientY - top, height);
  const isBlackBelow = board.closest(".orientation-black") !== null;
  return isBlackBelow ? 7 - column + 8 * row : column + 8 * (7 - row);
}

/** Calls back with each square that is pressed, until the view is gone. */
export function onBoardClick(choose: (square: Square) => void): void {
  const listener = (event: PointerEvent) => {
    const square = event.button === 0 ? squareUnder(event) : null;
    if (square !== null) choose(square);
  };
  document.addEventListener("pointerdown", listener, { capture: true, passive: true });
  onCleanup(() => document.removeEventListener("pointerdown", listener, { capture: true }));
}
