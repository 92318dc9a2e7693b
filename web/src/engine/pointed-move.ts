/**
 * The move of a line that the user points at: with the mouse, with the focus, or with a finger that
 * rests on it. Arrow keys move the focus within a line.
 */
import { createEffect, createSignal, onCleanup } from "solid-js";

export interface PlacedMove {
  /** The number of the line, and of the move in it, from 0. */
  readonly row: number;
  readonly index: number;
}

interface PointedMove extends PlacedMove {
  /** The place on the screen: the left edge of the move, and the list of lines around it. */
  readonly place: { readonly left: number; readonly top: number; readonly bottom: number };
}

const LONG_PRESS_MS = 400;

const buttonOf = (target: EventTarget | null) =>
  target instanceof Element ? target.closest<HTMLElement>("[data-row][data-index]") : null;

const placeOf = ({ dataset }: HTMLElement): PlacedMove =>
  ({ row: Number(dataset["row"]), index: Number(dataset["index"]) });

export function createPointedMove(list: () => HTMLElement | undefined) {
  const [move, setMove] = createSignal<PointedMove | null>(null);
  const [focused, setFocused] = createSignal<PlacedMove | null>(null);
  let pressTimer: ReturnType<typeof setTimeout> | undefined;
  let wasLongPress = false;

  const point = (button: HTMLElement | null) => {
    const around = list()?.getBoundingClientRect();
    if (!button || !around) {
      setMove(null);
      return;
    }
    const { left } = button.getBoundingClientRect();
    const { top, bottom } = around;
    setMove({ ...placeOf(button), place: { left, top, bottom } });
  };
  const release = () => {
    clearTimeout(pressTimer);
    if (wasLongPress) setMove(null);
  };

  const handlers: { [Type in keyof HTMLElementEventMap]?: (
    event: HTMLElementEventMap[Type]) => void } = {
    pointerover: (event) => event.pointerType === "mouse" && point(buttonOf(event.target)),
    pointerleave: (event) => event.pointerType === "mouse" && setMove(null),
    pointerdown: (event) => {
      wasLongPress = false;
      const button = buttonOf(event.target);
      if (event.pointerType === "mouse" || !button) return;
      pressTimer = setTimeout(() => {
        wasLongPress = true;
        point(button);
      }, LONG_PRESS_MS);
    },
    pointerup: release,
    pointercancel: release,
    contextmenu: (event) => wasLongPress && event.preventDefault(),
    focusin: (event) => {
      const button = buttonOf(event.target);
      if (button) setFocused(placeOf(button));
      if (button?.matches(":focus-visible")) point(button);
    },
    focusout: (event) => {
      setMove(null);
      // A move outside the visible part was scrolled into view.
      const row = buttonOf(event.target)?.parentElement;
      if (row && !row.contains(event.relatedTarget as Node | null)) row.scrollLeft = 0;
    },
    keydown: (event) => {
      const button = buttonOf(event.target);
      if (!button) return;
      const moves = [...button.parentElement!.querySelectorAll<HTMLElement>(".pv-move")];
      const at = moves.indexOf(button);
      const targets: Record<string, HTMLElement | undefined> = {
        ArrowRight: moves[at + 1], ArrowLeft: moves[at - 1], Home: moves[0], End: moves.at(-1),
      };
      if (event.key === "Escape") setMove(null);
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        wasLongPress = false;
        button.click();
      }
      if (!(event.key in targets)) return;
      // The key does not step through the game here.
      event.preventDefault();
      targets[event.key]?.focus();
    },
  };
  createEffect(() => {
    const element = list();
    if (!element) return;
    for (const [type, handler] of Object.entries(handlers)) {
      element.addEventListener(type, handler as EventListener);
    }
  });
  onCleanup(() => clearTimeout(pressTimer));

  return {
    move,
    moveOf: (target: EventTarget | null): PlacedMove | null => {
      const button = buttonOf(target);
      return button && placeOf(button);
    },
    /** Whether the click that follows ends a long press, which only shows the position. */
    wasLongPress: () => wasLongPress,
    /** The move of a line that the Tab key reaches: the one that had the focus last. */
    focusIndex: (row: number) => (focused()?.row === row ? focused()!.index : 0),
  };
}
