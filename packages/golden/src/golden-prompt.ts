import type { PreparedRequest } from "@threadfold/session";
import type { PromptTrace } from "./trace/prompt-trace.ts";

/** What a policy makes of a conversation, as files that a person can review. Equal input gives equal bytes. */
export interface GoldenPrompt {
  /** Text by file name: `options.json`, `plan.json`, `prompt.md`, `messages.json`, and the payloads. */
  readonly files: ReadonlyMap<string, string>;
  /** What the prompt is compared by, message by message. */
  readonly trace: PromptTrace;
  /** The request of the first format, for assertions of one's own. */
  readonly prepared: PreparedRequest;
}
