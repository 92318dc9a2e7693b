/** The panel of the review: its start, its progress, and its results. */
import { createEffect, createMemo, createSignal, For, on, Show } from "solid-js";
import { Graph } from "./Graph";
import { isLevel, LEVELS, type Level } from "./levels";
import { Players } from "./Players";
import { PracticeView } from "./PracticeView";
import { Progress } from "./Progress";
import type { Review } from "./store";
import { Results, Worst } from "./Results";
import "./review.css";

interface Props {
  review: Review;
}

export function ReviewPanel(props: Props) {
  const isPractising = createMemo(() =>
    props.review.practice.practice() !== null && props.review.nodeIds() !== null);
  let view!: HTMLDivElement;
  // The button that ended the practice is gone: the next Tab goes on in this panel.
  createEffect(on(isPractising, (is) => !is && view.focus({ preventScroll: true }), {
    defer: true,
  }));
  return (
    <div ref={view} tabindex="-1">
      <Show when={isPractising()} fallback={<Overview review={props.review} />}>
        <PracticeView practice={props.review.practice} />
      </Show>
    </div>
  );
}

function Overview(props: Props) {
  const review = () => props.review;
  const state = () => review().state;
  /** Whether the results belong to the game on the board. */
  const isHere = () => state().phase !== "idle" && review().nodeIds() !== null;
  const hasResults = () => isHere() && (review().data()?.moves.some((move) => move) ?? false);
  return (
    <div class="review-body">
      <Show when={isHere() && review().isActive()}><Progress review={review()} /></Show>
      <Show when={!hasResults() && !review().isActive()}><StartForm review={review()} /></Show>
      <Show when={state().phase !== "idle" && !isHere()}><OtherGame review={review()} /></Show>
      <Show when={isHere() && state().problem}>
        {(problem) => <p class="error" role="alert">{problem()}</p>}
      </Show>
      <Show when={isHere() && state().phase === "forbidden"}>
        <p class="row"><button type="button" onClick={review().retry}>Try again</button></p>
      </Show>
      <Show when={(hasResults() || (isHere() && review().isActive())) && review().data()}>
        {(data) => (
          <>
            <Players review={review()} data={data()} />
            <Worst review={review()} data={data()} />
            <Graph
              moves={data().moves}
              shownPly={review().shownPly()}
              onShow={review().showPly}
            />
            <Results review={review()} data={data()} />
            <p class="hint">The winning chance is computed from the score alone, so it differs from
              the bar, which shows win, draw and loss.</p>
          </>
        )}
      </Show>
      <Show when={hasResults() && !review().isActive()}><StartForm review={review()} /></Show>
    </div>
  );
}

/** The button that starts a review, and how deep it looks. */
function StartForm(props: Props) {
  const [level, setLevel] = createSignal<Level>("standard");
  const hasMoves = () => props.review.movesToReview() > 0;
  const isAgain = () => props.review.state.phase !== "idle" && props.review.isCurrent();
  return (
    <Show when={hasMoves()} fallback={
      <p class="hint">Play or paste a game first. Then every move of its main line is judged
        here.</p>
    }>
      <form
        class="start"
        onSubmit={(event) => {
          event.preventDefault();
          props.review.start(level());
        }}
      >
        <button type="submit" class={isAgain() ? "" : "primary"}>
          {isAgain() ? "Review again" : "Review the game"}
        </button>
        <label>
          <span class="only-read">Depth of the review</span>
          <select
            value={level()}
            title={LEVELS[level()].hint}
            onChange={({ currentTarget: { value } }) => isLevel(value) && setLevel(value)}
          >
            <For each={Object.entries(LEVELS)}>
              {([name, { label, hint }]) => <option value={name} title={hint}>{label}</option>}
            </For>
          </select>
        </label>
        <Show when={!isAgain()}>
          <p class="hint">
            {LEVELS[level()].hint} The server judges each move of the main line, counts the
            mistakes and names better moves.
          </p>
        </Show>
      </form>
    </Show>
  );
}

/** A review of a game that is not on the board. */
function OtherGame(props: Props) {
  const { state } = props.review;
  const text = () =>
    props.review.isActive() ? "Another game is being reviewed." :
      state.problem ?? "There is a review of another game.";
  return (
    <p class="row hint">
      {text()}
      <button type="button" onClick={props.review.showGame}>Show that game</button>
      <Show when={props.review.isActive()}>
        <button type="button" onClick={props.review.stop}>Stop it</button>
      </Show>
    </p>
  );
}
