/** The panels beside the moves, of which one is open at a time. */
import { ErrorBoundary, For, Show, type JSX } from "solid-js";
import { LoadError } from "./load-file";
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

/** The content of an opened panel is loaded within this time. */
const CONTENT_MS = 1_000;

export function Tools(props: Props) {
  let buttons!: HTMLDivElement;
  const shown = () => props.tools.find(({ id }) => id === props.open);
  /** Scrolls to an opened panel. In one column, its buttons stay in view, too. */
  const reveal = (panel: HTMLElement) => {
    const observer = new ResizeObserver(() => {
      if (matchMedia("(max-width: 900px)").matches) buttons.scrollIntoView();
      else panel.scrollIntoView({ block: "nearest" });
    });
    observer.observe(panel);
    setTimeout(() => observer.disconnect(), CONTENT_MS);
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
        {(tool) => (
          <section class={`panel tool ${tool.id}`} aria-label={tool.label} ref={reveal}>
            <ErrorBoundary fallback={(error, reset) =>
              <Failure label={tool.label} error={error} onRetry={reset} />}
            >{tool.view()}</ErrorBoundary>
          </section>
        )}
      </Show>
    </>
  );
}

/** What stands in a panel until its code is there. */
export const Loading = () => <p class="hint">Loading…</p>;

function Failure({ label, error, onRetry }: { label: string; error: unknown; onRetry(): void }) {
  const isLoad = error instanceof LoadError;
  const needsReload = isLoad && error.needsReload;
  if (!isLoad) console.error(error);
  return (
    <div class="failure" role="alert">
      <p>“{label}” {isLoad ? `could not be loaded. ${error.message}` : "has failed."}</p>
      <button type="button" onClick={() => (needsReload ? location.reload() : onRetry())}>
        {needsReload ? "Reload the page" : "Try again"}
      </button>
    </div>
  );
}
