/** The evaluation bar: win of White, draw and win of Black, as the engine expects them. */
import type { Color } from "chessops/types";
import { scoreText, type Info, type Line } from "./protocol";
import "./eval-bar.css";

interface Props {
  info: Info | undefined;
  orientation: Color;
  /** The result if the game is over: a text, and who won. */
  outcome: { readonly text: string; readonly winner: Color | null } | null;
}

type Chances = Line["wdl"];

const RESULT_CHANCES: Record<Color, Chances> = { white: [1_000, 0, 0], black: [0, 0, 1_000] };
const DRAW: Chances = [0, 1_000, 0];

export function EvalBar(props: Props) {
  const best = () => props.info?.lines[0];
  const chances = (): Chances => {
    const { outcome } = props;
    if (outcome) return outcome.winner ? RESULT_CHANCES[outcome.winner] : DRAW;
    return best()?.wdl ?? DRAW;
  };
  const label = () => {
    if (props.outcome) return props.outcome.text;
    const line = best();
    if (!line) return "No evaluation yet";
    const [win, draw, loss] = line.wdl.map((chance) => Math.round(chance / 10));
    return `Evaluation ${scoreText(line.score)}: White wins ${win}%, draw ${draw}%, ` +
      `Black wins ${loss}%`;
  };
  // The parts are scaled, which moves no other element and needs no layout.
  const scale = (part: number) => ({ transform: `scaleY(${part / 1_000})` });
  return (
    <div
      class="eval-bar"
      classList={{
        flipped: props.orientation === "black", empty: !best() && !props.outcome,
        ended: props.outcome !== null,
      }}
      role="img"
      aria-label={label()}
      title={label()}
    >
      <div class="draw" style={scale(chances()[0] + chances()[1])} />
      <div class="win" style={scale(chances()[0])} />
      <div class="middle" />
    </div>
  );
}
