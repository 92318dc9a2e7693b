/** The presence of players in a game, which the page needs to know before it is painted. */

/** Whether the tags name a player. PGN has `?` for an unknown one. */
export const hasPlayers = (tags: ReadonlyMap<string, string>): boolean =>
  ["White", "Black"].some((name) => /[^?\s]/.test(tags.get(name) ?? ""));
