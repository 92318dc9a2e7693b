/** The menu “Game” of the header: open, copy, download and name what is on the board. */
import type { Color } from "chessops/types";
import { createSignal, lazy, Match, Suspense, Switch } from "solid-js";
import { copyText } from "../ui/clipboard";
import { Menu, type Command } from "../ui/Menu";
import { toast } from "../ui/toasts";
import { DropZone } from "./DropZone";
import type { TreeStore } from "./store";
import { newTree } from "./tree";

const OpenDialog = lazy(() => import("./OpenDialog"));
const TagsDialog = lazy(() => import("./TagsDialog"));

interface Props {
  tree: TreeStore;
  orientation: Color;
}

type Open =
  | { readonly kind: "tags" }
  | { readonly kind: "open"; readonly source: File | string | null };

export function GameMenu(props: Props) {
  const store = props.tree;
  const [dialog, setDialog] = createSignal<Open | null>(null);
  let chooser!: HTMLInputElement;
  const open = (source: File | string | null) => setDialog({ kind: "open", source });
  const pgn = async () => (await import("./pgn-write")).writePgn(store.tree());
  const copyPgn = async () => copyText(await pgn(), "The PGN was copied.");
  const download = async () => {
    const { download } = await import("./download");
    download(await pgn(), store.tree());
  };
  const copyLink = async () => {
    const { makeLink } = await import("./link");
    const base = location.origin + location.pathname;
    const view = {
      tree: store.tree(), current: store.current().id, orientation: props.orientation,
    };
    const { fragment, leftOut, fullLength } = await makeLink(view, base);
    const isCopied = await copyText(`${base}#${fragment}`, "The link was copied.");
    if (isCopied && leftOut) {
      toast(`The link would be ${fullLength} characters long; 8000 are allowed. It is without `
        + `${leftOut}.`);
    }
  };
  const commands = (): Command[] => [
    { label: "New analysis", run: () => store.load(newTree()) },
    { label: "Paste PGN or FEN…", key: "Ctrl+V", run: () => open(null) },
    { label: "Open file…", run: () => chooser.click() },
    { label: "Copy FEN", run: () => void copyText(store.current().fen, "The FEN was copied.") },
    { label: "Copy PGN", run: () => void copyPgn() },
    { label: "Download PGN", run: () => void download() },
    { label: "Copy link", run: () => void copyLink() },
    { label: "Edit tags…", run: () => setDialog({ kind: "tags" }) },
  ];
  const close = () => setDialog(null);
  const shown = <Kind extends Open["kind"]>(kind: Kind) => {
    const open = dialog();
    return open?.kind === kind ? (open as Extract<Open, { kind: Kind }>) : null;
  };
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
      <Suspense>
        <Switch>
          <Match when={shown("open")} keyed>
            {({ source }) => <OpenDialog tree={store} source={source} onClose={close} />}
          </Match>
          <Match when={shown("tags")}><TagsDialog tree={store} onClose={close} /></Match>
        </Switch>
      </Suspense>
    </>
  );
}
