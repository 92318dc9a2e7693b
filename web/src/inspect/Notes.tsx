/** What stands in the place of a value that is not there. */
import { Show } from "solid-js";
import type { Latest } from "./latest";

/** The start of a game has no last move. */
export function NoMove(props: { what: string }) {
  return <p class="hint">Play a move on the board: {props.what} stands here.</p>;
}

/** A request that runs or was refused. */
export function Waiting(props: { of: Pick<Latest<unknown>, "problem" | "retry"> }) {
  return (
    <Show when={props.of.problem()} fallback={<p class="hint">Loading…</p>}>
      {(problem) => <Refused problem={problem()} onRetry={props.of.retry} />}
    </Show>
  );
}

/** A refusal as a sentence, with a button for the next try. */
export function Refused(props: { problem: string; onRetry(): void }) {
  return (
    <p class="refused" role="alert">
      <span>{props.problem}</span>
      <button type="button" onClick={() => props.onRetry()}>Try again</button>
    </p>
  );
}
