/** Names of games, from their tags. */

const known = (value = ""): string | null => (/^\??$/.test(value.trim()) ? null : value);

/** “Carlsen – Nepomniachtchi”, or the event, or `null`. */
export function gameName(tags: ReadonlyMap<string, string>): string | null {
  const [white, black] = [known(tags.get("White")), known(tags.get("Black"))];
  if (white !== null || black !== null) return `${white ?? "?"} – ${black ?? "?"}`;
  return known(tags.get("Event"));
}

/** What a list shows beside the name: event, round and date. */
export function gameDetails(tags: ReadonlyMap<string, string>): string {
  const [event, round, date] = ["Event", "Round", "Date"].map((name) => known(tags.get(name)));
  const day = date?.replace(/\.\?\?/g, "").replace(/^\?+$/, "") ?? "";
  const shown = gameName(tags) === event ? null : event;
  return [shown, round ? `round ${round}` : null, day].filter(Boolean).join(", ");
}
