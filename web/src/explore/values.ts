/** The values of the pieces by `/v1/evaluate`, drawn on the board. */
import type { DrawShape } from "@lichess-org/chessground/draw";
import type { Key } from "@lichess-org/chessground/types";
import { createEffect, createSignal } from "solid-js";
import type { Overlays } from "../board/overlays";
import type { Client } from "../engine/client";
import { createLatest } from "../engine/latest";
import type { Query } from "../engine/requests";
import type { Engine } from "../engine/store";
import type { TreeStore } from "../tree/store";
import { toast } from "../ui/toasts";
import { useShortcuts } from "../ui/shortcuts";
import type { PieceValue, StaticEvaluation } from "./protocol";

/** A value as its label on the board: `+4.8`, `−0.9`. A tenth of a pawn is enough there. */
export function labelText(value: number): string {
  const tenths = Math.round(value / 10);
  const sign = tenths > 0 ? "+" : tenths < 0 ? "−" : "";
  return sign + (Math.abs(tenths) / 10).toFixed(1);
}

/** The width of a character of a label, in hundredths of a square. */
const CHARACTER_WIDTH = 14;

/** The label of a piece at the lower edge of its square, in the colour of its side. */
export function labelShape({ square, color, value }: PieceValue): DrawShape {
  const text = labelText(value);
  const width = text.length * CHARACTER_WIDTH + 14;
  const html = `<g class="piece-value ${color}">` +
    `<rect x="${50 - width / 2}" y="69" width="${width}" height="30" rx="7"/>` +
    `<text x="50" y="92.5">${text}</text></g>`;
  return { orig: square as Key, customSvg: { html } };
}

interface Sources {
  readonly tree: TreeStore;
  readonly engine: Engine;
  readonly client: Client;
  readonly overlays: Overlays;
}

export function createValues({ tree, engine, client, overlays }: Sources) {
  const [isShown, setShown] = createSignal(false);
  const latest = createLatest((): Query<StaticEvaluation> | null => {
    // The moves before a position do not change its static evaluation.
    const { fen } = tree.current();
    const load = (signal: AbortSignal) => client.request<StaticEvaluation>("/v1/evaluate", {
      json: { fen }, signal, priority: "background",
    });
    return isShown() ? { key: fen, load } : null;
  }, { engine, client });
  const evaluation = () => (latest.isOld() ? undefined : latest.answer() ?? undefined);
  createEffect(() => {
    const pieces = isShown() ? evaluation()?.pieces : undefined;
    overlays.set("values", pieces ? { shapes: pieces.map(labelShape), squares: new Map() } : null);
  });
  const toggle = () => setShown((before) => !before);
  useShortcuts([{
    keys: ["v"], label: "Show or hide what each piece is worth", group: "Board", run: toggle,
  }]);
  // The panel, which shows the problem, may be closed.
  createEffect((before: string | null) => {
    const problem = isShown() ? latest.problem() : null;
    if (problem && !before) toast(problem, "error");
    return problem;
  }, null);
  return {
    isShown,
    toggle,
    evaluation,
    problem: latest.problem,
  };
}

export type Values = ReturnType<typeof createValues>;
