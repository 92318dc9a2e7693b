/** Texts in the browser's storage, which may be full, forbidden or written by an older page. */
import { createSignal } from "solid-js";

const [storageProblem, setStorageProblem] = createSignal<string | null>(null);

/** Why the last text was not kept, as a sentence, or `null`. */
export { storageProblem };

const PREFIX = "kibitzer.";

/** The text that was kept under a name, or `null`. */
export function readStored(
  name: string, storage: () => Storage = () => localStorage,
): string | null {
  try {
    return storage().getItem(PREFIX + name);
  } catch {
    // Forbidden by the browser: the page works without it.
    return null;
  }
}

/** Keeps a text, or removes it with `null`. */
export function keep(
  name: string,
  text: string | null,
  storage: () => Storage = () => localStorage,
): void {
  try {
    if (text === null) storage().removeItem(PREFIX + name);
    else storage().setItem(PREFIX + name, text);
    setStorageProblem(null);
  } catch (error) {
    const isFull = error instanceof DOMException && error.name === "QuotaExceededError";
    setStorageProblem(
      isFull
        ? "The browser's storage is full. Changes are lost when the page is closed."
        : "The browser forbids storage. Changes are lost when the page is closed.",
    );
  }
}

/** The members of a text in JSON. Those of a text that is no object are none. */
export function membersOf(text: string | null): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text ?? "null");
    return typeof value === "object" && value ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Keeps members of an object. Its others stay: another tab may have changed them. */
export const keepMembers = (name: string, changed: object): void =>
  keep(name, JSON.stringify({ ...membersOf(readStored(name)), ...changed }));
