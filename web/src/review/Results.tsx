/** The numbers of a review: both players, and the moves that decided the game. */
import type { Color } from "chessops/types";
import { For, Show } from "solid-js";
import { COLOR_NAMES } from "../board/squares";
import { numbered } from "./line";
import { isOf, type Filter } from "./navigation";
import { KINDS, type JudgementName, type PerPlayer } from "./protocol";
import { turningPoints, type Mistake, type ReviewData } from "./review-data";
import type { Review } from "./store";

const COLORS = ["white", "black"] as const;
const MAX_TURNING_POINTS = 5;

interface Props {
  review: Review;
  data: ReviewData;
}

export function Results(props: Props) {
  const hasMistakes = () => props.review.mistakes().length > 0;
  return (
    <>
      <MistakeButtons {...props} />
      <Players {...props} />
      <Show when={props.data.head && !hasMistakes()}>
        <p class="hint">No inaccuracy, mistake or blunder in this game.</p>
      </Show>
      <Show when={hasMistakes()}><TurningPoints {...props} /></Show>
      <Show when={!props.review.isActive()}><Exports {...props} /></Show>
    </>
  );
}

/** The family name of a player in PGN: `Morphy, Paul`. */
const shortName = (name: string) => name.split(",", 1)[0] ?? name;

/** A number of each player with so many decimals. It is known at the end of the review. */
const numberOf = (numbers: PerPlayer | undefined, color: Color, decimals: number, unit = "") => {
  const value = numbers?.[color] ?? null;
  return value === null ? "–" : `${value.toFixed(decimals)}${unit}`;
};

function Players(props: Props) {
  const head = () => props.data.head ?? undefined;
  const count = (color: Color, judgement: JudgementName) =>
    props.review.mistakes().filter((mistake) => isOf(mistake, { color, judgement })).length;
  return (
    <table class="players">
      <caption class="only-read">Accuracy and mistakes of both players</caption>
      <thead>
        <tr>
          <td />
          <For each={COLORS}>
            {(color) => (
              <th scope="col" title={props.review.nameOf(color)}>
                <span class={`side-color ${color}`} aria-hidden="true" />
                <span class="only-read">{COLOR_NAMES[color]}: </span>
                {shortName(props.review.nameOf(color))}
              </th>
            )}
          </For>
        </tr>
      </thead>
      <tbody>
        <tr>
          <th scope="row">Accuracy</th>
          <For each={COLORS}>
            {(color) => <td class="strong">{numberOf(head()?.accuracy, color, 1, "%")}</td>}
          </For>
        </tr>
        <tr>
          <th scope="row" title="In hundredths of a pawn">Average loss (cp)</th>
          <For each={COLORS}>
            {(color) => <td>{numberOf(head()?.average_centipawn_loss, color, 0)}</td>}
          </For>
        </tr>
        <For each={Object.entries(KINDS) as [JudgementName, (typeof KINDS)[JudgementName]][]}>
          {([judgement, { plural, glyph }]) => (
            <tr>
              <th scope="row">
                <span class={`glyph ${judgement}`} aria-hidden="true">{glyph}</span> {plural}
              </th>
              <For each={COLORS}>
                {(color) => (
                  <td>
                    <button
                      type="button"
                      class="plain count"
                      disabled={count(color, judgement) === 0}
                      aria-label={
                        `${count(color, judgement)}: next ${judgement} of ${COLOR_NAMES[color]}`
                      }
                      onClick={() => props.review.goToMistake(1, { color, judgement })}
                    >{count(color, judgement)}</button>
                  </td>
                )}
              </For>
            </tr>
          )}
        </For>
      </tbody>
    </table>
  );
}

/** What a move lost. Where a player who wins or loses anyway misses or allows it, it is a mate. */
const lossText = ({ win_chance_loss: loss }: Mistake) =>
  Math.round(loss) === 0 ? "mate" : `−${Math.round(loss)}%`;

function TurningPoints(props: Props) {
  const points = () => turningPoints(props.data, MAX_TURNING_POINTS);
  return (
    <section aria-label="Turning points">
      <h2>Turning points</h2>
      <ol class="turning-points">
        <For each={points()}>
          {(point) => (
            <li>
              <button
                type="button"
                aria-current={props.review.shownPly() === point.ply ? "true" : undefined}
                onClick={() => props.review.showPly(point.ply)}
              >
                <span class="played">
                  {numbered(point.san, point.fen)}
                  <span class={`glyph ${point.judgement}`}>{KINDS[point.judgement].glyph}</span>
                </span>
                <span class="loss">{lossText(point)}</span>
                <span class="better">better: {point.best_san ?? "–"}</span>
              </button>
            </li>
          )}
        </For>
      </ol>
    </section>
  );
}

/** The steps through the mistakes. While the review runs there is nothing to practise yet. */
function MistakeButtons(props: Props) {
  const has = (filter: Filter) => props.review.mistakes().some((mistake) => isOf(mistake, filter));
  return (
    <div class="row halves">
      <button type="button" title="Previous mistake (p)" disabled={!has({})}
        onClick={() => props.review.goToMistake(-1)}>Previous mistake</button>
      <button type="button" title="Next mistake (n)" disabled={!has({})}
        onClick={() => props.review.goToMistake(1)}>Next mistake</button>
      <For each={COLORS}>
        {(color) => (
          <button type="button" disabled={props.review.isActive() || !has({ color })}
            title={`Find better moves than ${COLOR_NAMES[color]}'s mistakes`}
            onClick={() => props.review.practice.start(color)}
          >Practise {COLOR_NAMES[color]}</button>
        )}
      </For>
    </div>
  );
}

function Exports(props: Props) {
  return (
    <div class="row">
      <button type="button" disabled={props.data.moves.every((move) => move === null)}
        title="Write evaluations, glyphs and best lines into the moves. Undo takes them back."
        onClick={props.review.addToMoves}>Add to the moves</button>
      <Show when={props.review.state.phase === "done"}>
        <button type="button" onClick={() => void props.review.download()}>
          Download the reviewed PGN
        </button>
      </Show>
    </div>
  );
}
