import { expect, test } from "vitest";
import { Refusal, Unreachable } from "../engine/client";
import { goneText, lockedText, refusalText, waitText } from "./texts";

const refused = (status: number, code: string, detail: string) =>
  new Refusal({ title: "Title", status, code, detail });

test("a refusal is a sentence that says what is wrong", () => {
  expect(refusalText(refused(413, "job_too_large", "the job has 3 MB; a client may have 2 MB.")))
    .toBe("The game is too long for this server. The job has 3 MB; a client may have 2 MB.");
  expect(refusalText(refused(422, "invalid_pgn", "no game")))
    .toBe("The server cannot review this game. No game.");
  expect(refusalText(new Unreachable())).toBe("The server cannot be reached.");
});

test("a refused key is no end of the review", () => {
  expect(lockedText(refused(401, "unauthorized", "a key is required"))).toBe(
    "The server needs a valid API key. Enter a valid key, and the review goes on.",
  );
});

test("a wait names its reason and its length", () => {
  expect(waitText({ kind: "busy", detail: "The server is busy.", ms: 12_400 }, true))
    .toBe("The server is busy. The next try is in 13 s.");
  expect(waitText({ kind: "unreachable" }, true)).toMatch(/goes on when it is back/);
  expect(waitText({ kind: "unreachable" }, false)).toMatch(/starts when it is back/);
});

test("each way to lose a job has its sentence", () => {
  const texts = ["not_found", "gone", "expired"].map(goneText);
  expect(new Set(texts).size).toBe(3);
});
