/** The results of a review: the moves that decided the game, and commands for them. */
import type { Color } from "chessops/types";
import { For, Show } from "solid-js";
import { COLOR_NAMES } from "../board/squares";
import { viewOf } from "../engine/protocol";
import { numbered } from "./line";
import { moverBefore } from "./mover";
import { isOf } from "./navigation";
import { KINDS } from "./protocol";
import { MIN_TURN, turningPoints, type Mistake, type ReviewData } from "./review-data";
import { mateText } from "./sentence";
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
      <Show when={props.data.head && !hasMistakes()}>
        <p class="hint">No inaccuracy, mistake or blunder in this game.</p>
      </Show>
      <Show when={hasMistakes()}><TurningPoints {...props} /></Show>
      <Show when={!props.review.isActive()}><Exports {...props} /></Show>
    </>
  );
}

/** What a move allows or misses, and the better move: `allows mate in 3; better: Qe2`. */
function adviceText({ before, after, fen, best_san }: Mistake): string {
  const mover = moverBefore(fen);
  const mate = mateText({ before: viewOf(before, mover), after: viewOf(after, mover) });
  return `${mate === null ? "" : `${mate}; `}better: ${best_san ?? "–"}`;
}

function TurningPoints(props: Props) {
  const points = () => turningPoints(props.data, MAX_TURNING_POINTS);
  return (
    <section aria-label="Turning points">
      <h2>Turning points</h2>
      <Show when={points().length === 0 && props.data.head}>
        <p class="hint">No move lost {MIN_TURN}% winning chance or more.</p>
      </Show>
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
                <span class="loss">−{Math.round(point.win_chance_loss)}%</span>
                <span class="better">{adviceText(point)}</span>
              </button>
            </li>
          )}
        </For>
      </ol>
    </section>
  );
}

/**
 * The move that lost most, and the buttons to practise, which are seen without scrolling. While the
 * review runs there is nothing to practise yet.
 */
export function Worst(props: Props) {
  const worst = () => turningPoints(props.data, 1)[0];
  const has = (color: Color) => props.review.mistakes().some((each) => isOf(each, { color }));
  return (
    <div class="row worst">
      <p>
        <Show when={worst()} fallback={<span class="hint">No move that turned the game.</span>}>
          {(move) => (
            <>
              Worst: {numbered(move().san, move().fen)}
              <span class={`glyph ${move().judgement}`}>{KINDS[move().judgement].glyph}</span>
              {" "}(−{Math.round(move().win_chance_loss)}%)
              <Show when={move().best_san}>
                {(best) => <span class="better">, better {best()}</span>}
              </Show>
            </>
          )}
        </Show>
      </p>
      <span class="row">
        <For each={COLORS}>
          {(color) => (
            <button type="button" disabled={props.review.isActive() || !has(color)}
              title={`Find better moves than ${COLOR_NAMES[color]}'s mistakes`}
              onClick={() => props.review.practice.start(color)}
            >Practise {COLOR_NAMES[color]}</button>
          )}
        </For>
      </span>
    </div>
  );
}

/** The steps through the mistakes. */
function MistakeButtons(props: Props) {
  const hasMistakes = () => props.review.mistakes().length > 0;
  return (
    <div class="row halves">
      <button type="button" title="Previous mistake (p)" disabled={!hasMistakes()}
        onClick={() => props.review.goToMistake(-1)}>Previous mistake</button>
      <button type="button" title="Next mistake (n)" disabled={!hasMistakes()}
        onClick={() => props.review.goToMistake(1)}>Next mistake</button>
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
