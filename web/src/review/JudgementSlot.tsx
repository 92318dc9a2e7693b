/** The row above the moves that says what a move is worth. Its height never changes. */
import { Show } from "solid-js";
import type { Overlays } from "../board/overlays";
import { lazyView } from "../ui/lazy-view";
import type { Review } from "./store";

const JudgementLine = lazyView(async () => (await import("./views")).JudgementLine);

interface Props {
  review: Review | undefined;
  overlays: Overlays;
}

export function JudgementSlot(props: Props) {
  return (
    <div class="panel judgement-slot">
      <Show when={props.review} fallback={
        <p class="judgement"><span class="hint">A move that is played is judged here.</span></p>
      }>
        {(review) => <JudgementLine review={review()} overlays={props.overlays} />}
      </Show>
    </div>
  );
}
