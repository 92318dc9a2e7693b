/** The menu “Game” of the header: open, copy, download and name what is on the board. */
import type { Color } from "chessops/types";
import { createSignal, Show, type JSX } from "solid-js";
import { copyText } from "../ui/clipboard";
import { late } from "../ui/late";
import { Menu, type Command } from "../ui/Menu";
import { withPart } from "../ui/part";
import { toast } from "../ui/toasts";
import type { TreeStore } from "./store";
import { newTree } from "./tree";

const DropZone = late(async () => (await import("./extras")).DropZone);

interface Props {
  tree: TreeStore;
  orientation: Color;
}

export function GameMenu(props: Props) {
  const store = props.tree;
  const [dialog, setDialog] = createSignal<(() => JSX.Element) | null>(null);
  const close = () => setDialog(null);
  let chooser!: HTMLInputElement;
  const open = (source: File | string | null) => withPart(
    "The dialog",
    () => import("./OpenDialog"),
    ({ default: OpenDialog }) => setDialog(() => () =>
      <OpenDialog tree={store} source={source} onClose={close} />),
  );
  const editTags = () => withPart(
    "The dialog",
    () => import("./TagsDialog"),
    ({ default: TagsDialog }) => setDialog(() => () =>
      <TagsDialog tree={store} onClose={close} />),
  );
  const copyPgn = () => withPart(
    "The code for PGN",
    () => import("./pgn-write"),
    ({ writePgn }) => copyText(writePgn(store.tree()), "The PGN was copied."),
  );
  const downloadPgn = () => withPart(
    "The code for PGN",
    () => Promise.all([import("./pgn-write"), import("./download")]),
    ([{ writePgn }, { download }]) => download(writePgn(store.tree()), store.tree()),
  );
  const copyLink = () => withPart("The code for links", () => import("./link"), linkTo);
  const linkTo = async ({ makeLink, MAX_LINK }: typeof import("./link")) => {
    const base = location.origin + location.pathname;
    const view = {
      tree: store.tree(), current: store.current().id, orientation: props.orientation,
    };
    const { fragment, leftOut, fullLength } = await makeLink(view, base);
    const done = "The link to the whole analysis was copied.";
    const isCopied = await copyText(`${base}#${fragment}`, done);
    if (isCopied && leftOut) {
      toast(`The link would be ${fullLength} characters long; ${MAX_LINK} are allowed. It is `
        + `without ${leftOut}.`);
    }
  };
  const commands = (): Command[] => [
    { label: "New analysis", run: () => store.load(newTree()) },
    { label: "Paste PGN or FEN…", key: "Ctrl+V", run: () => void open(null) },
    { label: "Open file…", run: () => chooser.click() },
    { label: "Copy FEN", run: () => void copyText(store.current().fen, "The FEN was copied.") },
    { label: "Copy PGN", run: () => void copyPgn() },
    { label: "Download PGN", run: () => void downloadPgn() },
    { label: "Copy link to the analysis", run: () => void copyLink() },
    { label: "Edit tags…", run: () => void editTags() },
  ];
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
          if (file) void open(file);
        }}
      />
      <DropZone onOpen={(source) => void open(source)} />
      <Show when={dialog()} keyed>{(view) => view()}</Show>
    </>
  );
}
