/** The shown position in the server's tablebases: its outcome, and that of each move. */
import { createMemo, type Accessor } from "solid-js";
import type { Client } from "../engine/client";
import { Refusal } from "../engine/errors";
import { createLatest } from "../engine/latest";
import type { Limits } from "../engine/protocol";
import type { Engine } from "../engine/store";
import type { TreeStore } from "../tree/store";
import { sentence } from "../ui/sentence";
import type { TablebaseAnswer } from "./protocol";

/** An answer, or why the tables have none, as a sentence; empty if that need not be said. */
type Found =
  | { readonly answer: TablebaseAnswer; readonly unavailable?: never }
  | { readonly unavailable: string; readonly answer?: never };

/** The codes of the server's refusals that are no failures. */
const UNAVAILABLE: readonly string[] = ["no_tablebase", "tablebase_unavailable"];

/** Whether a position may be in tables of so many men. They know no castling rights. */
export function mayBeInTables(fen: string, tables: Limits["tablebase"]): boolean {
  const [board = "", , castling = "-"] = fen.split(" ");
  return castling === "-" && board.replace(/[^a-z]/gi, "").length <= (tables?.men ?? 0);
}

async function lookUp(client: Client, fen: string, signal: AbortSignal): Promise<Found> {
  try {
    return {
      answer: await client.request("/v1/tablebase", {
        json: { fen }, signal, priority: "background",
      }),
    };
  } catch (error) {
    if (!(error instanceof Refusal) || !UNAVAILABLE.includes(error.problem.code)) throw error;
    const { reason, detail = "" } = error.problem;
    return { unavailable: reason === "missing_table" ? sentence(detail) : "" };
  }
}

interface Sources {
  readonly tree: TreeStore;
  readonly engine: Engine;
  readonly client: Client;
  /** Nothing is requested before the panel is open. */
  readonly isOpen: Accessor<boolean>;
}

export function createTablebase({ tree, engine, client, isOpen }: Sources) {
  const isWanted = createMemo(() =>
    isOpen() && mayBeInTables(tree.current().fen, engine.state.limits?.tablebase));
  const latest = createLatest<Found>(() => {
    const { fen } = tree.current();
    return isWanted() ? { key: fen, load: (signal) => lookUp(client, fen, signal) } : null;
  }, { engine, client });
  const present = () => (latest.isOld() ? null : latest.answer());
  const problem = () => (latest.isOld() ? latest.problem() : null);
  return {
    /** Whether there is something to say about the position. */
    isShown: () => isWanted() && latest.answer()?.unavailable !== "",
    /** The last answer. It is of an earlier position until the next one comes. */
    answer: () => (problem() ? null : latest.answer()?.answer ?? null),
    isLoading: () => isWanted() && latest.isOld() && problem() === null,
    /** Why there is no answer, as a sentence. */
    unavailable: () => present()?.unavailable ?? null,
    problem,
    /** Whether nothing has come yet, so that what is below should wait. */
    isFirst: () => isWanted() && latest.answer() === null && problem() === null,
    refresh: latest.refresh,
  };
}

export type Tablebase = ReturnType<typeof createTablebase>;
