/** A draw by the rules about repetition and moves, or a possible claim, as a sentence. */
import type { Explorer } from "./store";
import "./explore.css";

interface Props {
  explorer: Explorer | undefined;
  /** The end of the game that the page knows by itself and shows elsewhere. */
  outcome: string | null;
}

export function PositionState(props: Props) {
  const text = () => (props.outcome ? "" : (props.explorer?.state() ?? ""));
  return <p class="position-state" role="status" aria-label="State of the game">{text()}</p>;
}
