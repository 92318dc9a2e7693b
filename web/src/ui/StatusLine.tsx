/** The status line: the state of the connection as a sentence, or the server's last refusal. */
import { Show, type JSX } from "solid-js";

interface Props {
  /** A class of the line: the state of the connection. */
  state: string;
  text: string;
  isProblem: boolean;
  /** The seconds until the next try. They are not read aloud, since they change all the time. */
  countdown: number | null;
  /** Buttons. */
  children?: JSX.Element;
}

export function StatusLine(props: Props) {
  return (
    <div class={`status ${props.state}`}>
      <span class="dot" aria-hidden="true" />
      <p class="status-text" classList={{ problem: props.isProblem }} role="status">
        {props.text}
        <Show when={props.countdown}>
          <span class="countdown" aria-hidden="true"> Next try in {props.countdown} s.</span>
        </Show>
      </p>
      {props.children}
    </div>
  );
}
