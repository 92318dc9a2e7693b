/**
 * The 64 squares of a board as a grid for keys and screen readers. It lies over the drawn board,
 * shows nothing but the focused square and lets the pointer through.
 */
import type { Color, Square } from "chessops/types";
import { makeSquare } from "chessops/util";
import { createEffect, createSignal, Index, on, onMount } from "solid-js";
import { squareAt } from "./squares";
import "./square-grid.css";

export interface SquareGridApi {
  /** The square that has or gets the focus. */
  square(): Square;
  hasFocus(): boolean;
  focus(): void;
}

interface Props {
  label: string;
  /** The id of a text that says which keys there are. */
  describedBy?: string;
  orientation: Color;
  /** The square that is focused first. */
  first: Square;
  selected?: Square | null;
  nameOf(square: Square): string;
  onActivate(square: Square): void;
  /** Handles another key. `true` if it did. */
  onKey(key: string, square: Square): boolean;
  onFocusSquare?(square: Square | null): void;
  api?(api: SquareGridApi): void;
}

const INDEXES = [0, 1, 2, 3, 4, 5, 6, 7];

/** Rows and columns that an arrow key goes down and right. */
const STEPS: Record<string, readonly [number, number]> = {
  ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1],
};

const within = (index: number) => Math.min(Math.max(index, 0), 7);

export function SquareGrid(props: Props) {
  let grid!: HTMLDivElement;
  const [square, setSquare] = createSignal(props.first);
  const cell = () => grid.querySelector<HTMLElement>(`[data-square="${makeSquare(square())}"]`);
  const hasFocus = () => grid.contains(document.activeElement);

  const step = ([down, right]: readonly [number, number]) => {
    const top = Math.floor(square() / 8);
    const left = square() % 8;
    const [row, column] = props.orientation === "white" ? [7 - top, left] : [top, 7 - left];
    setSquare(squareAt(within(row + down), within(column + right), props.orientation));
    cell()?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const direction = event.shiftKey ? undefined : STEPS[event.key];
    if (direction) step(direction);
    else if (event.key === "Enter" || event.key === " ") props.onActivate(square());
    else if (!props.onKey(event.key, square())) return;
    event.preventDefault();
  };

  // The cells stay where they are when the board is flipped, so the focus must go to another one.
  createEffect(on(() => props.orientation, () => hasFocus() && cell()?.focus(), { defer: true }));
  onMount(() => props.api?.({ square, hasFocus, focus: () => cell()?.focus() }));

  return (
    <div
      class="square-grid"
      role="grid"
      aria-label={props.label}
      aria-describedby={props.describedBy}
      ref={grid}
      onKeyDown={onKeyDown}
      onFocusOut={() => props.onFocusSquare?.(null)}
    >
      <Index each={INDEXES}>
        {(row) => (
          <div role="row">
            <Index each={INDEXES}>
              {(column) => {
                const here = () => squareAt(row(), column(), props.orientation);
                return (
                  <div
                    role="gridcell"
                    tabIndex={here() === square() ? 0 : -1}
                    data-square={makeSquare(here())}
                    aria-label={props.nameOf(here())}
                    aria-selected={props.selected === here() || undefined}
                    onClick={() => {
                      setSquare(here());
                      props.onActivate(here());
                    }}
                    onFocus={() => {
                      setSquare(here());
                      props.onFocusSquare?.(here());
                    }}
                  />
                );
              }}
            </Index>
          </div>
        )}
      </Index>
    </div>
  );
}
