/** The dialog that opens a pasted text or a file, with a list where it has many games. */
import { createSignal, For, Match, onCleanup, onMount, Show, Switch } from "solid-js";
import { Dialog } from "../ui/Dialog";
import { toast } from "../ui/toasts";
import { gameName } from "./game-name";
import { GameList } from "./GameList";
import { openFile, openText } from "./open";
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
  /** The number of the last text or file. What is known of an earlier one later is ignored. */
  let latest = 0;
  onCleanup(() => { latest += 1; });

  const load = (tree: Tree, wrong: readonly string[] = []) => {
    const isReplaced = props.tree.tree().nodes.size > 1;
    props.tree.load(tree);
    const name = gameName(tree.headers)
      ?? (tree.nodes.size > 1 ? "The game" : "The position");
    toast(`${name} was opened.`, "message", isReplaced ? props.tree.undo : undefined);
    if (wrong.length > 0) toast(wrong.join(" "), "error");
    props.onClose();
    // Not back to the menu's button, which would take the arrow keys.
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  };
  const show = (found: readonly string[], legal: Tree | null = null) => {
    setProblems(found);
    setPart(legal);
    if (found.length > 0) field?.focus();
  };
  async function read(source: File | string) {
    const own = ++latest;
    const isOld = () => own !== latest;
    const onPause = (share: number) => void (isOld() || setProgress(share));
    show([]);
    setProgress(0);
    const opened = await (typeof source === "string"
      ? openText(source, onPause) : openFile(source, onPause));
    if (isOld()) return;
    setProgress(null);
    if (opened.kind === "games") setGames(opened.games);
    else if (opened.kind === "problem") show(opened.problems);
    else if (opened.problems.length > 0) show(opened.problems, opened.tree);
    else load(opened.tree);
  }
  onMount(() => {
    const { source } = props;
    const isShort = typeof source === "string" && source.length < LONG_TEXT;
    if (field && isShort) field.value = source;
    if (source !== null) void read(source);
  });
  return (
    <Dialog title={games() ? "Choose a game" : "Paste PGN or FEN"} onClose={props.onClose}>
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
              // Where the browser puts the focus when the dialog opens.
              autofocus
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
