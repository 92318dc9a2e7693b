import { expect, expectTypeOf, test } from "vitest";
import type { components } from "../../../clients/typescript/src/schema";
import { scoreText, type Limits, type ServerMessage } from "./protocol";

type Schemas = components["schemas"];

/** A line of the contract. Its generated types have no arrays of a fixed length. */
type Line = Omit<Schemas["PvLine"], "wdl"> & { wdl: [number, number, number] };

/** A message of the contract as the page passes it on: with the number of its search as the id. */
type Numbered<Message> = Message extends { lines: unknown }
  ? Omit<Message, "id" | "lines"> & { id: number; lines: Line[] }
  : Omit<Message, "id"> & { id: number };

// Checked by tsc: the page reads no member that the contract lacks or has with another type.
test("the contract's messages and limits are those of the page", () => {
  expectTypeOf<Numbered<Schemas["LiveLine"]>>().toExtend<ServerMessage>();
  expectTypeOf<Schemas["PvLine"]["wdl"]>().toEqualTypeOf<number[]>();
  expectTypeOf<Schemas["ServerLimits"]>().toExtend<Limits>();
});

test("a score has a sign, and a mate a hash", () => {
  const texts = [
    ["cp", 48, "+0.48"], ["cp", -120, "−1.20"], ["cp", 0, "0.00"],
    ["mate", 3, "#3"], ["mate", -2, "#−2"],
  ] as const;
  for (const [type, value, text] of texts) expect(scoreText({ type, value })).toBe(text);
});
