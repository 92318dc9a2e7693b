/** What starts searches at the server and reports about them. It runs one search at a time. */
import type { SearchRequest } from "./protocol";

export interface Transport {
  /** Starts a search, which replaces the running one. */
  search(id: number, request: SearchRequest): void;
  stop(): void;
  /** Ends the transport without a further report. */
  close(): void;
}
