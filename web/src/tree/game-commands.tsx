/** The commands of the menu “Game”. */
import type { Color } from "chessops/types";
import type { JSX } from "solid-js";
import { copyText } from "../ui/clipboard";
import type { Command } from "../ui/CommandList";
import { withPart } from "../ui/part";
import { toast } from "../ui/toasts";
import type { TreeStore } from "./store";
import { newTree } from "./tree";

/** The commands about pictures of the board, which the page carries out. */
export type PictureCommand = "saveSvg" | "savePng" | "copyPicture" | "copyPreview";

interface Game {
  readonly tree: TreeStore;
  orientation(): Color;
  /** Opens the dialog for a PGN or FEN. */
  paste(): void;
  /** Opens the browser's dialog for files. */
  chooseFile(): void;
  /** Shows a dialog in place of the present one, or none. */
  show(dialog: (() => JSX.Element) | null): void;
  onPicture(command: PictureCommand): void;
}

const copyPgn = (tree: TreeStore) => withPart(
  "The code for PGN",
  () => import("./pgn-write"),
  ({ writePgn }) => copyText(writePgn(tree.tree()), "The PGN was copied."),
);

const downloadPgn = (tree: TreeStore) => withPart(
  "The code for PGN",
  () => Promise.all([import("./pgn-write"), import("./download")]),
  ([{ writePgn }, { download }]) => download(writePgn(tree.tree()), tree.tree()),
);

const copyLink = (game: Game) => withPart(
  "The code for links", () => import("./link"), (code) => linkTo(game, code),
);

async function linkTo(
  { tree, orientation }: Game, { makeLink, MAX_LINK }: typeof import("./link"),
): Promise<void> {
  const base = location.origin + location.pathname;
  const view = { tree: tree.tree(), current: tree.current().id, orientation: orientation() };
  const { fragment, leftOut, fullLength } = await makeLink(view, base);
  const done = "The link to the whole analysis was copied.";
  const isCopied = await copyText(`${base}#${fragment}`, done);
  if (isCopied && leftOut) {
    toast(`The link would be ${fullLength} characters long; ${MAX_LINK} are allowed. It is `
      + `without ${leftOut}.`);
  }
}

const editTags = ({ tree, show }: Game) => withPart(
  "The dialog",
  () => import("./TagsDialog"),
  ({ default: TagsDialog }) => show(() => <TagsDialog tree={tree} onClose={() => show(null)} />),
);

export function gameCommands(game: Game): readonly Command[] {
  const { tree, onPicture } = game;
  return [
    { label: "New analysis", run: () => tree.load(newTree()) },
    { label: "Paste PGN or FEN…", key: "Ctrl+V", run: game.paste },
    { label: "Open file…", run: game.chooseFile },
    {
      isFirst: true, label: "Copy FEN",
      run: () => void copyText(tree.current().fen, "The FEN was copied."),
    },
    { label: "Copy PGN", run: () => void copyPgn(tree) },
    { label: "Download PGN", run: () => void downloadPgn(tree) },
    { isFirst: true, label: "Copy link to the analysis", run: () => void copyLink(game) },
    { label: "Copy link to this position", run: () => onPicture("copyPreview") },
    { label: "Copy link to the picture", run: () => onPicture("copyPicture") },
    { isFirst: true, label: "Save picture (PNG)", run: () => onPicture("savePng") },
    { label: "Save picture (SVG)", run: () => onPicture("saveSvg") },
    { isFirst: true, label: "Edit tags…", run: () => void editTags(game) },
  ];
}
