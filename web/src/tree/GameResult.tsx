/** The result of the game at the end of the list of moves, as a score and in words. */
import { createMemo, Show } from "solid-js";
import type { TreeStore } from "./store";
import { mainLine, type Tree } from "./tree";

const WORDS: Readonly<Record<string, string>> = {
  "1-0": "White wins", "0-1": "Black wins", "1/2-1/2": "Draw",
};

/** The result by the tags, or by a mate at the end of the main line. */
function resultOf(tree: Tree): string | undefined {
  const last = mainLine(tree).at(-1);
  if (last?.san?.endsWith("#")) return last.ply % 2 === 1 ? "1-0" : "0-1";
  return last?.san ? tree.headers.get("Result") : undefined;
}

export function GameResult(props: { tree: TreeStore }) {
  const result = createMemo(() => resultOf(props.tree.tree()) ?? "");
  return (
    <Show when={WORDS[result()]}>
      <p class="game-result">{result().replaceAll("1/2", "½")} · {WORDS[result()]}</p>
    </Show>
  );
}
