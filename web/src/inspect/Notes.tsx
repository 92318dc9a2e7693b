/** Notes in the place of a value that is not there. */
import { Show } from "solid-js";
import { outcomeText } from "../board/outcome";
import type { Latest } from "../engine/latest";
import { useInspect } from "./context";

/** The start of a game has no last move. */
export function NoMove(props: { what: string }) {
  return <p class="hint">Play a move on the board: {props.what} stands here.</p>;
}

/** The result of a game that is over in the shown position. */
export function Outcome() {
  const { tree } = useInspect();
  return <Show when={outcomeText(tree.position())}>{(text) => <p class="hint">{text()}.</p>}</Show>;
}

interface Props {
  of: Pick<Latest<unknown>, "problem" | "refresh">;
}

/** A refusal as a sentence, with a button for the next try. */
export function Problem(props: Props) {
  return (
    <Show when={props.of.problem()}>
      {(problem) => (
        <p class="refused" role="alert">
          <span>{problem()}</span>
          <button type="button" onClick={() => props.of.refresh()}>Try again</button>
        </p>
      )}
    </Show>
  );
}

/** A request that runs or was refused, as long as there is no older answer. */
export function Waiting(props: Props) {
  return (
    <Show when={props.of.problem() === null} fallback={<Problem of={props.of} />}>
      <p class="hint">Loading…</p>
    </Show>
  );
}
