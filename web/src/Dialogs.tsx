/** The dialogs of the page. Each is loaded when it is opened first. */
import type { Color } from "chessops/types";
import { lazy, Match, Suspense, Switch } from "solid-js";
import type { CheckPosition } from "./board/position-check";
import type { Client } from "./engine/client";
import type { TreeStore } from "./tree/store";
import { newTree } from "./tree/tree";
import type { SettingsStore } from "./ui/settings";

const SetupDialog = lazy(() => import("./board/SetupDialog"));
const SettingsDialog = lazy(() => import("./ui/SettingsDialog"));
const HelpDialog = lazy(() => import("./ui/HelpDialog"));

export type DialogName = "setup" | "settings" | "help";

interface Props {
  open: DialogName | null;
  tree: TreeStore;
  client: Client;
  settings: SettingsStore;
  orientation: Color;
  onClose(): void;
}

export function Dialogs(props: Props) {
  const check: CheckPosition = async (fen, signal) =>
    (await import("./engine/check-position")).createPositionCheck(props.client)(fen, signal);
  const setUp = (fen: string, isChess960: boolean) => {
    props.tree.load(newTree(fen, new Map(isChess960 ? [["Variant", "Chess960"]] : [])));
    props.onClose();
  };
  return (
    <Suspense>
      <Switch>
        <Match when={props.open === "setup"}>
          <SetupDialog
            fen={props.tree.current().fen}
            orientation={props.orientation}
            coordinates={props.settings.settings.coordinates === "on"}
            check={check}
            onAnalyse={setUp}
            onClose={props.onClose}
          />
        </Match>
        <Match when={props.open === "settings"}>
          <SettingsDialog
            settings={props.settings.settings}
            onSet={props.settings.set}
            onClose={props.onClose}
          />
        </Match>
        <Match when={props.open === "help"}><HelpDialog onClose={props.onClose} /></Match>
      </Switch>
    </Suspense>
  );
}
