/** The menu “Game” of the header: open, copy, download and name what is on the board. */
import type { Color } from "chessops/types";
import { createSignal, Show, type JSX } from "solid-js";
import { late, latePart } from "../ui/late";
import { Menu } from "../ui/Menu";
import { withPart } from "../ui/part";
import type { PictureCommand } from "./game-commands";
import type { TreeStore } from "./store";

const DropZone = late(async () => (await import("./extras")).DropZone);
const gameCommands = latePart(async () => (await import("./extras")).gameCommands);

interface Props {
  tree: TreeStore;
  orientation: Color;
  onPicture(command: PictureCommand): void;
}

export function GameMenu(props: Props) {
  const [dialog, setDialog] = createSignal<(() => JSX.Element) | null>(null);
  let chooser!: HTMLInputElement;
  const show = (view: (() => JSX.Element) | null) => setDialog(() => view);
  const open = (source: File | string | null) => void withPart(
    "The dialog",
    () => import("./OpenDialog"),
    ({ default: OpenDialog }) => show(() =>
      <OpenDialog tree={props.tree} source={source} onClose={() => show(null)} />),
  );
  const commands = () => gameCommands()?.({
    tree: props.tree, orientation: () => props.orientation, show, onPicture: props.onPicture,
    paste: () => open(null), chooseFile: () => chooser.click(),
  }) ?? [];
  return (
    <>
      <Menu label="Game" commands={commands()} />
      <input
        type="file"
        ref={chooser}
        class="only-read"
        accept=".pgn,.txt,.fen,text/plain,application/x-chess-pgn"
        aria-label="PGN file"
        tabindex={-1}
        onChange={({ currentTarget }) => {
          const file = currentTarget.files?.[0];
          currentTarget.value = "";
          if (file) open(file);
        }}
      />
      <DropZone onOpen={open} />
      <Show when={dialog()} keyed>{(view) => view()}</Show>
    </>
  );
}
