// Prints the best move of a position, and what is wrong with another one.
import { Kibitzer, KibitzerError } from "kibitzer";
import { serverUrl } from "./server-url.js";

const client = new Kibitzer({ url: serverUrl });
const fen = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1";
const { best_move_san, score, pv_san } = await client.bestMove({ fen, movetime_ms: 200 });
console.log(`${best_move_san}, ${score?.type} ${score?.value}: ${pv_san.join(" ")}`);

try {
  await client.bestMove({ fen: "startpos", moves: ["e5"] });
} catch (error) {
  if (!(error instanceof KibitzerError)) throw error;
  console.log(`${error.code}: ${error.detail}`);
}
