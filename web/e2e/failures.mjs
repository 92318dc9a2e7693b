/** A reporter of Node's tests: one paragraph for each failed test, which begins with its file. */
import { relative } from "node:path";

export default async function* failures(events) {
  for await (const { type, data } of events) {
    const { error } = data.details ?? {};
    // A suite fails because of its tests, which are reported by themselves.
    if (type !== "test:fail" || error?.failureType === "subtestsFailed") continue;
    const { message } = error?.cause ?? error ?? {};
    const lines = String(message).split("\n").slice(0, 6).map((line) => `    ${line}\n`);
    yield `${relative(process.cwd(), data.file)}: ${data.name}\n${lines.join("")}`;
  }
}
