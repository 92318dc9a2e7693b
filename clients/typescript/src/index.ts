/** A client of the chess analysis server kibitzer. */
export { Kibitzer, type KibitzerOptions } from "./client.js";
export { KibitzerError, KibitzerNetworkError, type ErrorCode, type ErrorItem } from "./errors.js";
export type { Games } from "./games.js";
export { LiveBoard } from "./live.js";
export type {
  LiveClose, LiveGo, LivePosition, WebSocketConstructor, WebSocketLike,
} from "./live.js";
export type { RetryOptions } from "./retry.js";
export type { CallOptions } from "./transport.js";
export type * from "./types.js";
