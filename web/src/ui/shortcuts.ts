/** The keys of the page. Each view registers its own; the help lists them all. */
import { createSignal, onCleanup } from "solid-js";

export interface Shortcut {
  /**
   * `KeyboardEvent.key`, with `Ctrl+` and `Shift+` before it: `ArrowLeft`, `Shift+ArrowLeft`, `f`,
   * `Shift+n`, `Ctrl+z`, `?`. Letters are in lower case.
   */
  readonly keys: readonly string[];
  /** What the keys do, for the help: "Flip the board". */
  readonly label: string;
  readonly group: "Moves" | "Board" | "Engine" | "Panels" | "Page";
  run(): void;
}

const [shortcuts, setShortcuts] = createSignal<readonly Shortcut[]>([]);

/** All keys that work now, in the order of their registration. */
export { shortcuts };

/** Registers keys until the view that calls this is gone. Later ones go before earlier ones. */
export function useShortcuts(added: readonly Shortcut[]): void {
  setShortcuts([...shortcuts(), ...added]);
  onCleanup(() => setShortcuts(shortcuts().filter((shortcut) => !added.includes(shortcut))));
}

/** The character of a key, or the Latin letter in its place on keyboards of other scripts. */
const latin = ({ key, code }: KeyboardEvent) =>
  key > "~" && code.startsWith("Key") ? code.slice(3) : key;

/** The name of a pressed key as `Shortcut.keys` writes it. */
function keyName(event: KeyboardEvent): string {
  const isCharacter = event.key.length === 1;
  const key = isCharacter ? latin(event).toLowerCase() : event.key;
  const command = event.ctrlKey || event.metaKey ? "Ctrl+" : "";
  // Shift is part of a character such as `?`, but not of a letter, an arrow key or a command.
  const isPart = isCharacter && command === "" && !/[a-z]/.test(key);
  const shift = event.shiftKey && !isPart ? "Shift+" : "";
  return command + shift + key;
}

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target.matches("input:not([type=checkbox], [type=radio]), textarea"));

/** Whether this element uses the key itself, as a list uses arrows and a button uses Space. */
function isTakenBy(target: EventTarget | null, key: string): boolean {
  // What had the focus in a dialog keeps it for a moment after the dialog is closed.
  if (!(target instanceof HTMLElement) || target.closest("dialog:not([open])")) return false;
  if (isTyping(target)) return true;
  if (target.matches("select, [type=radio], [role=tab], [role^=menuitem]")) return true;
  return (key === " " || key === "Enter") && target.matches("button, a, summary, [type=checkbox]");
}

/** Runs the shortcut of a key event, unless a field or an open dialog takes the key. */
export function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.altKey) return;
  const name = keyName(event);
  if (isTakenBy(event.target, name) || document.querySelector("dialog[open]")) return;
  const shortcut = shortcuts().findLast(({ keys }) => keys.includes(name));
  if (!shortcut) return;
  event.preventDefault();
  shortcut.run();
}
