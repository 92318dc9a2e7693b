/** The status line of the server, with its details and the API key behind a button. */
import { createSignal, lazy, Show, Suspense } from "solid-js";
import { toast } from "../ui/toasts";
import { StatusLine } from "../ui/StatusLine";
import type { Client } from "./client";
import { createCountdown, statusText } from "./status";
import type { Engine } from "./store";

const loadDialog = () => import("./ServerDialog");
const ServerDialog = lazy(loadDialog);

export function EngineStatus(props: { engine: Engine; client: Client }) {
  const [isOpen, setOpen] = createSignal(false);
  const state = () => props.engine.state;
  const countdown = createCountdown(props.engine);
  const isKeyMissing = () => state().connection === "refused";
  const open = () => {
    loadDialog().then(
      () => setOpen(true),
      () => toast("The server cannot be reached, so its details cannot be loaded.", "error"),
    );
  };
  return (
    <>
      <StatusLine
        state={state().connection}
        text={statusText(state())}
        isProblem={state().refusal !== null}
        countdown={countdown()}
      >
        <button type="button" class="status-button" onClick={open}>
          {isKeyMissing() ? "Enter API key…" : "Server"}
        </button>
      </StatusLine>
      <Show when={isOpen()}>
        <Suspense>
          <ServerDialog
            engine={props.engine}
            client={props.client}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      </Show>
    </>
  );
}
