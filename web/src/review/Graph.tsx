/** The graph of White's winning chance, move by move, with a mark at each mistake. */
import { createSignal, For, Index, Show } from "solid-js";
import { outcomeText } from "../board/outcome";
import { scoreText } from "../engine/protocol";
import { positionOf } from "../tree/tree";
import { areaPath, linePath, pointsOf, xOf } from "./geometry";
import { numbered } from "./line";
import { Mark, MARKS } from "./Mark";
import { KINDS, type JudgementName, type MoveReview } from "./protocol";

interface Props {
  moves: readonly (MoveReview | null)[];
  /** The half move of the game that the board shows. */
  shownPly: number | null;
  onShow(ply: number): void;
}

/** `12… Nf6 mistake, −1.20, White's winning chance 38%`, or how the game ended there. */
function pointText(move: MoveReview): string {
  const kind = move.judgement ? ` ${KINDS[move.judgement].name.toLowerCase()}` : "";
  const played = `${numbered(move.san, move.fen)}${kind}`;
  const end = outcomeText(positionOf(move.fen));
  if (end !== null) return `${played}, ${end}`;
  const chance = `White's winning chance ${Math.round(move.win_chance.after)}%`;
  return `${played}, ${scoreText(move.after)}, ${chance}`;
}

export function Graph(props: Props) {
  const [pointed, setPointed] = createSignal<number | null>(null);
  const plies = () => props.moves.length;
  const points = () => pointsOf(props.moves);
  const y = (ply: number) => points()[ply]?.y ?? 50;
  const nowX = () => `${xOf(props.shownPly ?? 0, plies())}%`;
  /** The point that Tab reaches: the shown move, or else the last one. */
  const tabStop = () =>
    props.shownPly && props.moves[props.shownPly - 1] ? props.shownPly : plies();
  const described = () => {
    const ply = pointed() ?? props.shownPly;
    const move = ply === null ? null : props.moves[ply - 1];
    return move ? pointText(move) : "White's winning chance. Click to go to a move.";
  };
  let list!: SVGGElement;

  const show = (ply: number) => {
    const next = Math.min(Math.max(ply, 1), plies());
    props.onShow(next);
    list.querySelector<SVGElement>(`[data-ply="${next}"]`)?.focus();
  };
  const onKey = (event: KeyboardEvent, ply: number) => {
    const targets: Record<string, number> = {
      ArrowLeft: ply - 1, ArrowDown: ply - 1, ArrowRight: ply + 1, ArrowUp: ply + 1, Home: 1,
      End: plies(), Enter: ply, " ": ply,
    };
    const target = targets[event.key];
    if (target === undefined || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    show(target);
  };

  return (
    <figure class="graph">
      <svg class="plot" onPointerLeave={() => setPointed(null)}>
        <svg viewBox="0 0 100 100" preserveAspectRatio="none" width="100%" height="100%"
          aria-hidden="true">
          <path class="white" d={areaPath(points(), 100)} />
          <path class="black" d={areaPath(points(), 0)} />
          <path class="middle" d="M0 50H100" />
          <path class="line" d={linePath(points())} />
        </svg>
        <Show when={props.shownPly !== null}>
          <g aria-hidden="true">
            <line class="now" x1={nowX()} x2={nowX()} y1="0" y2="100%" />
            <circle class="now" cx={nowX()} cy={`${y(props.shownPly ?? 0)}%`} r="4" />
          </g>
        </Show>
        <g aria-hidden="true">
          <Index each={props.moves}>
            {(move, index) => (
              <Show when={move()?.judgement}>
                {(kind) => (
                  <svg class="mark" x={`${xOf(index + 1, plies())}%`} y={`${y(index + 1)}%`}>
                    <path class={kind()} d={MARKS[kind()]} />
                  </svg>
                )}
              </Show>
            )}
          </Index>
        </g>
        <g role="list" aria-label="Winning chance of White after each move" ref={list}>
          <Index each={props.moves}>
            {(move, index) => (
              <Show when={move()}>
                {(known) => (
                  <g role="listitem">
                    <rect
                      class="point"
                      role="button"
                      data-ply={index + 1}
                      tabindex={tabStop() === index + 1 ? 0 : -1}
                      aria-label={pointText(known())}
                      aria-current={props.shownPly === index + 1 ? "true" : undefined}
                      x={`${xOf(index + 0.5, plies())}%`} y="0"
                      width={`${100 / plies()}%`} height="100%"
                      onPointerEnter={() => setPointed(index + 1)}
                      onFocus={() => setPointed(index + 1)}
                      onBlur={() => setPointed(null)}
                      onClick={() => show(index + 1)}
                      onKeyDown={(event) => onKey(event, index + 1)}
                    />
                  </g>
                )}
              </Show>
            )}
          </Index>
        </g>
      </svg>
      <figcaption>
        <span class="described">{described()}</span>
        <span class="legend" aria-hidden="true">
          <For each={Object.entries(KINDS) as [JudgementName, (typeof KINDS)[JudgementName]][]}>
            {([kind, { name, glyph }]) => (
              <span>
                <Mark kind={kind} />
                {glyph} {name}
              </span>
            )}
          </For>
        </span>
      </figcaption>
    </figure>
  );
}
