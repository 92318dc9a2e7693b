/** An open list of commands, with the keys of a menu. */
import { For, onCleanup, onMount, Show, type JSX } from "solid-js";
import "./menu.css";

export interface Command {
  readonly label: string;
  /** The key that does the same, for reading. */
  readonly key?: string;
  readonly isDisabled?: boolean;
  /** Whether a line above it begins a group of commands. */
  readonly isFirst?: boolean;
  run(): void;
}

interface Props {
  label: string;
  commands: readonly Command[];
  id?: string;
  style?: JSX.CSSProperties;
  /** Further items below the commands, with the role `menuitem…`. */
  children?: JSX.Element;
  /** Called with the list once it is in the page. */
  onOpen?: (list: HTMLDivElement) => void;
  /** The element with the button of the list, if a press of the button is not one elsewhere. */
  owner?: HTMLElement;
  /** Called by Escape, after a choice, and when the focus or a click goes elsewhere. */
  onClose(reason: "chosen" | "escape" | "left"): void;
}

export function CommandList(props: Props) {
  let list!: HTMLDivElement;
  const items = () => [...list.querySelectorAll<HTMLElement>("[role^=menuitem]:not(:disabled)")];
  const step = (places: number) => {
    const all = items();
    const at = all.indexOf(document.activeElement as HTMLElement);
    all.at((at + places) % all.length)?.focus();
  };
  const actions: Record<string, () => void> = {
    Escape: () => props.onClose("escape"),
    ArrowDown: () => step(1),
    ArrowRight: () => step(1),
    ArrowUp: () => step(-1),
    ArrowLeft: () => step(-1),
    Home: () => items()[0]?.focus(),
    End: () => items().at(-1)?.focus(),
  };
  const onKey = (event: KeyboardEvent) => {
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  };
  const onOutside = (event: Event) => {
    if (!(props.owner ?? list).contains(event.target as Node)) props.onClose("left");
  };
  onMount(() => {
    items()[0]?.focus({ preventScroll: true });
    props.onOpen?.(list);
    document.addEventListener("pointerdown", onOutside);
    document.addEventListener("focusin", onOutside);
  });
  onCleanup(() => {
    document.removeEventListener("pointerdown", onOutside);
    document.removeEventListener("focusin", onOutside);
  });
  return (
    <div
      class="menu-list"
      role="menu"
      id={props.id}
      style={props.style}
      aria-label={props.label}
      ref={list}
      on:keydown={onKey}
    >
      <For each={props.commands}>
        {(command) => (
          <button
            type="button"
            role="menuitem"
            classList={{ first: command.isFirst }}
            disabled={command.isDisabled}
            onClick={() => {
              props.onClose("chosen");
              command.run();
            }}
          >
            <span>{command.label}</span>
            <Show when={command.key}><kbd>{command.key}</kbd></Show>
          </button>
        )}
      </For>
      {props.children}
    </div>
  );
}
