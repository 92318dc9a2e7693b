/** The page's address: `?fen=…` is a start position, the fragment a link of the board. */
import type { Color } from "chessops/types";
import { createEffect, on, onCleanup } from "solid-js";
import { withPart } from "../ui/part";
import { keep, readStored } from "../ui/storage";
import { toast } from "../ui/toasts";
import { readFen } from "./fen";
import type { TreeStore } from "./store";
import { newTree, type NodeId, type Tree } from "./tree";

/** The address that this tab has opened, so that a reload does not open it again. */
const OPENED_AS = "address";
const own = () => sessionStorage;

/** The fragment, if it is a link of the board. `#inspect=huffman` opens a panel instead. */
const link = () => (location.hash.startsWith("#inspect=") ? "" : location.hash);
const address = () => location.search + link();

/** Opens what the address says, as an edit that can be undone. */
export function useAddress(store: TreeStore, setOrientation: (color: Color) => void): void {
  /** The tree that the address stands for. */
  let loaded: Tree | null = null;
  const load = (tree: Tree, shown?: NodeId) => {
    loaded = tree;
    keep(OPENED_AS, address(), own);
    store.load(tree, shown);
  };
  const openFen = (text: string) => {
    const read = readFen(text);
    if ("fen" in read) load(newTree(read.fen));
    else toast(`The position in the address is wrong: ${read.problem}`, "error");
  };
  const openLink = () => withPart("The code for links", () => import("./link"), readOpened);
  const readOpened = async ({ readLink }: typeof import("./link")) => {
    const opened = address();
    const read = await readLink(link().slice(1));
    // Another link was opened meanwhile.
    if (address() !== opened) return;
    if ("view" in read) {
      load(read.view.tree, read.view.current);
      setOrientation(read.view.orientation);
    } else toast(read.problem, "error");
  };
  const open = () => {
    const fen = new URLSearchParams(location.search).get("fen");
    if (address() !== "" && readStored(OPENED_AS, own) === address()) loaded = store.tree();
    else if (link() !== "") void openLink();
    else if (fen !== null) openFen(fen);
  };
  open();
  window.addEventListener("hashchange", open);
  onCleanup(() => window.removeEventListener("hashchange", open));

  // After an edit the address would bring back the tree without it.
  createEffect(on(store.tree, (tree) => {
    if (loaded === null || tree === loaded) return;
    loaded = null;
    keep(OPENED_AS, null, own);
    history.replaceState(history.state, "", location.pathname);
  }));
}
