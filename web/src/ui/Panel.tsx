/** The panels beside the moves, of which one is open at a time. */
import { For, onMount, Show, Suspense, type JSX } from "solid-js";
import "./panel.css";

export interface Tool {
  readonly id: string;
  readonly label: string;
  /** The key that opens and closes it. */
  readonly key: string;
  view(): JSX.Element;
}

interface Props {
  tools: readonly Tool[];
  open: string | null;
  onOpen(id: string | null): void;
}

export function Tools(props: Props) {
  let buttons!: HTMLDivElement;
  const shown = () => props.tools.find(({ id }) => id === props.open);
  /** Scrolls to an opened panel. In one column, its buttons stay in view, too. */
  const Reveal = (panel: { of(): HTMLElement }) => {
    onMount(() => {
      if (matchMedia("(max-width: 900px)").matches) buttons.scrollIntoView();
      else panel.of().scrollIntoView({ block: "nearest" });
    });
    return null;
  };
  return (
    <>
      <div class="tool-buttons" role="toolbar" aria-label="Panels" ref={buttons}>
        <For each={props.tools}>
          {({ id, label, key }) => (
            <button
              type="button"
              aria-pressed={props.open === id}
              title={`${label} (${key})`}
              onClick={() => props.onOpen(props.open === id ? null : id)}
            >{label}</button>
          )}
        </For>
      </div>
      <Show when={shown()} keyed>
        {(tool) => {
          let panel!: HTMLElement;
          return (
            <section class={`panel tool ${tool.id}`} aria-label={tool.label} ref={panel}>
              <Suspense fallback={<p class="hint">Loading…</p>}>
                {tool.view()}
                <Reveal of={() => panel} />
              </Suspense>
            </section>
          );
        }}
      </Show>
    </>
  );
}
