/** The fields of a position besides its pieces, each with what the check says about it. */
import type { CastlingSide, Color } from "chessops/types";
import { createSignal, For, Show } from "solid-js";
import type { FenField, Verdict } from "./position-check";
import {
  enPassantSquares, isChess960, rightsOf, withRights, type Right, type Setup,
} from "./setup";
import { COLOR_NAMES } from "./squares";

const SIDE_NAMES: Record<CastlingSide, string> = { h: "O-O", a: "O-O-O" };
const FILES = ["a", "b", "c", "d", "e", "f", "g", "h"] as const;

/** The errors and warnings of a field. */
export function Notes(props: { verdict: Verdict | null; field: FenField }) {
  const of = (notes: Verdict["errors"] | undefined) =>
    (notes ?? []).filter(({ field }) => field === props.field).map(({ text }) => text).join(" ");
  return (
    <p class="notes" id={`notes-${props.field}`}>
      <span class="error">{of(props.verdict?.errors)}</span>{" "}
      <span>{of(props.verdict?.warnings)}</span>
    </p>
  );
}

export const isWrong = (verdict: Verdict | null, name: FenField) =>
  verdict?.errors.some(({ field }) => field === name) ?? false;

interface Props {
  setup: Setup;
  verdict: Verdict | null;
  onChange(setup: Setup): void;
}

export function SetupFields(props: Props) {
  const set = (changed: Partial<Setup>) => props.onChange({ ...props.setup, ...changed });
  const passed = () => {
    const squares = ["-", ...enPassantSquares(props.setup)];
    const { enPassant } = props.setup;
    return squares.includes(enPassant) ? squares : [...squares, enPassant];
  };
  return (
    <div class="setup-fields">
      <fieldset aria-describedby="notes-side">
        <legend>Side to move</legend>
        <For each={["w", "b"] as const}>
          {(side) => (
            <label>
              <input
                type="radio"
                name="setup-side"
                checked={props.setup.side === side}
                onChange={() => set({ side, enPassant: "-" })}
              />
              {side === "w" ? "White" : "Black"}
            </label>
          )}
        </For>
        <Notes verdict={props.verdict} field="side" />
      </fieldset>
      <CastlingFields {...props} />
      <div class="numbers">
        <label>
          En passant
          <select
            value={props.setup.enPassant}
            aria-invalid={isWrong(props.verdict, "en_passant")}
            aria-describedby="notes-en_passant"
            onChange={(event) => set({ enPassant: event.currentTarget.value })}
          >
            <For each={passed()}>
              {(square) => (
                <option value={square} selected={square === props.setup.enPassant}>
                  {square === "-" ? "none" : square}
                </option>
              )}
            </For>
          </select>
        </label>
        <NumberField label="Half-move clock" field="halfmove_clock" value={props.setup.halfmoves}
          verdict={props.verdict} onInput={(halfmoves) => set({ halfmoves })} />
        <NumberField label="Move number" field="fullmove_number" value={props.setup.fullmoves}
          verdict={props.verdict} onInput={(fullmoves) => set({ fullmoves })} />
      </div>
      <Notes verdict={props.verdict} field="en_passant" />
      <Notes verdict={props.verdict} field="halfmove_clock" />
      <Notes verdict={props.verdict} field="fullmove_number" />
    </div>
  );
}

interface NumberProps {
  label: string;
  field: FenField;
  value: string;
  verdict: Verdict | null;
  onInput(value: string): void;
}

function NumberField(props: NumberProps) {
  return (
    <label>
      {props.label}
      <input
        inputmode="numeric"
        size="4"
        value={props.value}
        aria-invalid={isWrong(props.verdict, props.field)}
        aria-describedby={`notes-${props.field}`}
        onInput={(event) => props.onInput(event.currentTarget.value)}
      />
    </label>
  );
}

function CastlingFields(props: Props) {
  const [isOpen, setOpen] = createSignal(isChess960(props.setup));
  const withFiles = () => isOpen() || isChess960(props.setup);
  const right = (color: Color, side: CastlingSide) => rightsOf(props.setup)[color][side];
  const set = (color: Color, side: CastlingSide, value: Right) => {
    const rights = rightsOf(props.setup);
    const changed = { ...rights, [color]: { ...rights[color], [side]: value } };
    props.onChange(withRights(props.setup, changed));
  };
  return (
    <fieldset class="castling" aria-describedby="notes-castling">
      <legend>Castling</legend>
      <For each={["white", "black"] as const}>
        {(color) => (
          <div>
            <span>{COLOR_NAMES[color]}</span>
            <For each={["h", "a"] as const}>
              {(side) => (
                <span class="right">
                  <label>
                    <input
                      type="checkbox"
                      aria-label={`${COLOR_NAMES[color]} ${SIDE_NAMES[side]}`}
                      checked={right(color, side) !== null}
                      onChange={(event) =>
                        set(color, side, event.currentTarget.checked ? "outer" : null)}
                    />
                    {SIDE_NAMES[side]}
                  </label>
                  <Show when={withFiles()}>
                    <select
                      aria-label={`Rook of ${COLOR_NAMES[color]} ${SIDE_NAMES[side]}`}
                      disabled={right(color, side) === null}
                      onChange={(event) =>
                        set(color, side, event.currentTarget.value as Right)}
                    >
                      <option value="outer" selected={right(color, side) === "outer"}>outer
                      </option>
                      <For each={FILES}>
                        {(file) => (
                          <option value={file} selected={right(color, side) === file}>{file}-file
                          </option>
                        )}
                      </For>
                    </select>
                  </Show>
                </span>
              )}
            </For>
          </div>
        )}
      </For>
      <label>
        <input
          type="checkbox"
          checked={withFiles()}
          disabled={isChess960(props.setup)}
          onChange={(event) => setOpen(event.currentTarget.checked)}
        />
        Choose the rooks (Chess960)
      </label>
      <Notes verdict={props.verdict} field="castling" />
    </fieldset>
  );
}
