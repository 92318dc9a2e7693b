/** Magic bitboards: the attacks of a chosen slider by a mask, a multiplication and a shift. */
import { createEffect, createMemo, createSignal, on, Show } from "solid-js";
import { pieceAt } from "./board-items";
import { Cells } from "./Cells";
import { Copyable } from "./Copyable";
import { useInspect } from "./context";
import { lookUp, squareOf } from "./magics";
import { Rows } from "./Rows";
import type { Item, Row } from "./selection";
import type { Magic, Views } from "./server";

export function MagicForm() {
  const { position } = useInspect();
  return (
    <Show
      when={position().views.magics}
      fallback={<p class="hint">This server does not show its magic bitboards. A newer version has
        the view “magics”.</p>}
    >
      {(magics) => (
        <Show
          when={magics().length > 0}
          fallback={<p class="hint">The position has no bishop, rook or queen.</p>}
        >
          <Sliders magics={magics()} />
        </Show>
      )}
    </Show>
  );
}

/** A slider with its lines: a queen has two look-ups. */
function nameOf(magic: Magic, views: Views): string {
  const piece = pieceAt(views, squareOf(magic)).replace(/^\S+ /, "");
  return piece === "queen" ? `queen ${magic.square} as ${magic.role}` : `${piece} ${magic.square}`;
}

function Sliders(props: { magics: readonly Magic[] }) {
  const { position, selection } = useInspect();
  const [name, setName] = createSignal<string | null>(null);
  const named = (magic: Magic) => nameOf(magic, position().views);
  const magic = createMemo((): Magic =>
    props.magics.find((known) => named(known) === name()) ?? props.magics[0]!);
  // A square without a slider leaves the shown one as it is.
  createEffect(on(selection.square, (square) => {
    const there = props.magics.find((known) => squareOf(known) === square);
    if (there && squareOf(magic()) !== square) setName(named(there));
  }));
  const occupied = () => position().views.bitboards.all_pieces;
  const look = createMemo(() => lookUp(magic(), occupied()));
  const cards = (): Row[] => [
    { id: "relevant", name: "relevant occupancy", hex: magic().relevant },
    { id: "blockers", name: "blockers", hex: look().blockers },
    { id: "attacks", name: "attacks", hex: magic().attacks },
  ];
  const steps = (): Item[] => {
    const { blockers, product, index, indexBits } = look();
    const { relevant, magic: factor, shift } = magic();
    const rows: [string, string, string][] = [
      ["occupied", occupied(), "all pieces"],
      ["& relevant", relevant, "squares where a piece can block, without the far edges"],
      ["= blockers", blockers, "the pieces on them"],
      ["× magic", factor, "factor of this square, found by trial"],
      ["= product", product, "modulo 2⁶⁴"],
      [`>> ${shift}`, indexBits, `the highest ${64 - shift} bits`],
      ["= index", String(index), `one of ${2 ** (64 - shift)} places in the table of this square`],
      ["attacks", magic().attacks, "what the table holds there"],
    ];
    return rows.map(([step, value, meaning]) => ({
      text: [step, value, meaning], label: `${step} ${value}: ${meaning}`, squares: [],
    }));
  };
  return (
    <>
      <Cells
        label="Sliders" layout="flow"
        items={props.magics.map((known) => ({
          text: named(known), label: named(known), squares: [squareOf(known)],
        }))}
        isChosen={(index) => props.magics[index] === magic()}
        onChoose={(index) => {
          const known = props.magics[index];
          setName(known ? named(known) : null);
        }}
      />
      <h4>Look-up of the {named(magic())}</h4>
      <Copyable label="JSON" value={JSON.stringify(magic())} />
      <Rows label="Bitboards of the look-up" cards={cards()} />
      <h4>Steps, with a1 as bit 0</h4>
      <Cells label="Steps of the look-up" layout="table steps" items={steps()} />
    </>
  );
}
