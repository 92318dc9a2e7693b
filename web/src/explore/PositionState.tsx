/** The end of the game or a possible claim, as a sentence that is also read aloud. */
import type { Explorer } from "./store";
import "./explore.css";

interface Props {
  explorer: Explorer | undefined;
  /** What the page itself knows: it shows the end of a game without the server. */
  outcome: string | null;
}

export function PositionState(props: Props) {
  const text = () => props.explorer?.state() ?? (props.outcome ? `${props.outcome}.` : "");
  return <p class="position-state" role="status" aria-label="State of the game">{text()}</p>;
}
