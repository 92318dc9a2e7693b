/** The dialog that edits the tags of the game. */
import { createSignal, For, Index, Show } from "solid-js";
import { Dialog } from "../ui/Dialog";
import { Icon } from "../ui/Icon";
import type { TreeStore } from "./store";
import "./open-dialog.css";

/** The tags that every PGN of a game has. */
const USUAL = ["Event", "Site", "Date", "Round", "White", "Black", "Result"];

/** The tags that say how the game begins. They follow from the position. */
const FIXED = new Set(["FEN", "SetUp", "Variant"]);

const RESULTS = ["*", "1-0", "0-1", "1/2-1/2"];

interface Row {
  readonly name: string;
  readonly value: string;
  readonly isNew: boolean;
}

interface Props {
  tree: TreeStore;
  onClose(): void;
}

/** What is wrong with the names of tags, as a sentence. */
function problemOf(rows: readonly Row[]): string | null {
  const names = rows.filter(({ value }) => value !== "").map(({ name }) => name);
  const odd = names.find((name) => !/^[A-Za-z0-9][\w+#=:-]*$/.test(name));
  if (odd !== undefined) {
    return `“${odd}” is not the name of a tag: letters, digits and _ are allowed, without spaces.`;
  }
  const fixed = rows.find(({ name, isNew }) => isNew && FIXED.has(name));
  if (fixed) return `${fixed.name} follows from the start position and cannot be set here.`;
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return twice === undefined ? null : `The tag ${twice} is there twice.`;
}

export default function TagsDialog(props: Props) {
  const { headers } = props.tree.tree();
  const names = [...headers.keys(), ...USUAL.filter((name) => !headers.has(name))];
  const [rows, setRows] = createSignal<readonly Row[]>(
    names.filter((name) => !FIXED.has(name))
      .map((name) => ({ name, value: headers.get(name) ?? "", isNew: false })),
  );
  const [problem, setProblem] = createSignal<string | null>(null);
  const change = (index: number, changed: Partial<Row>) => {
    setProblem(null);
    setRows(rows().map((row, at) => (at === index ? { ...row, ...changed } : row)));
  };
  const save = () => {
    const wrong = problemOf(rows());
    setProblem(wrong);
    if (wrong !== null) return;
    const fixed = [...headers].filter(([name]) => FIXED.has(name));
    const filled = rows().filter(({ value }) => value.trim() !== "")
      .map(({ name, value }): [string, string] => [name, value.trim()]);
    const edited = new Map([...filled, ...fixed]);
    const isSame = JSON.stringify([...edited]) === JSON.stringify([...headers]);
    if (!isSame) props.tree.setHeaders(edited);
    props.onClose();
  };
  return (
    <Dialog title="Tags" onClose={props.onClose}>
      <form
        class="tags"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <Index each={rows()}>
          {(row, index) => (
            <div class="tag">
              <Show
                when={row().isNew}
                fallback={<span class="name" id={`tag-${index}`}>{row().name}</span>}
              >
                <input
                  aria-label="Name of the tag"
                  placeholder="Name"
                  value={row().name}
                  onInput={({ currentTarget }) => change(index, { name: currentTarget.value })}
                />
              </Show>
              <input
                aria-label={row().name || "Value of the tag"}
                list={row().name === "Result" ? "results" : undefined}
                maxlength={255}
                value={row().value}
                onInput={({ currentTarget }) => change(index, { value: currentTarget.value })}
              />
              <button
                type="button"
                class="plain"
                aria-label={`Remove ${row().name || "the tag"}`}
                onClick={() => setRows(rows().filter((_, at) => at !== index))}
              ><Icon name="close" /></button>
            </div>
          )}
        </Index>
        <datalist id="results">
          <For each={RESULTS}>{(result) => <option value={result} />}</For>
        </datalist>
        <div class="problems" role="alert">{problem()}</div>
        <div class="row">
          <button
            type="button"
            onClick={() => setRows([...rows(), { name: "", value: "", isNew: true }])}
          >Add a tag</button>
          <button type="submit" class="main">Save</button>
        </div>
      </form>
    </Dialog>
  );
}
