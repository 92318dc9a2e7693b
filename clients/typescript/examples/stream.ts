// Follows an analysis without a limit until it is deep enough. Leaving the loop stops the search.
import { Kibitzer } from "kibitzer";
import { serverUrl } from "./server-url.js";

const client = new Kibitzer({ url: serverUrl });
const tooLong = AbortSignal.timeout(30_000);
const analysis = client.analysis({ fen: "startpos", infinite: true }, { signal: tooLong });
for await (const line of analysis) {
  if (line.type !== "info") continue;
  const [best] = line.lines;
  console.log(`depth ${line.depth}: ${best?.pv_san.join(" ")}`);
  if (line.depth >= 10) break;
}
console.log("cancelled");
