/** The mark of a judgement in the graph and in the names of its columns. */
import type { JudgementName } from "./protocol";

/** A shape of its own for each judgement, so that colour alone says nothing. */
export const MARKS: Record<JudgementName, string> = {
  inaccuracy: "M-4 0A4 4 0 1 0 4 0A4 4 0 1 0 -4 0Z",
  mistake: "M0 -5.5L5.5 0L0 5.5L-5.5 0Z",
  blunder: "M0 5.5L-5.5 -4.5L5.5 -4.5Z",
};

export function Mark(props: { kind: JudgementName }) {
  return (
    <svg class="mark" width="12" height="12" viewBox="-6 -6 12 12" aria-hidden="true">
      <path class={props.kind} d={MARKS[props.kind]} />
    </svg>
  );
}
