/** The choice of a piece for a pawn on the last rank, over the file of the pawn. */
import type { Color } from "chessops/types";
import { For, onCleanup, onMount } from "solid-js";

export type PromotionRole = "queen" | "knight" | "rook" | "bishop";

const ROLES: readonly PromotionRole[] = ["queen", "knight", "rook", "bishop"];

/** The keys that choose each piece. */
const LETTERS: Record<PromotionRole, string> = { queen: "q", knight: "n", rook: "r", bishop: "b" };

declare module "solid-js" {
  namespace JSX {
    interface IntrinsicElements {
      /** The element that the style sheet of chessground's pieces selects. */
      piece: HTMLAttributes<HTMLElement>;
    }
  }
}

interface Props {
  color: Color;
  /** The file of the pawn, 0 for the a-file. */
  file: number;
  orientation: Color;
  /** Called with `null` if the user plays another move instead. */
  onChoose(role: PromotionRole | null): void;
}

export function PromotionChooser(props: Props) {
  let choices!: HTMLDivElement;
  const before = document.activeElement;
  const buttons = () => [...choices.querySelectorAll("button")];
  onMount(() => buttons()[0]?.focus());
  // Who came by keyboard goes on where they were.
  onCleanup(() => before instanceof HTMLElement && before !== document.body && before.focus());

  const step = (places: number) => {
    const all = buttons();
    const at = all.indexOf(document.activeElement as HTMLButtonElement);
    all.at((at + places) % all.length)?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const role = ROLES.find((name) => LETTERS[name] === event.key.toLowerCase());
    // The list is drawn from the edge of the board inwards.
    const down = isAtBottom() ? -1 : 1;
    if (event.key === "Escape") props.onChoose(null);
    else if (event.key === "ArrowDown") step(down);
    else if (event.key === "ArrowUp") step(-down);
    else if (event.key === "Tab") step(event.shiftKey ? -1 : 1);
    else if (role) props.onChoose(role);
    else return;
    event.preventDefault();
  };
  const isAtBottom = () => props.color !== props.orientation;
  const column = () => (props.orientation === "white" ? props.file : 7 - props.file);
  return (
    <div
      class="promotion"
      classList={{ bottom: isAtBottom() }}
      role="dialog"
      aria-modal="true"
      aria-label="Promote to"
      onClick={() => props.onChoose(null)}
      onKeyDown={onKeyDown}
    >
      <div
        class="choices cg-wrap"
        ref={choices}
        style={{ left: `min(${column() * 12.5}%, 100% - var(--side))` }}
      >
        <For each={ROLES}>
          {(role) => (
            <button
              type="button"
              aria-label={role}
              onClick={(event) => {
                event.stopPropagation();
                props.onChoose(role);
              }}
            >
              <piece class={`${role} ${props.color}`} />
            </button>
          )}
        </For>
      </div>
    </div>
  );
}
