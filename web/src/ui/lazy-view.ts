/** Views that are loaded when they are shown first. */
import { createMemo, createSignal, untrack, type Component, type JSX } from "solid-js";
import type { Load } from "./part";

/** A view with its properties, or nothing until it is there. */
export const shown = (View: Component<any> | undefined, props: object): JSX.Element =>
  View && untrack(() => View(props));

/**
 * A view that is loaded when it is shown first. A failure goes to the `ErrorBoundary` around it,
 * whose `reset` loads again.
 */
export function lazyView<Props extends object>(
  load: Load<Component<Props>>, loading?: () => JSX.Element,
): Component<Props> {
  const [view, setView] = createSignal<Component<Props>>();
  return (props) => {
    const [error, setError] = createSignal<Error>();
    if (!untrack(view)) load().then((loaded) => setView(() => loaded), setError);
    return createMemo(() => {
      const failure = error();
      if (failure) throw failure;
      return view() ? shown(view(), props) : loading?.();
    }) as unknown as JSX.Element;
  };
}
