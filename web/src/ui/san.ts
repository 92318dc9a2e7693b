/** SAN as the user wants to read it: with letters, or with figurines. */
import type { Settings } from "./settings";

const FIGURINES: Readonly<Record<string, string>> = {
  K: "♚", Q: "♛", R: "♜", B: "♝", N: "♞",
};

/** The text to show. Screen readers get the SAN itself. */
export function sanText(san: string, notation: Settings["notation"]): string {
  return notation === "figurines" ? san.replace(/[KQRBN]/g, (letter) => FIGURINES[letter]!) : san;
}
