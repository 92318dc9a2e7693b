/** The progress of a running review, with a button that stops it. */
import { movesDone } from "./review-data";
import type { Review } from "./store";
import { waitText } from "./texts";

/** So many moves must be timed before the time that is left is estimated. */
const MIN_MOVES = 3;

export function Progress(props: { review: Review }) {
  const state = () => props.review.state;
  const total = () => state().record?.game.moves.length ?? 0;
  const done = () => {
    const data = props.review.data();
    return data ? movesDone(data) : 0;
  };
  const progressText = () => {
    const { phase, startedAt, startedWith } = state();
    if (phase === "sending") return "Sending the game…";
    if (phase === "queued") return "The review waits for a free worker.";
    const count = `Moves done: ${done()} of ${total()}`;
    const timed = done() - startedWith;
    if (timed < MIN_MOVES) return count;
    const perMove = (performance.now() - startedAt) / timed / 1_000;
    return `${count}, about ${Math.ceil(perMove * (total() - done()))} s left`;
  };
  const text = () => {
    const { wait, record } = state();
    return wait ? waitText(wait, record?.job != null) : progressText();
  };
  return (
    <div class="progress">
      <div class="row">
        <progress max={total()} value={done()} aria-label="Reviewed moves" />
        <button type="button" onClick={props.review.stop}>Stop</button>
      </div>
      <p class="hint">{text()}</p>
    </div>
  );
}
