/** The check of many games in the background: which of them have errors. */
import { createSignal } from "solid-js";
import { readSteps } from "./pgn-read";
import type { GameText } from "./pgn-scan";
import { inSlices } from "./slices";

/** Reads all games in slices. `problems` has the sentences by the index of the game. */
export function checkGames(games: readonly GameText[]) {
  const [problems, setProblems] = createSignal<ReadonlyMap<number, string>>(new Map());
  const [checked, setChecked] = createSignal(0);
  let isStopped = false;
  let done = 0;
  const found = new Map<number, string>();

  function* steps(): Generator<null, void> {
    for (const [index, game] of games.entries()) {
      const read = yield* readSteps(game);
      if (read.problems.length > 0) {
        const refused = read.tree ? "" : "Cannot be opened. ";
        found.set(index, refused + read.problems.join(" "));
      }
      done = index + 1;
      yield null;
      if (isStopped) return;
    }
  }
  const tell = () => {
    setChecked(done);
    if (found.size !== problems().size) setProblems(new Map(found));
  };
  void inSlices(steps(), tell).then(tell);
  return { problems, checked, stop: () => { isStopped = true; } };
}
