/** Texts of the server as sentences. */

/** A text with a capital at its start and a full stop at its end. */
export function sentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`;
}
