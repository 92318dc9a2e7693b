import { expect, test } from "vitest";
import type { ServerEvent } from "../engine/client";
import { merge, mistakesOf, movesDone, newReview, turningPoints } from "./review-data";
import { review } from "./testing";

const move = (ply: number, loss = 0, id = String(ply)): ServerEvent => ({
  type: "move", id, data: { game: 0, ...review(ply, loss) },
});
const plies = (events: readonly ServerEvent[], total = 4) =>
  events.reduce(merge, newReview(total)).moves.map((known) => known?.ply ?? null);

test("moves fill the game from its end, in whatever order they arrive", () => {
  expect(plies([move(4), move(3)])).toEqual([null, null, 3, 4]);
  expect(plies([move(1), move(4), move(2)])).toEqual([1, 2, null, 4]);
});

test("an event that comes again after a reconnect changes nothing", () => {
  const once = merge(newReview(4), move(4, 20));
  expect(merge(once, move(4, 0))).toBe(once);
});

test("moves of other games and beyond the game are left out", () => {
  const other: ServerEvent = { type: "move", id: "1", data: { ...review(1), game: 1 } };
  expect(plies([other, move(9)])).toEqual([null, null, null, null]);
});

test("a review runs from its first move and ends with its end", () => {
  const waiting = merge(newReview(2), { type: "heartbeat", id: null, data: { moves_done: 0 } });
  expect(waiting.isRunning).toBe(false);
  const running = merge(waiting, move(2));
  expect([running.isRunning, movesDone(running)]).toEqual([true, 1]);
  const head = { accuracy: { white: 90, black: null } };
  const done = [
    { type: "game", id: "3", data: { game: 0, ...head } },
    { type: "end", id: "end", data: { reason: "done" } },
    { type: "news", id: null, data: {} },
  ].reduce(merge, running);
  expect(done.end).toBe("done");
  expect(done.head).toMatchObject(head);
});

test("turning points are the judged moves with the greatest losses", () => {
  const data = [move(1, 6), move(2, 4), move(3, 30), move(4, 12)].reduce(merge, newReview(4));
  expect(mistakesOf(data).map(({ ply }) => ply)).toEqual([1, 3, 4]);
  expect(turningPoints(data, 2).map(({ ply }) => ply)).toEqual([3, 4]);
});

test("a mate that is allowed in a lost game is a mistake, but no turning point", () => {
  const allowed = { ...review(1, 1), after: { type: "mate", value: -3 }, judgement: "inaccuracy" };
  const event: ServerEvent = { type: "move", id: "1", data: { game: 0, ...allowed } };
  const data = [event, move(2, 6)].reduce(merge, newReview(2));
  expect(mistakesOf(data).map(({ ply }) => ply)).toEqual([1, 2]);
  expect(turningPoints(data, 5).map(({ ply }) => ply)).toEqual([2]);
});
