/** The evaluation bar: the chances of a win of White, a draw and a win of Black. */
import type { Color } from "chessops/types";
import { scoreText, type Info } from "./protocol";
import "./eval-bar.css";

export function EvalBar(props: { info: Info | undefined; orientation: Color }) {
  const best = () => props.info?.lines[0];
  const wdl = () => best()?.wdl ?? [0, 1_000, 0];
  const label = () => {
    const line = best();
    if (!line) return "No evaluation yet";
    const [win, draw, loss] = line.wdl.map((chance) => Math.round(chance / 10));
    return `Evaluation ${scoreText(line.score)}: White wins ${win}%, draw ${draw}%, ` +
      `Black wins ${loss}%`;
  };
  return (
    <div
      class="eval-bar"
      classList={{ flipped: props.orientation === "black", empty: !best() }}
      role="img"
      aria-label={label()}
      title={label()}
    >
      <div class="loss" style={{ "flex-grow": wdl()[2] }} />
      <div class="draw" style={{ "flex-grow": wdl()[1] }} />
      <div class="win" style={{ "flex-grow": wdl()[0] }} />
    </div>
  );
}
