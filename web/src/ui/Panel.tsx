/** The panels beside the moves, of which one is open at a time. */
import { For, Show, Suspense, type JSX } from "solid-js";
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
  const shown = () => props.tools.find(({ id }) => id === props.open);
  return (
    <>
      <div class="tool-buttons" role="toolbar" aria-label="Panels">
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
        {(tool) => (
          <section class={`panel tool ${tool.id}`} aria-label={tool.label}>
            <Suspense fallback={<p class="hint">Loading…</p>}>{tool.view()}</Suspense>
          </section>
        )}
      </Show>
    </>
  );
}
