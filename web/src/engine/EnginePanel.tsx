/** The engine's panel: score, depth and source, the lines of the shown position, and choices. */
import type { Color } from "chessops/types";
import { createMemo, createSignal, For, Index, Show } from "solid-js";
import type { Settings } from "../ui/settings";
import { late } from "../ui/late";
import { LineRow } from "./LineRow";
import { createPointedMove, type PlacedMove } from "./pointed-move";
import { limitChoices, MAX_LINES, type LimitName } from "./preferences";
import { scoreText } from "./protocol";
import { UNREACHABLE } from "./status";
import type { Engine } from "./store";
import "./engine-panel.css";

const Chips = late(async () => (await import("./Chips")).Chips);
const LinePreview = late(async () => (await import("./LinePreview")).default);

const count = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/** What can be shown of an ended search: the reasons after which nothing deeper can be found. */
const FINAL_REASONS: readonly string[] = ["mate", "terminal", "problem"];

const RESULTS = { white: "1-0", black: "0-1", draw: "½-½" } as const;

interface Props {
  engine: Engine;
  /** The FEN of the shown position, and its ply counted from White's first move. */
  fen: string;
  ply: number;
  /** The result, if the game is over in the shown position. */
  outcome: string | null;
  /** Who won, if the game is over and that may be seen. */
  end: { readonly winner: Color | null } | null;
  notation: Settings["notation"];
  orientation: Color;
  /** Plays moves after the shown position. */
  onPlay(moves: readonly string[]): void;
}

export function EnginePanel(props: Props) {
  const state = () => props.engine.state;
  const info = createMemo(() => (state().isHidden ? undefined : props.engine.shown()));
  const isOn = () => state().isEnabled && !state().isHidden;
  const outcome = () => props.outcome ?? drawText(state().drawReason);
  /** `1-0`, if the game is over. */
  const result = () => {
    if (props.end) return RESULTS[props.end.winner ?? "draw"];
    return state().drawReason ? RESULTS.draw : null;
  };
  const rows = createMemo(() =>
    Array.from({ length: props.engine.multipv() }, (_, index) => info()?.lines[index]),
  );
  const [list, setList] = createSignal<HTMLOListElement>();
  const pointed = createPointedMove(list);
  const play = ({ row, index }: PlacedMove) => {
    const line = info()?.lines[row];
    if (line) props.onPlay(line.pv.slice(0, index + 1));
  };
  const isDeeperPossible = () => {
    const { ended } = state();
    return ended !== null && !FINAL_REASONS.includes(ended) && !outcome();
  };
  return (
    <section class="panel engine" aria-label="Engine">
      <header>
        <strong class="score">
          {result() ?? (outcome() || !info() ? "–" : scoreText(info()!.lines[0]!.score))}
        </strong>
        <Details engine={props.engine} outcome={outcome()} />
        <button
          type="button"
          aria-pressed={isOn()}
          title={isOn() ? "Pause the engine (l)" : "Start the engine (l)"}
          onClick={props.engine.toggle}
        >{isOn() ? "Pause" : "Analyse"}</button>
      </header>
      <Chips engine={props.engine} notation={props.notation} />
      <ol class="lines" aria-label="Lines" ref={setList} onClick={(event) => {
        const move = pointed.moveOf(event.target);
        if (move && !pointed.wasLongPress()) play(move);
      }}>
        <Index each={rows()}>
          {(line, row) => (
            <LineRow
              line={line()}
              row={row}
              ply={props.ply}
              notation={props.notation}
              focusIndex={pointed.focusIndex(row)}
              onRestrict={props.engine.restrict}
            />
          )}
        </Index>
      </ol>
      <Show when={pointed.move()}>
        {(move) => (
          <LinePreview
            fen={props.fen}
            moves={info()?.lines[move().row]?.pv.slice(0, move().index + 1) ?? []}
            near={move().place}
            orientation={props.orientation}
          />
        )}
      </Show>
      <div class="choices">
        <select
          aria-label="Number of lines"
          value={props.engine.multipv()}
          onChange={(event) => props.engine.setMultipv(Number(event.currentTarget.value))}
        >
          <For each={lineCounts(state().limits?.multipv.max ?? 5)}>
            {(value) => <option value={value}>{value === 1 ? "1 line" : `${value} lines`}</option>}
          </For>
        </select>
        <select
          aria-label="Limit of the analysis"
          value={state().limit}
          onChange={(event) => props.engine.setLimit(event.currentTarget.value as LimitName)}
        >
          <For each={limitChoices(state().limits)}>
            {({ name, label }) => <option value={name}>{label}</option>}
          </For>
        </select>
        <button
          type="button"
          disabled={!isDeeperPossible()}
          title="Go on beyond the limit"
          onClick={props.engine.deeper}
        >Deeper</button>
      </div>
    </section>
  );
}

const lineCounts = (max: number) =>
  Array.from({ length: Math.min(max, MAX_LINES) }, (_, index) => index + 1);

/** A draw by a rule that needs the history of the position. */
function drawText(reason: string | null): string | null {
  return reason && `Draw: ${reason.replaceAll("_", " ")}`;
}

/** What the sources mean. */
const SOURCES = {
  search: "Searched now",
  memory: "Kept by the server from an earlier search",
  tablebase: "Known from an endgame table",
} as const;

/** Depth and source, then nodes and speed. Or a sentence why there are none. */
function Details(props: { engine: Engine; outcome: string | null }) {
  const state = () => props.engine.state;
  const info = () => props.engine.shown();
  const sentence = () => {
    if (props.outcome) return props.outcome;
    if (state().isHidden) return "Hidden. Press z to show the engine.";
    if (info()) return null;
    if (state().ended === "problem") return "The server refuses this position.";
    if (!state().isEnabled) return "Engine paused";
    return state().connection === "waiting" ? UNREACHABLE : "Waiting for the engine";
  };
  const work = () => state().progress ?? info()!;
  const speed = () => {
    const { nps } = work();
    return state().isSearching && nps > 0 ? ` · ${count.format(nps)}/s` : "";
  };
  return (
    <span class="details">
      <Show when={sentence() === null} fallback={sentence()}>
        <span class="depth" title={SOURCES[info()!.source]}>
          depth {info()!.depth}
          <span class="wide">/{Math.max(info()!.seldepth, info()!.depth)}</span>
          {" · "}{info()!.source}
        </span>
        <span class="work">
          {count.format(work().nodes)}<span class="wide"> nodes</span>{speed()}
        </span>
      </Show>
    </span>
  );
}
