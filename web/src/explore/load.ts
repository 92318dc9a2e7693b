/** The explorer, loaded when the page has been painted. */
import { createSignal, getOwner, onCleanup, onMount, runWithOwner, type Accessor } from "solid-js";
import { afterFirstPaint } from "../ui/late";
import type { Explorer, Sources } from "./store";

/** The wait before another try, if the server was gone. */
const RETRY_MS = 5_000;

export function loadExplorer(sources: Sources): Accessor<Explorer | undefined> {
  const owner = getOwner();
  const [explorer, setExplorer] = createSignal<Explorer>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  async function load() {
    try {
      const { createExplorer } = await import("./store");
      runWithOwner(owner, () => setExplorer(createExplorer(sources)));
    } catch {
      timer = setTimeout(load, RETRY_MS);
    }
  }
  onMount(() => afterFirstPaint(() => void load()));
  onCleanup(() => clearTimeout(timer));
  return explorer;
}
