/** The choice of a piece for a pawn on the last rank, over the file of the pawn. */
import type { Color } from "chessops/types";
import { For, onMount } from "solid-js";

export type PromotionRole = "queen" | "knight" | "rook" | "bishop";

const ROLES: readonly PromotionRole[] = ["queen", "knight", "rook", "bishop"];

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
  let first: HTMLButtonElement | undefined;
  onMount(() => first?.focus());
  const column = () => (props.orientation === "white" ? props.file : 7 - props.file);
  return (
    <div
      class="promotion"
      classList={{ bottom: props.color !== props.orientation }}
      role="dialog"
      aria-label="Promote to"
      onClick={() => props.onChoose(null)}
      onKeyDown={(event) => event.key === "Escape" && props.onChoose(null)}
    >
      <div class="choices cg-wrap" style={{ left: `${column() * 12.5}%` }}>
        <For each={ROLES}>
          {(role, index) => (
            <button
              type="button"
              ref={(button) => { if (index() === 0) first = button; }}
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
