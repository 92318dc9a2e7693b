/** The engine's panel: score, depth and source, and the lines of the shown position. */
import { createMemo, For, Index, Show } from "solid-js";
import { moveNumber } from "../tree/notation";
import { scoreText, type Info, type Line } from "./protocol";
import type { Engine } from "./store";
import "./engine-panel.css";

const count = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/** A line with move numbers; `ply` is that of the position before it. */
function lineText({ pv_san }: Line, ply: number): string {
  return pv_san
    .map((san, index) => `${moveNumber(ply + index + 1, index === 0)} ${san}`.trim())
    .join(" ");
}

interface Props {
  engine: Engine;
  info: Info | undefined;
  /** The ply of the shown position, counted from White's first move. */
  ply: number;
  /** The result, if the game is over in the shown position. */
  outcome: string | null;
  onPlay(uci: string): void;
}

export function EnginePanel(props: Props) {
  const state = () => props.engine.state;
  const best = () => props.info?.lines[0];
  const rows = createMemo(() =>
    Array.from({ length: state().multipv }, (_, index) => props.info?.lines[index]),
  );
  const details = () => {
    const { info } = props;
    if (props.outcome) return props.outcome;
    if (!info) return state().isEnabled ? "Waiting for the engine" : "Engine paused";
    return `depth ${info.depth} · ${info.source}`;
  };
  const speed = () => {
    const { info } = props;
    const isShown = info?.source === "search" && info.nps > 0 && !props.outcome;
    return isShown ? ` · ${count.format(info.nps)} n/s` : "";
  };
  return (
    <section class="panel engine" aria-label="Engine">
      <header>
        <strong class="score">{best() && !props.outcome ? scoreText(best()!.score) : "–"}</strong>
        <span class="details">{details()}<span class="speed">{speed()}</span></span>
        <select
          aria-label="Number of lines"
          value={state().multipv}
          onChange={(event) => props.engine.setMultipv(Number(event.currentTarget.value))}
        >
          <For each={[1, 2, 3, 4, 5]}>
            {(value) => <option value={value}>{value === 1 ? "1 line" : `${value} lines`}</option>}
          </For>
        </select>
        <button type="button" aria-pressed={state().isEnabled} onClick={props.engine.toggle}>
          {state().isEnabled ? "Pause" : "Analyse"}
        </button>
      </header>
      <ol class="lines" aria-label="Lines">
        <Index each={rows()}>
          {(line) => (
            <li>
              <Show when={line()} fallback={<span class="line empty" aria-hidden="true" />}>
                {(shown) => (
                  <button
                    type="button"
                    class="line"
                    title={`Play ${shown().pv_san[0]}`}
                    onClick={() => props.onPlay(shown().pv[0] ?? "")}
                  >
                    <span class="line-score">{scoreText(shown().score)}</span>
                    <span class="pv">{lineText(shown(), props.ply)}</span>
                  </button>
                )}
              </Show>
            </li>
          )}
        </Index>
      </ol>
    </section>
  );
}
