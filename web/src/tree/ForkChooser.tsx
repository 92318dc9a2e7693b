/** The choice between the moves of a fork. */
import { For, Show } from "solid-js";
import { useShortcuts } from "../ui/shortcuts";
import { moveNumber } from "./notation";
import { glyphOf } from "./notes";
import type { TreeStore } from "./store";

interface Props {
  tree: TreeStore;
  /** SAN as the user reads it. */
  shown(san: string): string;
}

export function ForkChooser(props: Props) {
  return (
    <Show when={props.tree.choices().length > 0}>
      <Choices {...props} />
    </Show>
  );
}

function Choices(props: Props) {
  const store = props.tree;
  const step = (places: number) => {
    const choices = store.choices();
    const at = choices.findIndex(({ id }) => id === store.next());
    const chosen = choices.at((at + places) % choices.length);
    if (chosen) store.choose(chosen.id);
  };
  useShortcuts([
    { keys: ["ArrowUp"], label: "Choose the move before", group: "Moves", run: () => step(-1) },
    { keys: ["ArrowDown"], label: "Choose the move after", group: "Moves", run: () => step(1) },
    { keys: ["Enter"], label: "Show the chosen move", group: "Moves", run: store.forward },
  ]);
  return (
    <div class="fork" role="group" aria-label="Next move">
      <For each={store.choices()}>
        {({ id, ply, san, nags }) => (
          <button
            type="button"
            aria-pressed={store.next() === id}
            title={store.next() === id ? "Next move (→)" : "Show this move (↑ ↓ choose)"}
            onClick={() => store.show(id)}
          >
            <span class="number">{moveNumber(ply, true)}</span> {props.shown(san ?? "")}
            {nags.map((nag) => glyphOf(nag).symbol).join("")}
          </button>
        )}
      </For>
    </div>
  );
}
