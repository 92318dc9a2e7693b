/**
 * The tree across reloads. A tab keeps its own tree in sessionStorage, so two tabs never take each
 * other's; localStorage has the latest tree of all tabs, for the next one that is opened.
 */
import { createEffect, on, onCleanup } from "solid-js";
import { keep, readStored, storageProblem } from "../ui/storage";
import { toast } from "../ui/toasts";
import { MAX_MOVES, pack, unpack, type View } from "./saved";

const STORED_AS = "tree";

/** The version of the text that is kept. It stands before the text. */
const VERSION = "1:";

/** Longer texts are not kept: browsers have about 5 MB for a site. */
const MAX_LENGTH = 1_000_000;
const TOO_LONG = "The tree is too large to survive a reload: 20,000 moves and 1 MB are kept.";

/** Changes within this time are kept together. */
const DELAY_MS = 400;

const own = () => sessionStorage;

/** The tree of this tab, or the latest one of all tabs, or `null`. */
export function readSession(): View | null {
  const text = readStored(STORED_AS, own) ?? readStored(STORED_AS);
  if (text === null) return null;
  const view = text.startsWith(VERSION) ? unpack(text.slice(VERSION.length)) : null;
  if (!view) toast("The moves of the last visit were kept by another version and cannot be read.");
  return view;
}

/** Keeps what the page shows from now on. */
export function useSession(view: () => View): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isTold = false;
  let isTooLongTold = false;
  let kept: string | null = null;

  const write = (isLatest: boolean) => {
    clearTimeout(timer);
    timer = undefined;
    const shown = view();
    const text = VERSION + pack(shown);
    if (text.length > MAX_LENGTH || shown.tree.nodes.size > MAX_MOVES) {
      if (!isTooLongTold) toast(TOO_LONG, "error");
      isTooLongTold = true;
      return;
    }
    if (text === kept) return;
    kept = text;
    keep(STORED_AS, text, own);
    const problem = storageProblem();
    if (isLatest) keep(STORED_AS, text);
    const failed = problem ?? storageProblem();
    if (failed !== null && !isTold) toast(failed, "error");
    isTold ||= failed !== null;
  };
  const flush = () => {
    if (timer !== undefined) write(true);
  };
  createEffect(on(view, (_, before) => {
    clearTimeout(timer);
    // Until something changes, the latest tree of all tabs stays that of the other tab.
    if (before) timer = setTimeout(write, DELAY_MS, true);
    else write(false);
  }));
  const onHide = () => document.visibilityState === "hidden" && flush();
  window.addEventListener("pagehide", flush);
  document.addEventListener("visibilitychange", onHide);
  onCleanup(() => {
    flush();
    window.removeEventListener("pagehide", flush);
    document.removeEventListener("visibilitychange", onHide);
  });
}
