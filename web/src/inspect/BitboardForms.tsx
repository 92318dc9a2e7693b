/** The forms made of bitboards: twelve and three, seven, and checks and pins. */
import { Cells } from "./Cells";
import { useInspect } from "./context";
import { rightSquares } from "./bit-fields";
import { Outcome } from "./Notes";
import { Rows } from "./Rows";
import type { Item, Row } from "./selection";
import type { Bitboards, CastleFlag, Hex } from "./server";

const KINDS = ["pawns", "knights", "bishops", "rooks", "queens", "kings"] as const;
const COLORS = ["white", "black"] as const;

const FLAGS: readonly [CastleFlag, string][] = [
  ["white_king_side_castle", "K"], ["white_queen_side_castle", "Q"],
  ["black_king_side_castle", "k"], ["black_queen_side_castle", "q"],
];

function bitboardRows(boards: Bitboards): Row[] {
  const pieces = COLORS.flatMap((color) => KINDS.map((kind) => `${color}_${kind}` as const));
  const all = [...pieces, "all_white", "all_black", "all_pieces", "en_passant_position"] as const;
  return all.map((id) => ({ id, name: id.replaceAll("_", " "), hex: boards[id] }));
}

export function BitboardsForm() {
  const { position } = useInspect();
  const flags = (): Item[] => {
    const { bitboards } = position().views;
    const squares = rightSquares(position());
    const rows: [string, string | boolean, string | null][] = [
      ["side", bitboards.side, null], ["opponent_side", bitboards.opponent_side, null],
      ...FLAGS.map(([name, letter]): [string, boolean, string] => [name, bitboards[name], letter]),
    ];
    return rows.map(([name, value, letter]) => ({
      text: [name, String(value)], label: `${name}: ${value}`,
      squares: (letter && squares.get(letter)) || [],
    }));
  };
  return (
    <>
      <Rows label="Bitboards" cards={bitboardRows(position().views.bitboards)} />
      <h4>State beside the bitboards</h4>
      <Cells label="State" layout="table pairs" items={flags()} />
    </>
  );
}

export function SevenBoardsForm() {
  const { position } = useInspect();
  const rows = () =>
    (["pawn", "knight", "bishop", "rook", "queen", "king", "white"] as const).map((id) => ({
      id, name: id, hex: position().views.boards[id],
    }));
  return <Rows label="Seven bitboards" cards={rows()} />;
}

const DIRECTIONS = [
  "north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west",
];
const ALL_RAYS = 8;

export function ChecksForm() {
  const { position } = useInspect();
  const checks = () => position().views.checks;
  const pin = (color: "white" | "black", entry: number, name: string): Row => ({
    id: `${color}-pin-${entry}`, name, hex: checks().pins[color][entry] ?? EMPTY,
  });
  const cards = (): Row[] => [
    { id: "checkers", name: "checkers", hex: checks().checkers },
    { id: "check_mask", name: "check mask", hex: checks().check_mask },
    pin("white", ALL_RAYS, "pins of White"), pin("black", ALL_RAYS, "pins of Black"),
  ];
  const rays = () => COLORS.flatMap((color) =>
    DIRECTIONS.map((name, entry) => pin(color, entry, `${color} ${name}`)));
  const set = () => rays().filter(({ hex }) => hex !== EMPTY).length;
  return (
    <>
      <Outcome />
      <Rows
        label="Checks and pins" cards={cards()}
        table={{ label: `Pin rays from the kings, not empty: ${set()} of 16`, rows: rays() }}
      />
    </>
  );
}

const EMPTY: Hex = "0000000000000000";
