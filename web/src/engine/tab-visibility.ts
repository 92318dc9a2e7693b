/** The visibility of the tab. */

/** A tab that is hidden for longer counts as left. */
const LEFT_AFTER_MS = 60_000;

interface Handlers {
  onShown(): void;
  onLeft(): void;
}

/** Calls the handlers until the returned function is called. */
export function watchTab({ onShown, onLeft }: Handlers): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onChange = () => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(onLeft, LEFT_AFTER_MS);
    else onShown();
  };
  document.addEventListener("visibilitychange", onChange);
  return () => {
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", onChange);
  };
}
