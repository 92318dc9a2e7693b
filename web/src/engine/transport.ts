/** A connection that starts searches and reports about them, one search at a time. */
import type { SearchRequest } from "./protocol";

export interface Transport {
  /** Starts a search, which replaces the running one. */
  search(id: number, request: SearchRequest): void;
  stop(): void;
  /** Ends the transport without a further report. */
  close(): void;
}
