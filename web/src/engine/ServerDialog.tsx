/** The server's version, workers and limits, and the API key of the user. */
import {
  createEffect, createSignal, For, Match, on, onCleanup, Show, Switch,
} from "solid-js";
import { Dialog } from "../ui/Dialog";
import type { Client } from "./client";
import { errorText } from "./failure";
import type { Limits } from "./protocol";
import { statusText } from "./status";
import type { Engine } from "./store";
import "./server-dialog.css";

interface EngineFacts {
  readonly name: string;
  readonly version: string;
  readonly evaluation: string;
  readonly simd: string;
  readonly uptime_ms: number;
}

interface Props {
  engine: Engine;
  client: Client;
  onClose(): void;
}

const number = new Intl.NumberFormat("en");
const seconds = (ms: number) => `${number.format(Math.round(ms / 1_000))} s`;

function duration(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 2) return seconds(ms);
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`;
}

function rows(engine: EngineFacts, limits: Limits): [string, string][] {
  const { rate, queue, dictionary } = limits;
  const isFull = queue.length >= queue.capacity;
  return [
    ["Version", `${engine.name} ${engine.version}, up for ${duration(engine.uptime_ms)}`],
    ["Network", engine.evaluation],
    ["Workers", `${limits.workers}, with ${engine.simd} instructions`],
    ["Queue", `${queue.length} of ${queue.capacity} places taken${isFull ? ": full" : ""}`],
    ["Hash table", `${number.format(limits.hash_mb)} MB`],
    ["Known positions",
      `${number.format(dictionary.entries)} of at most ${number.format(dictionary.max_entries)}`],
    ["Lines", `at most ${limits.multipv.max}`],
    ["Depth", `at most ${limits.depth.max}`],
    ["Time of a search",
      `at most ${seconds(limits.movetime_ms.max)}; without limit ${duration(limits.infinite_ms)}`],
    ["Requests", rate
      ? `${rate.remaining} of ${rate.requests} left, for ${seconds(rate.window_ms)}`
      : "no limit"],
  ];
}

interface Facts {
  readonly rows?: ReturnType<typeof rows>;
  readonly problem?: string;
}

async function factsOf(client: Client): Promise<Facts> {
  try {
    return { rows: rows(...await Promise.all([
      client.request<EngineFacts>("/v1/engine"), client.request<Limits>("/v1/limits"),
    ])) };
  } catch (error) {
    return { problem: errorText(error) };
  }
}

export default function ServerDialog(props: Props) {
  const [facts, setFacts] = createSignal<Facts | null>(null);
  // Asked anew with another key, and when the connection has changed.
  createEffect(on([props.client.key, () => props.engine.state.connection], () => {
    let isOld = false;
    onCleanup(() => { isOld = true; });
    setFacts(null);
    void factsOf(props.client).then((found) => isOld || setFacts(found));
  }));
  return (
    <Dialog title="Server" onClose={props.onClose}>
      <p class="server-state">{statusText(props.engine.state)}</p>
      <KeyForm client={props.client} isRefused={props.engine.state.connection === "refused"} />
      <Switch>
        <Match when={facts()?.problem}>
          {(problem) => <p class="server-problem" role="alert">{problem()}</p>}
        </Match>
        <Match when={facts()?.rows} keyed>
          {(found) => (
            <table class="server-facts">
              <tbody>
                <For each={found}>
                  {([name, value]) => <tr><th scope="row">{name}</th><td>{value}</td></tr>}
                </For>
              </tbody>
            </table>
          )}
        </Match>
        <Match when={true}><p>Loading…</p></Match>
      </Switch>
    </Dialog>
  );
}

/** A header can carry these characters only. */
const KEY = /^[\x21-\x7e]+$/;

function KeyForm(props: { client: Client; isRefused: boolean }) {
  const [text, setText] = createSignal("");
  const [problem, setProblem] = createSignal<string | null>(null);
  const submit = (event: Event) => {
    event.preventDefault();
    const key = text().trim();
    if (!KEY.test(key)) {
      setProblem("A key has at least one character, and only letters, digits and signs without " +
        "blanks.");
      return;
    }
    setProblem(null);
    setText("");
    props.client.setKey(key);
  };
  return (
    <form class="key-form" onSubmit={submit}>
      <label for="api-key">API key</label>
      <div>
        <input
          id="api-key" type="password" autocomplete="off" autofocus={props.isRefused}
          placeholder={props.client.key() ? "A key is set" : "Only some servers need one"}
          value={text()}
          aria-invalid={problem() !== null}
          aria-describedby="api-key-problem"
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <button type="submit">Use key</button>
        <Show when={props.client.key()}>
          <button type="button" onClick={() => props.client.setKey(null)}>Remove key</button>
        </Show>
      </div>
      <p id="api-key-problem" class="server-problem" role="alert">
        {problem() ?? (props.isRefused && props.client.key()
          ? "The server refuses this key."
          : "")}
      </p>
      <p class="hint">This tab keeps the key until you close it.</p>
    </form>
  );
}
