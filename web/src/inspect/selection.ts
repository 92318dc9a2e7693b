/** The selection in the panel and its marks on the board: the state of all highlights. */
import type { Key } from "@lichess-org/chessground/types";
import { createEffect, createMemo, createSignal, onCleanup } from "solid-js";
import type { Overlay, Overlays } from "../board/overlays";
import { squareName, type Square } from "./squares";

/** A bit, byte, entry or code, and the squares that it means. */
export interface Item {
  /** The value as it is shown: one text, or the columns of a row. */
  readonly text: string | readonly string[];
  /** What it means, for reading: "e4: 100, white pawn". */
  readonly label: string;
  readonly squares: readonly Square[];
  /** Names for the style sheet. */
  readonly kind?: string;
  /** A bitboard to show as a small board. */
  readonly hex?: string;
}

/** A bitboard that can be drawn on the board. The identifier stays from position to position. */
export interface Row {
  readonly id: string;
  readonly name: string;
  readonly hex: string;
}

/** Squares with a class name for the style sheet, or nothing to draw. */
function overlayOf(squares: readonly Square[], name: string): Overlay | null {
  if (squares.length === 0) return null;
  return { shapes: [], squares: new Map(squares.map((s) => [squareName(s) as Key, name])) };
}

export function createSelection(overlays: Overlays) {
  const [chosen, setChosen] = createSignal<readonly Square[]>([]);
  const [pointed, setPointed] = createSignal<Pick<Item, "squares" | "label"> | null>(null);
  const [drawn, setDrawn] = createSignal<readonly Square[]>([]);
  const [rowId, setRowId] = createSignal<string | null>(null);

  const marks = createMemo(() => new Set(pointed()?.squares ?? chosen()));

  createEffect(() => overlays.set("inspect", overlayOf(drawn(), "inspect-set")));
  createEffect(() => overlays.set("pointed", overlayOf([...marks()], "inspect-mark")));
  onCleanup(() => {
    overlays.set("inspect", null);
    overlays.set("pointed", null);
  });

  return {
    /** The squares that are marked now: those pointed at, or else the chosen ones. */
    marks,
    isMarked: (squares: readonly Square[]) => squares.some((square) => marks().has(square)),
    chosen,
    /** The chosen square, if it is one. */
    square: (): Square | null => (chosen().length === 1 ? (chosen()[0] ?? null) : null),
    /** What the mouse or the focus is on. */
    pointed,
    point: setPointed,
    choose(squares: readonly Square[]) {
      setPointed(null);
      setChosen(squares);
    },
    /** The bitboard that is drawn. */
    rowId,
    chooseRow: setRowId,
    drawSquares: setDrawn,
  };
}

export type Selection = ReturnType<typeof createSelection>;
