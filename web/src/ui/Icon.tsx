/** The icons of buttons, drawn as paths: fonts of many systems lack such characters. */
const PATHS = {
  start: "M6 5v14M19 5l-9 7 9 7z",
  back: "M16 5l-9 7 9 7z",
  forward: "M8 5l9 7-9 7z",
  end: "M18 5v14M5 5l9 7-9 7z",
  undo: "M9 6L4 11l5 5M4 11h10a5 5 0 0 1 0 10h-2",
  redo: "M15 6l5 5-5 5M20 11H10a5 5 0 0 0 0 10h2",
  flip: "M8 4v15M4 8l4-4 4 4M16 20V5M12 16l4 4 4-4",
  setup: "M4 20h4L19 9l-4-4L4 16zM13 7l4 4",
  settings: "M4 7h9M19 7h1M4 17h1M11 17h9M16 4.5v5M8 14.5v5",
  help: "M12 3a9 9 0 1 0 0 18a9 9 0 0 0 0-18M9.5 9.5a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.1.9-1.1 1.8" +
    "M12 17v.01",
  hand: "M9 11V5.5a1.5 1.5 0 0 1 3 0V10V4.5a1.5 1.5 0 0 1 3 0V10V6.5a1.5 1.5 0 0 1 3 0V15" +
    "a6 6 0 0 1-6 6c-3 0-4.5-1.5-6-4.5L4.5 13a1.5 1.5 0 0 1 2.600-1.5L9 14z",
  erase: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13M10.5 11v5M13.5 11v5",
  refresh: "M19.5 12a7.5 7.5 0 1 1-2.2-5.3M18 2.5v5h-5",
  close: "M6 6l12 12M18 6L6 18",
} as const;

export type IconName = keyof typeof PATHS;

const FILLED: ReadonlySet<IconName> = new Set(["start", "back", "forward", "end"]);

export function Icon(props: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path
        d={PATHS[props.name]}
        fill={FILLED.has(props.name) ? "currentColor" : "none"}
        stroke="currentColor"
        stroke-width="2"
        stroke-linejoin="round"
        stroke-linecap="round"
      />
    </svg>
  );
}
