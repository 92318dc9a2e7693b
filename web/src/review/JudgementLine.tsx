/** The judgement of the shown move in words, with its glyph on the board. */
import { createEffect, onCleanup, Show } from "solid-js";
import { squaresOf } from "../board/move-squares";
import type { Overlays } from "../board/overlays";
import { KINDS, type JudgementName } from "./protocol";
import type { Review } from "./store";
import "./review.css";

/** The colours of the glyphs on the board: white text on them is readable. */
const FILLS: Record<JudgementName, string> = {
  inaccuracy: "#1b6e9e", mistake: "#a35a00", blunder: "#c02f2f",
};

interface Props {
  review: Review;
  overlays: Overlays;
}

export function JudgementLine(props: Props) {
  const judgement = () => props.review.judgement();
  /** The whole text, of which the row may show only a part. */
  const fullText = () => {
    const shown = judgement();
    return shown?.source ? `${shown.source}: ${shown.text}` : shown?.text;
  };
  const hint = () => (props.review.practice.scratch() ? "" : props.review.judgementHint());
  createEffect(() => {
    const kind = judgement()?.judgement;
    const [, target] = squaresOf(props.review.shownMove());
    props.overlays.set(
      "review",
      kind && target
        ? {
            shapes: [{ orig: target, label: { text: KINDS[kind].glyph, fill: FILLS[kind] } }],
            squares: new Map(),
          }
        : null,
    );
  });
  onCleanup(() => props.overlays.set("review", null));
  return (
    <p class="judgement" title={fullText()}>
      <Show when={judgement()} fallback={<span class="hint">{hint()}</span>}>
        {(shown) => (
          <>
            <Show when={shown().source}>
              {(source) => <span class="source">{source()}: </span>}
            </Show>
            <Show when={shown().judgement}>
              {(kind) => (
                <span class={`glyph ${kind()}`} aria-hidden="true">{KINDS[kind()].glyph}</span>
              )}
            </Show>
            {shown().text}
          </>
        )}
      </Show>
    </p>
  );
}
