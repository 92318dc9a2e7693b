/** The status line: the state of the connection, and the server's last refusal. */
import { Show } from "solid-js";

interface Props {
  /** A class of the line: the state of the connection. */
  state: string;
  text: string;
  problem: string | null;
}

export function StatusLine(props: Props) {
  return (
    <p class={`status ${props.state}`} role="status">
      <span class="dot" aria-hidden="true" />
      <Show when={props.problem} fallback={<span>{props.text}</span>}>
        <span class="problem">{props.problem}</span>
      </Show>
    </p>
  );
}
