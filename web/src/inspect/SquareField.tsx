/** The field for a square: typed, or changed by arrow keys as on a board. */
import { parseSquare } from "chessops/util";
import { createEffect, createSignal, Show } from "solid-js";
import type { Selection } from "./selection";
import { squareName, type Square } from "./squares";

/** Steps of file and rank. */
const STEPS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowDown: [0, -1], ArrowUp: [0, 1],
};

/** The square beside this one, or the same at the edge of the board. */
function stepFrom(square: Square, [files, ranks]: readonly [number, number]): Square {
  const file = Math.max(0, Math.min(7, (square % 8) + files));
  const rank = Math.max(0, Math.min(7, Math.floor(square / 8) + ranks));
  return file + 8 * rank;
}

interface Props {
  selection: Selection;
  /** What stands on a square, for a screen reader. */
  describe(square: Square): string;
}

export function SquareField(props: Props) {
  const [text, setText] = createSignal("");
  const isWrong = () => text().length >= 2 && parseSquare(text()) === undefined;
  createEffect(() => {
    const { selection } = props;
    const square = selection.square();
    if (square !== null) setText(squareName(square));
    else if (parseSquare(text()) !== undefined) setText("");
  });
  const type = (value: string) => {
    const typed = value.trim().toLowerCase();
    setText(typed);
    const square = parseSquare(typed);
    if (square !== undefined) props.selection.choose([square]);
    else if (typed === "") props.selection.choose([]);
  };
  const onKey = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (event.key === "Escape") type("");
    if (!step) return;
    event.preventDefault();
    const square = props.selection.square();
    props.selection.choose([square === null ? 28 : stepFrom(square, step)]);
  };
  return (
    <div class="square-field">
      <label>
        Square
        <input
          type="text"
          size={2}
          maxlength={2}
          placeholder="e4"
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          value={text()}
          aria-invalid={isWrong()}
          aria-describedby="square-help"
          title="Type a square, or use the arrow keys. Esc clears it."
          onInput={(event) => type(event.currentTarget.value)}
          on:keydown={onKey}
        />
      </label>
      <span class="only-read" id="square-help">
        Arrow keys go to the next square. Escape clears the square.
      </span>
      <span class="only-read" aria-live="polite">
        <Show when={props.selection.square() !== null}>
          {props.describe(props.selection.square()!)}
        </Show>
      </span>
      <Show when={isWrong()}>
        <span class="wrong" role="alert">“{text()}” is not a square; type a1 to h8.</span>
      </Show>
    </div>
  );
}
