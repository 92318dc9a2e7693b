/** The status line of the server, with its details and the API key behind a button. */
import { createSignal, Show, type JSX } from "solid-js";
import { withPart } from "../ui/part";
import { StatusLine } from "../ui/StatusLine";
import type { Client } from "./client";
import { createCountdown, statusText } from "./status";
import type { Engine } from "./store";

export function EngineStatus(props: { engine: Engine; client: Client }) {
  const [dialog, setDialog] = createSignal<(() => JSX.Element) | null>(null);
  const state = () => props.engine.state;
  const countdown = createCountdown(props.engine);
  const open = () => withPart(
    "The details of the server",
    () => import("./ServerDialog"),
    ({ default: ServerDialog }) => setDialog(() => () => (
      <ServerDialog engine={props.engine} client={props.client} onClose={() => setDialog(null)} />
    )),
  );
  return (
    <>
      <StatusLine
        state={state().connection}
        text={statusText(state())}
        isProblem={state().refusal !== null}
        countdown={countdown()}
      >
        <Show when={state().connection === "forbidden"}>
          <button type="button" class="status-button" onClick={props.engine.reconnect}>
            Try again
          </button>
        </Show>
        <button type="button" class="status-button" onClick={() => void open()}>
          {state().connection === "refused" ? "Enter API key…" : "Server"}
        </button>
      </StatusLine>
      <Show when={dialog()} keyed>{(view) => view()}</Show>
    </>
  );
}
