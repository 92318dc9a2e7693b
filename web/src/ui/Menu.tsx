/** A button that opens a list of commands. */
import { createSignal, createUniqueId, For, onCleanup, Show } from "solid-js";
import "./menu.css";

export interface Command {
  readonly label: string;
  /** The key that does the same, for reading. */
  readonly key?: string;
  readonly isDisabled?: boolean;
  run(): void;
}

interface Props {
  label: string;
  /** The accessible name, where the label is a sign. */
  name?: string;
  commands: readonly Command[];
}

export function Menu(props: Props) {
  const [isOpen, setOpen] = createSignal(false);
  const id = createUniqueId();
  let root!: HTMLDivElement;
  let button!: HTMLButtonElement;
  const items = () => [...root.querySelectorAll<HTMLElement>("[role=menuitem]:not(:disabled)")];
  const close = () => {
    setOpen(false);
    button.focus();
  };
  const open = () => {
    setOpen(true);
    items()[0]?.focus();
  };
  const step = (places: number) => {
    const all = items();
    const at = all.indexOf(document.activeElement as HTMLElement);
    all.at((at + places) % all.length)?.focus();
  };
  const onKey = (event: KeyboardEvent) => {
    const actions: Record<string, () => void> = isOpen()
      ? {
          Escape: close, ArrowDown: () => step(1), ArrowUp: () => step(-1),
          Home: () => items()[0]?.focus(), End: () => items().at(-1)?.focus(),
        }
      : { ArrowDown: open };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  };
  const onOutside = (event: Event) => {
    if (!root.contains(event.target as Node)) setOpen(false);
  };
  document.addEventListener("pointerdown", onOutside);
  document.addEventListener("focusin", onOutside);
  onCleanup(() => {
    document.removeEventListener("pointerdown", onOutside);
    document.removeEventListener("focusin", onOutside);
  });
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
        onClick={() => (isOpen() ? setOpen(false) : open())}
      >{props.label}</button>
      <Show when={isOpen()}>
        <div class="menu-list" role="menu" id={id} aria-label={props.name ?? props.label}>
          <For each={props.commands}>
            {(command) => (
              <button
                type="button"
                role="menuitem"
                disabled={command.isDisabled}
                onClick={() => {
                  close();
                  command.run();
                }}
              >
                <span>{command.label}</span>
                <Show when={command.key}><kbd>{command.key}</kbd></Show>
              </button>
            )}
          </For>
        </div>
      </Show>
    </div>
  );
}
