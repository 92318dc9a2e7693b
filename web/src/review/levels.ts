/** The depths of a review: a choice of the user, as limits of the server. */
import type { Limits } from "../engine/protocol";

export const LEVELS = {
  quick: { label: "Quick", nodes: 50_000, hint: "A few seconds: 50 thousand positions a move." },
  standard: {
    label: "Standard", nodes: null,
    hint: "Less than a minute for most games: the server's usual depth.",
  },
  deep: { label: "Deep", nodes: 2_000_000, hint: "A few minutes: 2 million positions a move." },
} as const;

export type Level = keyof typeof LEVELS;

export const isLevel = (text: unknown): text is Level =>
  typeof text === "string" && Object.hasOwn(LEVELS, text);

/** The request's limits of a level for a game of this many moves, below the server's caps. */
export function limitsOf(
  level: Level, { nodes, jobs }: Pick<Limits, "nodes" | "jobs">, plies: number,
): { nodes?: number } {
  const wanted = LEVELS[level].nodes;
  if (wanted === null) return {};
  const positions = plies + 1;
  const most = Math.floor(jobs.max_nodes / positions);
  return { nodes: Math.max(1, Math.min(wanted, nodes.max, most)) };
}
