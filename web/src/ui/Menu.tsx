/** A button that opens a list of commands. */
import { createSignal, createUniqueId, Show } from "solid-js";
import type { Command } from "./CommandList";
import { late } from "./late";

export type { Command };

const CommandList = late(async () => (await import("./CommandList")).CommandList);

interface Props {
  label: string;
  /** The accessible name, where the label is a sign. */
  name?: string;
  commands: readonly Command[];
}

/** The distance to the edge of the window. */
const MARGIN_PX = 4;

/** Keeps an open list within the window. */
function place(list: HTMLElement, button: HTMLElement) {
  const { left, right } = button.getBoundingClientRect();
  if (left + right < innerWidth) Object.assign(list.style, { left: "0", right: "auto" });
  const frame = list.getBoundingClientRect();
  const over = Math.max(0, frame.right - innerWidth + MARGIN_PX);
  const under = Math.max(0, MARGIN_PX - frame.left);
  list.style.translate = `${under - over}px`;
}

export function Menu(props: Props) {
  const [isOpen, setOpen] = createSignal(false);
  const id = createUniqueId();
  let root!: HTMLDivElement;
  let button!: HTMLButtonElement;
  const close = (reason: "chosen" | "escape" | "left") => {
    setOpen(false);
    if (reason !== "left") button.focus();
  };
  const onKey = (event: KeyboardEvent) => {
    if (isOpen() || event.key !== "ArrowDown") return;
    event.preventDefault();
    setOpen(true);
  };
  return (
    <div class="menu" ref={root} onKeyDown={onKey}>
      <button
        type="button"
        ref={button}
        aria-label={props.name}
        title={props.name}
        aria-haspopup="menu"
        aria-expanded={isOpen()}
        aria-controls={isOpen() ? id : undefined}
        onClick={() => setOpen(!isOpen())}
      >{props.label}</button>
      <Show when={isOpen() && props.commands.length > 0}>
        <CommandList
          label={props.name ?? props.label}
          commands={props.commands}
          id={id}
          owner={root}
          onOpen={(list) => place(list, button)}
          onClose={close}
        />
      </Show>
    </div>
  );
}
