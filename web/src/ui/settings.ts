/** The settings of the page, kept in the browser. */
import { createEffect } from "solid-js";
import { createStore } from "solid-js/store";
import { PIECE_SETS, showPieces } from "./pieces";
import { keepMembers, membersOf, readStored } from "./storage";
import { toast } from "./toasts";

/** The values that each setting may have. The first one is the default. */
export const CHOICES = {
  theme: ["system", "light", "dark"],
  boardTheme: ["green", "brown", "blue", "grey"],
  pieces: PIECE_SETS,
  notation: ["letters", "figurines"],
  coordinates: ["on", "off"],
  animation: ["on", "off"],
  sounds: ["off", "on"],
  bestMoveArrow: ["on", "off"],
  lineArrows: ["off", "on"],
} as const;

export type SettingName = keyof typeof CHOICES;
export type Settings = { [Name in SettingName]: (typeof CHOICES)[Name][number] };

const STORED_AS = "settings";

/** Reads kept settings. What is missing, unknown or of another version has its default. */
function parseSettings(text: string | null): Settings {
  const members = membersOf(text);
  const entries = Object.entries(CHOICES).map(([name, choices]) => {
    const value = members[name];
    const isKnown = (choices as readonly unknown[]).includes(value);
    return [name, isKnown ? value : choices[0]];
  });
  return Object.fromEntries(entries) as Settings;
}

export const readSettings = (): Settings => parseSettings(readStored(STORED_AS));

export function createSettings() {
  const [settings, setSettings] = createStore<Settings>(readSettings());
  const set = <Name extends SettingName>(name: Name, value: Settings[Name]) => {
    setSettings({ [name]: value } as Partial<Settings>);
    keepMembers(STORED_AS, { [name]: value });
  };
  createEffect(() => {
    document.documentElement.dataset["theme"] = settings.theme;
    document.documentElement.dataset["board"] = settings.boardTheme;
  });
  createEffect(() => {
    showPieces(settings.pieces).catch(() => {
      toast("The pieces cannot be loaded without the server.", "error");
    });
  });
  return { settings, set };
}

export type SettingsStore = ReturnType<typeof createSettings>;
