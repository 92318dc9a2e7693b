/** The panel “how programs see it”: every form of the shown position and of its last move. */
import { createEffect, createSignal, on, onCleanup, Show, untrack } from "solid-js";
import { Dynamic } from "solid-js/web";
import type { Overlays } from "../board/overlays";
import type { Client } from "../engine/client";
import type { Engine } from "../engine/store";
import type { TreeStore } from "../tree/store";
import { keep, readStored } from "../ui/storage";
import { toast } from "../ui/toasts";
import { pieceAt } from "./board-items";
import type { BitOrder } from "./bits";
import { onBoardSquare } from "./board-squares";
import { InspectProvider, type Inspect } from "./context";
import { onSteps } from "./follow";
import { FORMS } from "./forms";
import { FormSelect, FormTabs } from "./FormList";
import { Problem, Waiting } from "./Notes";
import { createPositionRequests } from "./requests";
import { createSelection } from "./selection";
import { SquareField } from "./SquareField";
import { squareName, type Square } from "./squares";
import "./inspect.css";

interface Props {
  tree: TreeStore;
  engine: Engine;
  client: Client;
  overlays: Overlays;
}

const STORED_AS = "inspect";
const FIRST = "bitboards";

const isForm = (id: string | null): id is string => FORMS.some((form) => form.id === id);

/** The form that a link names: `#inspect=huffman`. A toast says so if there is no such form. */
function linkedForm(): string | null {
  const id = new URLSearchParams(location.hash.slice(1)).get("inspect");
  if (id === null || isForm(id)) return id;
  toast(`There is no form “${id}”. The forms are ${FORMS.map((form) => form.id).join(", ")}.`);
  // Once is enough.
  history.replaceState(history.state, "", location.pathname + location.search);
  return null;
}

/** The linked form, or the one that was open last. */
function firstForm(): string {
  const stored = readStored(STORED_AS);
  return linkedForm() ?? (isForm(stored) ? stored : FIRST);
}

export default function InspectPanel(props: Props) {
  const { tree, client, engine, overlays } = props;
  const [open, setOpen] = createSignal(firstForm());
  const [order, setOrder] = createSignal<BitOrder>("a1");
  const form = () => FORMS.find(({ id }) => id === open())!;
  const selection = createSelection(overlays);
  const requests = createPositionRequests({
    tree, engine, client, needs: (need) => form().needs.includes(need),
  });
  const answer = () => requests.position.answer();
  onBoardSquare((square) => selection.choose([square]));
  // A chosen square goes with its piece. Of a captured one, the square is left.
  onSteps(tree, (after) => {
    const square = untrack(selection.square);
    if (square !== null) selection.choose([after(square) ?? square]);
  });

  const show = (id: string) => {
    setOpen(id);
    keep(STORED_AS, id);
  };
  const onLink = () => {
    const id = linkedForm();
    if (id) show(id);
  };
  window.addEventListener("hashchange", onLink);
  onCleanup(() => window.removeEventListener("hashchange", onLink));
  let content!: HTMLDivElement;
  createEffect(on(open, () => content.scrollTo(0, 0), { defer: true }));

  const describe = (square: Square) => {
    const shown = answer();
    return `${squareName(square)}${shown ? `: ${pieceAt(shown.views, square)}` : ""}`;
  };
  const readout = () => {
    const pointed = selection.pointed();
    if (pointed) return pointed.label;
    const square = selection.square();
    if (square !== null) return describe(square);
    const { length } = selection.chosen();
    return length ? `${length} squares chosen` : "Point at a bit or a square.";
  };
  const inspect: Inspect = { selection, requests, tree, position: () => answer()!, order };
  return (
    <div class="inspect-panel">
      <FormTabs open={open()} onOpen={show} />
      <FormSelect open={open()} onOpen={show} />
      <div
        class="inspect-form" id="inspect-form" role="tabpanel" aria-label={form().name}
        ref={content}
      >
        <header>
          <h3>{form().name}</h3>
          <span class="size">{form().size}</span>
          <a href={`#inspect=${open()}`}>Link</a>
        </header>
        <p class="text">{form().text}</p>
        <Show when={answer()} fallback={<Waiting of={requests.position} />}>
          <Problem of={requests.position} />
          <Show when={!answer()?.hasHistory}>
            <p class="hint">The server refused the moves up to here and shows the position alone:
              which pieces have moved follows from their squares.</p>
          </Show>
          <div
            class="values"
            classList={{ old: requests.position.isOld() }}
            aria-busy={requests.position.isOld()}
          >
            <InspectProvider value={inspect}><Dynamic component={form().view} /></InspectProvider>
          </div>
        </Show>
      </div>
      <div class="inspect-tools">
        <SquareField selection={selection} describe={describe} />
        <p class="readout" aria-hidden="true">{readout()}</p>
        <Show when={form().hasBitboards}>
          <label class="bit-order">
            Bit 0 is
            <select
              value={order()}
              onChange={(event) => setOrder(event.currentTarget.value as BitOrder)}
            >
              <option value="a1">a1</option>
              <option value="a8">a8</option>
            </select>
          </label>
        </Show>
      </div>
    </div>
  );
}
