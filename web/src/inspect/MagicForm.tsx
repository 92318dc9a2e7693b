/** Magic bitboards: the attacks of a chosen slider by a mask, a multiplication and a shift. */
import { createEffect, createMemo, createSignal, on, Show, untrack } from "solid-js";
import { pieceAt } from "./board-items";
import { Cells } from "./Cells";
import { Copyable } from "./Copyable";
import { useInspect } from "./context";
import { onSteps } from "./follow";
import { lookUp, squareOf } from "./magics";
import { Rows } from "./Rows";
import type { Item, Row } from "./selection";
import type { Magic, Views } from "./server";
import type { Square } from "./squares";

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
function sliderName(magic: Magic, views: Views): string {
  const piece = pieceAt(views, squareOf(magic)).replace(/^\S+ /, "");
  return piece === "queen" ? `queen ${magic.square} as ${magic.role}` : `${piece} ${magic.square}`;
}

/** A chosen slider. The square is `null` after the piece was captured. */
interface Chosen {
  readonly square: Square | null;
  readonly role: Magic["role"];
  readonly name: string;
}

/** The chosen slider and its look-up. It is followed when it moves. */
function useSlider(magics: () => readonly Magic[]) {
  const { position, requests, selection, tree } = useInspect();
  const [chosen, setChosen] = createSignal<Chosen | null>(null);
  const nameOf = (magic: Magic) => sliderName(magic, position().views);
  const choose = (magic: Magic) =>
    setChosen({ square: squareOf(magic), role: magic.role, name: nameOf(magic) });
  const at = (square: Square | null, role?: Magic["role"]) => {
    const there = magics().filter((magic) => squareOf(magic) === square);
    return there.find((magic) => magic.role === role) ?? there[0];
  };
  // A square without a slider leaves the shown one as it is.
  createEffect(on(selection.square, (square) => {
    const there = at(square);
    if (there && untrack(chosen)?.square !== square) choose(there);
  }));
  onSteps(tree, (after) => setChosen((last) =>
    last && last.square !== null ? { ...last, square: after(last.square) } : last));
  const magic = createMemo((shown: Magic | undefined): Magic | undefined => {
    const wanted = chosen();
    if (!wanted) return magics()[0];
    // Until the new position is there, the look-up of the old one stays.
    return requests.position.isOld() ? shown : at(wanted.square, wanted.role);
  });
  createEffect(on(magic, (there) => there && untrack(chosen) && choose(there), { defer: true }));
  return { magic, choose, nameOf, lastName: () => chosen()?.name ?? "" };
}

function Sliders(props: { magics: readonly Magic[] }) {
  const { magic, choose, nameOf, lastName } = useSlider(() => props.magics);
  return (
    <>
      <p class="hint">Choose a bishop, rook or queen here or on the board.</p>
      <Cells
        label="Sliders" layout="flow"
        items={props.magics.map((known) => ({
          text: nameOf(known), label: nameOf(known), squares: [squareOf(known)],
        }))}
        isChosen={(index) => props.magics[index] === magic()}
        onChoose={(index) => {
          const known = props.magics[index];
          if (known) choose(known);
        }}
      />
      <Show
        when={magic()}
        fallback={<p class="hint">The {lastName()} is no longer there. Choose another piece above,
          or click one on the board.</p>}
      >
        {(shown) => <LookUp magic={shown()} name={nameOf(shown())} />}
      </Show>
    </>
  );
}

function LookUp(props: { magic: Magic; name: string }) {
  const { position } = useInspect();
  const magic = () => props.magic;
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
      <h4>Look-up of the {props.name}</h4>
      <Copyable label="JSON" value={JSON.stringify(magic())} />
      <Rows label="Bitboards of the look-up" cards={cards()} />
      <h4>Steps, with a1 as bit 0</h4>
      <Cells label="Steps of the look-up" layout="table steps" items={steps()} />
    </>
  );
}
