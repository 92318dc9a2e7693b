/**
 * Views that are loaded right after the first paint. The page is usable earlier without them, and
 * they are there when the server is gone.
 */
import { createMemo, createSignal, type Accessor, type Component } from "solid-js";
import { shown } from "./lazy-view";
import type { Load } from "./part";
import { LoadError } from "./load-file";
import { toast } from "./toasts";

/** The wait before another try, if the server is gone. */
const RETRY_MS = 3_000;

/** Runs a function after the page and its first files have been shown. */
export function afterFirstPaint(run: () => void): void {
  requestAnimationFrame(() => setTimeout(run));
}

/** A part of a module that is loaded after the first paint, as soon as the server is there. */
export function latePart<Part>(load: Load<Part>): Accessor<Part | undefined> {
  const [part, setPart] = createSignal<Part>();
  const start = () => {
    load().then((loaded) => setPart(() => loaded), (error) => {
      if (error instanceof LoadError && error.needsReload) toast(error.message, "error");
      else setTimeout(start, RETRY_MS);
    });
  };
  afterFirstPaint(start);
  return part;
}

/** The same for a view. */
export function late<View extends Component<any>>(load: Load<View>): View {
  const view = latePart(load);
  return ((props) => createMemo(() => shown(view(), props)) as unknown) as View;
}
