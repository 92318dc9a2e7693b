/** The dialogs of the page. The code of each one is loaded when it is opened first. */
import type { Color } from "chessops/types";
import type { JSX } from "solid-js";
import { createPositionCheck } from "./engine/check-position";
import type { Client } from "./engine/client";
import type { TreeStore } from "./tree/store";
import { newTree } from "./tree/tree";
import type { SettingsStore } from "./ui/settings";

/** What the dialogs show and change. */
interface Page {
  onClose(): void;
  readonly tree: TreeStore;
  readonly client: Client;
  readonly settings: SettingsStore;
  orientation(): Color;
}

type View = () => JSX.Element;

async function settingsDialog({ settings, onClose }: Page): Promise<View> {
  const { default: SettingsDialog } = await import("./ui/SettingsDialog");
  return () =>
    <SettingsDialog settings={settings.settings} onSet={settings.set} onClose={onClose} />;
}

async function setupDialog(page: Page): Promise<View> {
  const { default: SetupDialog } = await import("./board/SetupDialog");
  const setUp = (fen: string, isChess960: boolean) => {
    page.tree.load(newTree(fen, new Map(isChess960 ? [["Variant", "Chess960"]] : [])));
    page.onClose();
  };
  return () => (
    <SetupDialog
      fen={page.tree.current().fen}
      orientation={page.orientation()}
      coordinates={page.settings.settings.coordinates === "on"}
      check={createPositionCheck(page.client)}
      onAnalyse={setUp}
      onClose={page.onClose}
    />
  );
}

async function helpDialog({ onClose }: Page): Promise<View> {
  const { default: HelpDialog } = await import("./ui/HelpDialog");
  return () => <HelpDialog onClose={onClose} />;
}

/** The dialogs by their names. */
export const DIALOGS = { settings: settingsDialog, setup: setupDialog, help: helpDialog };

export type DialogName = keyof typeof DIALOGS;
