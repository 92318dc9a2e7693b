/** The row above the moves that says what a move is worth. Its height never changes. */
import { lazy, Show, Suspense } from "solid-js";
import type { Overlays } from "../board/overlays";
import type { Review } from "./store";

const JudgementLine = lazy(async () => ({ default: (await import("./views")).JudgementLine }));

interface Props {
  review: Review | undefined;
  overlays: Overlays;
}

export function JudgementSlot(props: Props) {
  return (
    <div class="panel judgement-slot">
      <Suspense>
        <Show when={props.review}>
          {(review) => <JudgementLine review={review()} overlays={props.overlays} />}
        </Show>
      </Suspense>
    </div>
  );
}
