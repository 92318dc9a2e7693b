/**
 * Squares of the main board that the user clicks or, where its squares take the focus, goes to with
 * keys. They are chosen in the panel, and the moves of pieces go on as before.
 */
import { parseSquare } from "chessops/util";
import { onCleanup } from "solid-js";
import type { Square } from "./squares";

/** The square under the pointer, if it is on the main board. */
function squareUnder(event: PointerEvent): Square | null {
  const board = (event.target as Element | null)?.closest(".page > .board cg-board");
  if (!board) return null;
  const { left, top, width, height } = board.getBoundingClientRect();
  const place = (offset: number, size: number) =>
    Math.max(0, Math.min(7, Math.floor((offset / size) * 8)));
  const column = place(event.clientX - left, width);
  const row = place(event.clientY - top, height);
  const isBlackBelow = board.closest(".orientation-black") !== null;
  return isBlackBelow ? 7 - column + 8 * row : column + 8 * (7 - row);
}

/** The square that has got the focus. */
function focusedSquare({ target }: FocusEvent): Square | null {
  const cell = (target as Element | null)?.closest<HTMLElement>(".page > .board [data-square]");
  return parseSquare(cell?.dataset["square"] ?? "") ?? null;
}

/** Calls back with each square that is pressed or focused, until the view is gone. */
export function onBoardSquare(choose: (square: Square) => void): void {
  const chooseIf = (square: Square | null) => {
    if (square !== null) choose(square);
  };
  const onPointer = (event: PointerEvent) => {
    if (event.button === 0) chooseIf(squareUnder(event));
  };
  const onFocus = (event: FocusEvent) => chooseIf(focusedSquare(event));
  document.addEventListener("pointerdown", onPointer, { capture: true, passive: true });
  document.addEventListener("focusin", onFocus);
  onCleanup(() => {
    document.removeEventListener("pointerdown", onPointer, { capture: true });
    document.removeEventListener("focusin", onFocus);
  });
}
