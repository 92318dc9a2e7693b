/** The game on the board as a file. */
import { saveText } from "../ui/save-text";
import { gameName } from "./game-name";
import type { Tree } from "./tree";

/** A name that every file system takes: “Carlsen – Nepo” is `Carlsen-Nepo.pgn`. */
export function fileName(tree: Tree, type = "pgn"): string {
  const name = gameName(tree.headers) ?? "analysis";
  const date = tree.headers.get("Date") ?? "";
  const parts = [name, /^\d{4}/.test(date) ? date : ""].join(" ");
  const plain = parts.replace(/[^\p{L}\p{N}.]+/gu, "-").replace(/^[-.]+|[-.]+$/g, "");
  return `${plain.slice(0, 80) || "analysis"}.${type}`;
}

export const download = (pgn: string, tree: Tree): void => saveText(fileName(tree), pgn);
