// Reviews a game, prints its mistakes as they are found, and then the annotated game.
import { Kibitzer } from "kibitzer";
import { serverUrl } from "./server-url.js";

const PGN = `[White "Anderssen"]
[Black "Kieseritzky"]

1. e4 e5 2. f4 exf4 3. Bc4 Qh4+ 4. Kf1 b5 5. Bxb5 Nf6 6. Nf3 Qh6 7. d3 Nh5 8. Nh4 Qg5 *
`;

const client = new Kibitzer({ url: serverUrl });
const { id, moves } = await client.games.submit(PGN, { nodes: 20_000 });
console.log(`${moves} moves`);
for await (const event of client.games.events(id)) {
  if (event.type === "move" && event.judgement !== null) {
    console.log(`${event.ply}. ${event.san}: ${event.judgement}, better is ${event.best_san}`);
  }
}
console.log(await client.games.pgn(id));
await client.games.stop(id);
