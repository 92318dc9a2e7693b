import { expect, test } from "vitest";
import { Refusal, Unreachable } from "../engine/client";
import { goneText, refusalText, waitText } from "./texts";

const refused = (status: number, code: string, detail: string) =>
  refusalText(new Refusal({ title: "Title", status, code, detail }));

test("a refusal is a sentence that says what is wrong", () => {
  expect(refused(401, "unauthorized", "a key is required"))
    .toBe("The server needs an API key. A key is required.");
  expect(refused(403, "origin_refused", "the origin is unknown"))
    .toBe("The server refuses this page. The origin is unknown.");
  expect(refused(413, "job_too_large", "the job has 3 MB; a client may have 2 MB."))
    .toBe("The game is too long for this server. The job has 3 MB; a client may have 2 MB.");
  expect(refused(422, "invalid_pgn", "no game"))
    .toBe("The server cannot review this game. No game.");
  expect(refusalText(new Unreachable())).toBe("The server cannot be reached.");
  expect(refusalText(new TypeError("x is undefined"))).toBe("The review failed. Try it again.");
});

test("a wait names its reason and its length", () => {
  expect(waitText({ kind: "busy", detail: "the rate limit is exceeded", ms: 12_400 }, true))
    .toBe("The rate limit is exceeded. The next try is in 12 s.");
  expect(waitText({ kind: "unreachable" }, true)).toMatch(/goes on when it is back/);
  expect(waitText({ kind: "unreachable" }, false)).toMatch(/starts when it is back/);
});

test("each way to lose a job has its sentence", () => {
  const texts = ["not_found", "gone", "expired"].map(goneText);
  expect(new Set(texts).size).toBe(3);
});
