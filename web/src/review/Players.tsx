/** The table of a review: accuracy, average loss and mistakes of both players. */
import type { Color } from "chessops/types";
import { For } from "solid-js";
import { COLOR_NAMES } from "../board/squares";
import { Mark } from "./Mark";
import { isOf } from "./navigation";
import { KINDS, type JudgementName, type PerPlayer } from "./protocol";
import type { ReviewData } from "./review-data";
import type { Review } from "./store";

const COLORS = ["white", "black"] as const;

interface Props {
  review: Review;
  data: ReviewData;
}

/** The family name of a player in PGN: `Morphy, Paul`. */
const shortName = (name: string) => name.split(",", 1)[0] ?? name;

/** A number of each player with so many decimals. It is known at the end of the review. */
const numberOf = (numbers: PerPlayer | undefined, color: Color, decimals: number, unit = "") => {
  const value = numbers?.[color] ?? null;
  return value === null ? "–" : `${value.toFixed(decimals)}${unit}`;
};

/** A number that is known of each player, with how many decimals. */
const NUMBERS = [
  {
    of: "accuracy", label: "Accuracy", short: "Accuracy", decimals: 1, unit: "%",
    title: "100% if no move lost winning chance",
  },
  {
    of: "average_centipawn_loss", label: "Average loss", short: "Loss", decimals: 0, unit: "",
    title: "What a move lost on average, in hundredths of a pawn",
  },
] as const;

const JUDGEMENTS = Object.keys(KINDS) as JudgementName[];

/** The row of a player: accuracy, loss, and buttons to the mistakes of each kind. */
function Player(props: Props & { color: Color }) {
  const head = () => props.data.head ?? undefined;
  const count = (judgement: JudgementName) =>
    props.review.mistakes().filter((mistake) =>
      isOf(mistake, { color: props.color, judgement })).length;
  return (
    <tr>
      <th scope="row" title={props.review.nameOf(props.color)}>
        <span class={`side-color ${props.color}`} aria-hidden="true" />
        <span class="only-read">{COLOR_NAMES[props.color]}: </span>
        {shortName(props.review.nameOf(props.color))}
      </th>
      <For each={NUMBERS}>
        {({ of, decimals, unit }) => (
          <td classList={{ strong: of === "accuracy" }}>
            {numberOf(head()?.[of], props.color, decimals, unit)}
          </td>
        )}
      </For>
      <For each={JUDGEMENTS}>
        {(judgement) => (
          <td>
            <button
              type="button"
              class="plain count"
              disabled={count(judgement) === 0}
              aria-label={`${count(judgement)}: next ${judgement} of ${COLOR_NAMES[props.color]}`}
              onClick={() => props.review.goToMistake(1, { color: props.color, judgement })}
            >{count(judgement)}</button>
          </td>
        )}
      </For>
    </tr>
  );
}

/** Both players, a row each, so that the graph below them is in view without scrolling. */
export function Players(props: Props) {
  return (
    <table class="players">
      <caption class="only-read">Accuracy and mistakes of both players</caption>
      <thead>
        <tr>
          <td />
          <For each={NUMBERS}>
            {({ label, short, title }) => (
              <th scope="col" title={title}>
                <span class="short" aria-hidden="true">{short}</span>
                <span class="word">{label}</span>
              </th>
            )}
          </For>
          <For each={JUDGEMENTS}>
            {(judgement) => (
              <th scope="col" title={KINDS[judgement].plural}>
                <Mark kind={judgement} />
                <span class={`glyph ${judgement}`} aria-hidden="true">
                  {KINDS[judgement].glyph}
                </span>
                <span class="word">{KINDS[judgement].plural}</span>
              </th>
            )}
          </For>
        </tr>
      </thead>
      <tbody>
        <For each={COLORS}>{(color) => <Player {...props} color={color} />}</For>
      </tbody>
    </table>
  );
}
