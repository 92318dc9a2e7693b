/** The value of each piece as a list: the same values as on the board, to the hundredth. */
import type { Color } from "chessops/types";
import { For, Show } from "solid-js";
import { scoreText } from "../engine/protocol";
import type { PieceValue } from "./protocol";
import type { Values } from "./values";

const SIDES: readonly { color: Color; name: string }[] = [
  { color: "white", name: "White" },
  { color: "black", name: "Black" },
];

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const valueText = (value: number) => scoreText({ type: "cp", value });

export function PieceValues(props: { values: Values }) {
  const evaluation = () => props.values.evaluation();
  const piecesOf = (pieces: readonly PieceValue[], side: Color) =>
    pieces
      .filter(({ color }) => color === side)
      .sort((first, second) => Math.abs(second.value) - Math.abs(first.value));
  return (
    <section class="piece-values" aria-label="What each piece is worth">
      <p class="static">
        <Show
          when={evaluation()}
          fallback={props.values.problem() ?? "Loading…"}
        >
          {(shown) => (
            <>
              Static evaluation <b>{scoreText(shown().white_score)}</b> · network{" "}
              <code>{shown().network}</code> · bucket {shown().bucket}
            </>
          )}
        </Show>
      </p>
      <Show when={evaluation()?.check}>
        <p class="hint">
          The side to move is in check. The engine uses no static evaluation then, so these values
          mean little.
        </p>
      </Show>
      <Show when={evaluation()}>
        {(shown) => (
          <details>
            <summary>Values as a list</summary>
            <p class="hint">
              White's evaluation with the piece, less the evaluation without it. No move is
              searched.
            </p>
            <div class="value-lists">
              <For each={SIDES}>
                {({ color, name }) => (
                  <ul aria-label={`Values of ${name}'s pieces`}>
                    <For each={piecesOf(shown().pieces, color)}>
                      {({ role, square, value }) => (
                        <li data-square={square}>
                          <span>{capital(role)} {square}</span> <b>{valueText(value)}</b>
                        </li>
                      )}
                    </For>
                  </ul>
                )}
              </For>
            </div>
          </details>
        )}
      </Show>
    </section>
  );
}
