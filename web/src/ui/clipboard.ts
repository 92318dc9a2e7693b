/** Texts for the clipboard. */
import { toast } from "./toasts";

/** The way without a secure origin, as on a local network. */
function copyOld(text: string): boolean {
  const field = document.createElement("textarea");
  field.value = text;
  field.style.cssText = "position: fixed; top: 0; opacity: 0";
  const parent = document.querySelector("dialog[open]") ?? document.body;
  const focused = document.activeElement as HTMLElement | null;
  parent.append(field);
  field.select();
  const isCopied = document.execCommand("copy");
  field.remove();
  focused?.focus();
  return isCopied;
}

/** Copies a text and says so, or says that the browser forbids it. */
export async function copyText(text: string, done: string): Promise<boolean> {
  const isCopied = await (navigator.clipboard?.writeText(text) ?? Promise.reject()).then(
    () => true, () => copyOld(text),
  );
  if (isCopied) toast(done);
  else toast("The browser forbids the page to copy.", "error");
  return isCopied;
}
