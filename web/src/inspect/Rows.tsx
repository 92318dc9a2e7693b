/** Bitboards as small boards or table rows. The chosen one is drawn on the board, bit by bit. */
import { createEffect, createMemo, onCleanup, Show } from "solid-js";
import { bitOf, inOrder, squaresOf, type BitOrder } from "./bits";
import { Cells } from "./Cells";
import { Copyable } from "./Copyable";
import { useInspect } from "./context";
import type { Item, Row } from "./selection";
import { SQUARES, squareName, squareNames } from "./squares";

/** Draws the chosen one of these bitboards, also after a move. */
function useRows(rows: () => readonly Row[]) {
  const { selection } = useInspect();
  const chosen = createMemo(() => rows().find(({ id }) => id === selection.rowId()));
  createEffect(() => {
    const row = chosen();
    selection.drawSquares(row ? squaresOf(row.hex) : []);
  });
  onCleanup(() => {
    selection.chooseRow(null);
    selection.drawSquares([]);
  });
  return chosen;
}

/** The 64 bits of a bitboard, bit 63 first, as the number is written. */
function bitItems(hex: string, order: BitOrder): Item[] {
  const set = new Set(squaresOf(hex));
  return SQUARES.map((_, index) => {
    const bit = 63 - index;
    const square = bitOf(bit, order);
    const value = set.has(square) ? "1" : "0";
    return {
      text: value, label: `bit ${bit}, ${squareName(square)}: ${value}`, squares: [square],
      kind: value === "1" ? "one" : "zero",
    };
  });
}

function asItem({ name, hex }: Row, order: BitOrder, isCard: boolean): Item {
  const squares = squaresOf(hex);
  const value = inOrder(hex, order);
  return {
    text: [name, value], squares, ...(isCard ? { hex } : {}),
    label: `${name}: ${value}, ${squares.length ? squareNames(squares) : "empty"}`,
  };
}

interface Props {
  label: string;
  cards: readonly Row[];
  /** Further bitboards, as rows of a table with this name. */
  table?: { label: string; rows: readonly Row[] };
}

export function Rows(props: Props) {
  const { selection, order } = useInspect();
  const all = () => [...props.cards, ...(props.table?.rows ?? [])];
  const chosen = useRows(all);
  const list = (label: string, rows: readonly Row[], isCard: boolean) => (
    <Cells
      label={label}
      layout={isCard ? "cards" : "table rays"}
      choosesSquares={false}
      items={rows.map((row) => asItem(row, order(), isCard))}
      isChosen={(index) => rows[index]?.id === selection.rowId()}
      onChoose={(index) => {
        const id = rows[index]?.id ?? null;
        selection.chooseRow(id === selection.rowId() ? null : id);
      }}
    />
  );
  return (
    <>
      <p class="hint">Choose one to draw it on the board, bit by bit.</p>
      {list(props.label, props.cards, true)}
      <Show when={props.table}>
        {(table) => (
          <>
            <h4>{table().label}</h4>
            {list(table().label, table().rows, false)}
          </>
        )}
      </Show>
      <Show when={chosen()}>
        {(row) => (
          <div class="chosen-row">
            <Copyable label={row().name} value={inOrder(row().hex, order())} />
            <Cells
              label={`Bits of ${row().name}, bit 63 first`}
              layout="strip"
              items={bitItems(row().hex, order())}
            />
          </div>
        )}
      </Show>
    </>
  );
}
