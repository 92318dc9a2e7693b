// Prints the legal moves after 1. e4 c5.
import { Kibitzer } from "kibitzer";
import { serverUrl } from "./server-url.js";

const client = new Kibitzer({ url: serverUrl });
const { count, moves } = await client.legalMoves({ fen: "startpos", moves: ["e4", "c5"] });
console.log(`${count} moves: ${moves.map(({ san }) => san).join(" ")}`);
