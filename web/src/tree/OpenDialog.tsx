/** The dialog that opens a pasted text or a file, with a list where it has many games. */
import { createSignal, For, Match, onMount, Show, Switch } from "solid-js";
import { Dialog } from "../ui/Dialog";
import { toast } from "../ui/toasts";
import { gameName } from "./game-name";
import { GameList } from "./GameList";
import { decodeText, MAX_TEXT, openText, TOO_LARGE } from "./open";
import type { GameText } from "./pgn-scan";
import type { TreeStore } from "./store";
import type { Tree } from "./tree";
import "./open-dialog.css";

/** The field would be slow with so many characters: a longer text is read at once. */
const LONG_TEXT = 100_000;

interface Props {
  tree: TreeStore;
  /** A file or a text that is there already. */
  source: File | string | null;
  onClose(): void;
}

export default function OpenDialog(props: Props) {
  const [progress, setProgress] = createSignal<number | null>(null);
  const [problems, setProblems] = createSignal<readonly string[]>([]);
  /** What could be read of a game with problems. */
  const [part, setPart] = createSignal<Tree | null>(null);
  const [games, setGames] = createSignal<readonly GameText[] | null>(null);
  let field: HTMLTextAreaElement | undefined;
  const readField = () => void read(field?.value ?? "");
  let isClosed = false;

  const load = (tree: Tree, wrong: readonly string[] = []) => {
    const isReplaced = props.tree.tree().nodes.size > 1;
    props.tree.load(tree);
    const name = gameName(tree.headers) ?? "The game";
    toast(isReplaced ? `${name} was opened. Undo brings back what was there.`
      : `${name} was opened.`);
    if (wrong.length > 0) toast(wrong.join(" "), "error");
    props.onClose();
    // Not back to the menu's button, which would take the arrow keys.
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  };
  const show = (found: readonly string[], legal: Tree | null = null) => {
    setProblems(found);
    setPart(legal);
  };
  async function read(source: string) {
    show([]);
    setProgress(0);
    const opened = await openText(source, setProgress);
    setProgress(null);
    if (isClosed) return;
    if (opened.kind === "games") setGames(opened.games);
    else if (opened.kind === "problem") show(opened.problems);
    else if (opened.problems.length > 0) show(opened.problems, opened.tree);
    else load(opened.tree);
  }
  async function readFile(file: File) {
    // A character has at most four bytes.
    if (file.size > 4 * MAX_TEXT) return show([TOO_LARGE]);
    try {
      await read(decodeText(await file.arrayBuffer()));
    } catch {
      show([`The file “${file.name}” cannot be read.`]);
    }
  }
  onMount(() => {
    const { source } = props;
    if (typeof source === "string") {
      if (field && source.length < LONG_TEXT) field.value = source;
      void read(source);
    } else if (source) void readFile(source);
    field?.focus();
  });
  const close = () => {
    isClosed = true;
    props.onClose();
  };
  return (
    <Dialog title={games() ? "Choose a game" : "Paste PGN or FEN"} onClose={close}>
      <Switch>
        <Match when={games()}>{(found) => <GameList games={found()} onOpen={load} />}</Match>
        <Match when={true}>
          <form
            class="open-form"
            onSubmit={(event) => {
              event.preventDefault();
              readField();
            }}
          >
            <textarea
              rows={9}
              ref={(element) => { field = element; }}
              aria-label="PGN or FEN"
              aria-describedby="open-problems"
              aria-invalid={problems().length > 0}
              placeholder={"1. e4 e5 2. Nf3 Nc6\n\nor a FEN, or many games. A file can be dropped "
                + "anywhere on the page."}
              spellcheck={false}
              onInput={() => show([])}
              onPaste={(event) => {
                const pasted = event.clipboardData?.getData("text/plain") ?? "";
                if (pasted.length < LONG_TEXT) return;
                event.preventDefault();
                void read(pasted);
              }}
              onKeyDown={(event) => {
                if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
                event.preventDefault();
                readField();
              }}
            />
            <div class="problems" id="open-problems" role="alert">
              <For each={problems()}>{(problem) => <p>{problem}</p>}</For>
            </div>
            <div class="row">
              <Show when={progress() !== null}>
                <progress aria-label="Reading" max={1} value={progress() ?? 0} />
              </Show>
              <Show when={part()}>
                {(legal) => (
                  <button type="button" onClick={() => load(legal())}>Open what is legal</button>
                )}
              </Show>
              <button type="submit" class="main" disabled={progress() !== null}>Open</button>
            </div>
          </form>
        </Match>
      </Switch>
    </Dialog>
  );
}
