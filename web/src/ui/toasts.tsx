/** Short messages: shown for some seconds, and read aloud. */
import { createSignal, For, onCleanup, Show, untrack } from "solid-js";
import "./toasts.css";

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly kind: "message" | "error";
  /** Takes back what the message tells of. */
  readonly undo: (() => void) | undefined;
}

/** The time that a text is shown: longer texts take longer to read. */
const shownMs = (text: string) => 4_000 + 60 * text.length;

const MAX_TOASTS = 4;

const [toasts, setToasts] = createSignal<readonly Toast[]>([]);
const [announcement, setAnnouncement] = createSignal("");
let lastId = 0;

const drop = (id: number) => setToasts(toasts().filter((shown) => shown.id !== id));

/** Shows a message for some seconds, with a button if it can be undone. */
export function toast(
  text: string, kind: Toast["kind"] = "message", undo?: () => void,
): void {
  const id = ++lastId;
  // The same message once more takes the place of the first one. Only the last edit can be undone.
  const others = toasts().filter((shown) => shown.text !== text && !(undo && shown.undo));
  setToasts([...others, { id, text, kind, undo }].slice(-MAX_TOASTS));
  setTimeout(() => drop(id), shownMs(text));
}

let waiting: string[] = [];

/**
 * Lets a screen reader say a text that others see: a move, an evaluation, an end. Texts of the same
 * moment are said together, since a later one would replace an earlier one before it is said.
 */
export function announce(text: string): void {
  waiting.push(text);
  if (waiting.length > 1) return;
  queueMicrotask(() => {
    const said = [...new Set(waiting)].join(" ");
    waiting = [];
    // The same text once more must be another one, or nobody hears it.
    setAnnouncement((before) => (before === said ? `${said}\u00a0` : said));
  });
}

/** The places of the messages. The last one shows them. */
const [places, setPlaces] = createSignal<readonly object[]>([]);

/** The messages. A modal dialog has its own place: nothing outside of it is seen or read. */
export function Toasts() {
  const place = {};
  setPlaces([...untrack(places), place]);
  onCleanup(() => setPlaces(untrack(places).filter((other) => other !== place)));
  return (
    <div class="toasts" role="status" aria-label="Messages">
      <For each={places().at(-1) === place ? toasts() : []}>
        {({ id, text, kind, undo }) => (
          <p class={`toast ${kind}`}>
            {text}
            <Show when={undo}>
              <button type="button" on:click={() => { drop(id); undo!(); }}>Undo</button>
            </Show>
          </p>
        )}
      </For>
    </div>
  );
}

export const Announcements = () =>
  <p class="only-read" aria-live="polite" data-announcement>{announcement()}</p>;
