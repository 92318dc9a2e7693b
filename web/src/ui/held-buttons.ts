/** Buttons with `data-repeats`: they act again and again while they are held down. */

const FIRST_MS = 300;
const NEXT_MS = 100;

const heldButton = (target: EventTarget | null) =>
  (target as Element | null)?.closest?.<HTMLButtonElement>("button[data-repeats]") ?? null;

/** Lets such buttons repeat, by pointer and by key. Returns a function that ends this. */
export function repeatHeldButtons(): () => void {
  let held: HTMLButtonElement | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let hasRepeated = false;

  const stop = () => {
    clearTimeout(timer);
    held = null;
  };
  const repeat = () => {
    if (!held || held.disabled || !held.isConnected) return stop();
    hasRepeated = true;
    held.click();
    timer = setTimeout(repeat, NEXT_MS);
  };
  const hold = (button: HTMLButtonElement) => {
    stop();
    hasRepeated = false;
    if (button.disabled) return;
    held = button;
    timer = setTimeout(repeat, FIRST_MS);
  };

  const onPointerDown = (event: PointerEvent) => {
    hasRepeated = false;
    const button = heldButton(event.target);
    if (!button || event.button !== 0 || !event.isPrimary) return stop();
    // A finger that leaves the button must be noticed.
    if (button.hasPointerCapture(event.pointerId)) button.releasePointerCapture(event.pointerId);
    hold(button);
  };
  const onPointerOut = ({ relatedTarget }: PointerEvent) => {
    if (held && !held.contains(relatedTarget as Node | null)) stop();
  };
  /** The click at the end of a hold would be one step more. */
  const onClick = (event: MouseEvent) => {
    if (!event.isTrusted || !hasRepeated || !heldButton(event.target)) return;
    hasRepeated = false;
    event.preventDefault();
    event.stopPropagation();
  };
  /** A finger that stays would open the menu of the browser. */
  const onContextMenu = (event: Event) => {
    if (heldButton(event.target)) event.preventDefault();
  };
  const onFocusOut = ({ target }: FocusEvent) => {
    if (target === held) stop();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const button = heldButton(event.target);
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (!button || !isPlain || (event.key !== " " && event.key !== "Enter")) return;
    // The browser's own clicks come at other times.
    event.preventDefault();
    if (event.repeat) return;
    button.click();
    hold(button);
  };
  const onKeyUp = (event: KeyboardEvent) => {
    if (event.key === " " && heldButton(event.target)) event.preventDefault();
    stop();
  };

  const listening = new AbortController();
  const { signal } = listening;
  document.addEventListener("pointerdown", onPointerDown, { signal });
  document.addEventListener("pointerout", onPointerOut, { signal });
  document.addEventListener("pointerup", stop, { signal });
  document.addEventListener("pointercancel", stop, { signal });
  document.addEventListener("focusout", onFocusOut, { signal });
  document.addEventListener("click", onClick, { capture: true, signal });
  document.addEventListener("contextmenu", onContextMenu, { signal });
  document.addEventListener("keydown", onKeyDown, { signal });
  document.addEventListener("keyup", onKeyUp, { signal });
  window.addEventListener("blur", stop, { signal });
  return () => {
    stop();
    listening.abort();
  };
}
