/** The practice of the mistakes: the question, what was said about the last try, and the score. */
import { createEffect, createMemo, Match, Show, Switch } from "solid-js";
import { COLOR_NAMES } from "../board/squares";
import { numbered } from "./line";
import { scoreSentence } from "./practice";
import type { Practice } from "./practice";
import type { PracticeStore } from "./practice-store";
import { useShortcuts } from "../ui/shortcuts";

export function PracticeView(props: { practice: PracticeStore }) {
  const state = () => props.practice.practice()!;
  const phase = () => state().phase;
  const isSolved = createMemo(() => phase() === "found" || phase() === "shown");
  const isAway = () => phase() !== "over" && props.practice.scratch() === null;
  let section!: HTMLElement;
  let nextButton: HTMLButtonElement | undefined;
  // The button that led here is gone. The keyboard goes on at “Next”, or in this panel.
  createEffect(() => {
    if (isSolved()) nextButton?.focus();
    else section.focus({ preventScroll: true });
    section.scrollIntoView({ block: "nearest" });
  });
  useShortcuts([
    {
      keys: ["Enter"], label: "Go on to the next mistake", group: "Moves",
      run: () => isSolved() && props.practice.next(),
    },
  ]);
  return (
    <section class="review-body practice" aria-label="Practice" tabindex="-1" ref={section}>
      <div class="row">
        <h2>Find the better move</h2>
        <Show when={phase() !== "over"}>
          <span class="hint">{state().index + 1} of {state().mistakes.length}</span>
        </Show>
      </div>
      <Show when={props.practice.mistake()} fallback={<p>{scoreSentence(state())}</p>}>
        {(mistake) => (
          <p>
            {COLOR_NAMES[props.practice.color()]} played{" "}
            {numbered(mistake().san, mistake().fen)}. Play a better move on the board.
          </p>
        )}
      </Show>
      <div class="feedback" role="status">
        <Switch fallback={<Feedback {...state()} />}>
          <Match when={isAway()}>The board shows another position.</Match>
          <Match when={phase() === "judging"}>The server judges your move…</Match>
        </Switch>
      </div>
      <div class="row">
        <Switch>
          <Match when={phase() === "over"}>
            <button type="button" class="primary" disabled>Next</button>
          </Match>
          <Match when={isAway()}>
            <button type="button" onClick={props.practice.resume}>Back to the mistake</button>
          </Match>
          <Match when={isSolved()}>
            <button type="button" class="primary" ref={(button) => { nextButton = button; }}
              onClick={props.practice.next}>Next</button>
          </Match>
          <Match when={true}>
            <button type="button" disabled={phase() === "judging"}
              onClick={props.practice.showSolution}>Show the solution</button>
            <button type="button" disabled={phase() === "judging"}
              onClick={props.practice.next}>Skip</button>
          </Match>
        </Switch>
        <button type="button" onClick={props.practice.stop}>Back to the review</button>
        {/* Not where “Next” was: whoever presses that once more must not start anew. */}
        <Show when={phase() === "over"}>
          <button type="button" onClick={() => props.practice.start(props.practice.color())}>
            Practise again
          </button>
        </Show>
      </div>
    </section>
  );
}

/** A tick and a cross, drawn as paths: fonts of many systems lack such characters. */
const TICK = "M4 13l5 5L20 6";
const VERDICTS = { best: "Right!", good: "Good enough.", bad: "Not this move." } as const;
const CROSS = "M6 6l12 12M18 6L6 18";

/** What became of the last try: in a word with an icon, and then why. */
function Feedback(props: Pick<Practice, "grade" | "feedback">) {
  return (
    <>
      <Show when={props.grade}>
        {(grade) => (
          <strong class={`verdict ${grade() === "bad" ? "wrong" : "right"}`}>
            <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
              <path d={grade() === "bad" ? CROSS : TICK} fill="none" stroke="currentColor"
                stroke-width="3.5" stroke-linecap="round" stroke-linejoin="round" />
            </svg>
            {VERDICTS[grade()]}
          </strong>
        )}
      </Show>
      <span>{props.feedback}</span>
    </>
  );
}
