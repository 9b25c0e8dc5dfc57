import type { ThreadId } from "@threadfold/core";

/** One thing that does not verify: the first bad one of its family. */
export interface StoreFinding {
  readonly family: "entries" | "plans" | "journal" | "artifacts" | "file";
  /** Null for what concerns the whole file. */
  readonly threadId: ThreadId | null;
  /** Which one: a version of the thread or of the plan, a sequence number, an artifact id; null when none can be named. */
  readonly at: number | string | null;
  /** What is wrong with it, as the rest of a sentence. Never any content. */
  readonly problem: string;
}

/** What a check says of the first bad item of its family, or null when all is well. */
export type Problem = { readonly at: number | string | null; readonly problem: string } | null;
