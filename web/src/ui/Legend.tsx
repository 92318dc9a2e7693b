/** The legend of the help: what the evaluation bar, the arrows and the numbers mean. */
import { For, type JSX } from "solid-js";

interface Entry {
  /** A class of the sample: the part of the bar, or the colour of the arrow. */
  readonly sample: string;
  readonly text: JSX.Element;
}

const BAR: readonly Entry[] = [
  { sample: "win", text: "White part: the chance that White wins." },
  { sample: "draw", text: "Grey part: the chance of a draw." },
  { sample: "loss", text: "Black part: the chance that Black wins." },
  { sample: "tick", text: "Orange line: the middle of the bar, at half of its height." },
];

const ARROWS: readonly Entry[] = [
  { sample: "arrow blue", text: "Pale blue arrow: the best move." },
  {
    sample: "arrow grey",
    text: <>Grey arrows: the other lines. <kbd>a</kbd> shows them. In Explore, grey and green show
      the line that you point at.</>,
  },
  {
    sample: "arrow red",
    text: <>Red arrow: the threat, which is what the opponent would play now. <kbd>x</kbd> shows
      it.</>,
  },
  {
    sample: "arrow strong",
    text: <>Arrows and circles in strong colours: your own drawings, kept with the move.</>,
  },
];

export function Legend() {
  return (
    <>
      <h3>What the bar and the arrows mean</h3>
      <ul class="legend" aria-label="Evaluation bar"><Entries of={BAR} /></ul>
      <ul class="legend" aria-label="Arrows"><Entries of={ARROWS} /></ul>
      <p>
        The number on an arrow is the evaluation after that move, in pawns: +1.00 means that White
        is ahead by about a pawn, −1.00 that Black is. “#3” means that White mates in 3 moves, “#−3”
        that Black does. <kbd>v</kbd> writes on each piece what it is worth, also in pawns.
      </p>
    </>
  );
}

const Entries = (props: { of: readonly Entry[] }) => (
  <For each={props.of}>
    {({ sample, text }) => (
      <li><span class={`sample-mark ${sample}`} aria-hidden="true" /><span>{text}</span></li>
    )}
  </For>
);
