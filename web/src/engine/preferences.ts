/** The user's choices about the analysis, kept in the browser. */
import { keepMembers, membersOf, readStored } from "../ui/storage";
import type { Limits, SearchLimit } from "./protocol";

export type LimitName = `depth ${number}` | `time ${number}` | "infinite";

interface Choice {
  readonly name: LimitName;
  readonly label: string;
}

/** The limits to choose from. A time is in seconds. */
const CHOICES: readonly Choice[] = [
  { name: "infinite", label: "No limit" },
  ...[12, 16, 20, 24, 28, 32].map((depth): Choice => (
    { name: `depth ${depth}`, label: `Depth ${depth}` }
  )),
  ...[1, 3, 5, 10, 30].map((seconds): Choice => (
    { name: `time ${seconds}`, label: `${seconds} s` }
  )),
];

export function searchLimit(name: LimitName): SearchLimit {
  const [kind, value] = name.split(" ");
  if (kind === "depth") return { depth: Number(value) };
  if (kind === "time") return { movetime_ms: Number(value) * 1_000 };
  return { infinite: true };
}

/** The limits that the server does not cut. */
export function limitChoices(limits: Limits | null): readonly Choice[] {
  return CHOICES.filter(({ name }) => {
    const limit = searchLimit(name);
    if (!limits || "infinite" in limit) return true;
    return "depth" in limit
      ? limit.depth <= limits.depth.max
      : limit.movetime_ms <= limits.movetime_ms.max;
  });
}

interface Preferences {
  readonly multipv: number;
  readonly limit: LimitName;
}

const STORED_AS = "engine";
const DEFAULTS: Preferences = { multipv: 3, limit: "infinite" };

/** More lines than any view shows. */
export const MAX_LINES = 10;

/** Reads kept choices. What is missing, unknown or out of range has its default. */
export function parsePreferences(text: string | null): Preferences {
  const { multipv, limit } = membersOf(text) as Partial<Preferences>;
  const isCount = Number.isInteger(multipv) && multipv! >= 1 && multipv! <= MAX_LINES;
  return {
    multipv: isCount ? multipv! : DEFAULTS.multipv,
    limit: CHOICES.find(({ name }) => name === limit)?.name ?? DEFAULTS.limit,
  };
}

export const readPreferences = () => parsePreferences(readStored(STORED_AS));

export const keepPreferences = (changed: Partial<Preferences>) =>
  keepMembers(STORED_AS, changed);
