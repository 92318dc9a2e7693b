/** The name of the opening on the board, in a line of fixed height. */
import { Show } from "solid-js";
import type { Explorer } from "./store";
import "./explore.css";

export function OpeningName(props: { explorer: Explorer | undefined }) {
  const opening = () => props.explorer?.opening();
  return (
    <p class="opening-name" title={opening()?.name}>
      <Show when={opening()}>
        {(named) => <><b>{named().eco}</b> {named().name}</>}
      </Show>
    </p>
  );
}
