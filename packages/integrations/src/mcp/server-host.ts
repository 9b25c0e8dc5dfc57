import type { ThreadArchive } from "./thread-archive.ts";
import type { ToolListeners } from "./tool-failure.ts";

/** What the tools and resources of one server share. */
export interface ServerHost extends ToolListeners {
  readonly archive: ThreadArchive;
  readonly countTokens: (text: string) => number;
  /** Most tokens of a result whose call does not say. */
  readonly maxTokens: number;
  readonly maxCacheMs: number;
}
