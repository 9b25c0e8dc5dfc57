import type { compact, convertToLlm, SessionManager } from "@earendil-works/pi-coding-agent";

export {
  buildSessionContext,
  compact,
  convertToLlm,
  SessionManager,
  shouldCompact,
} from "@earendil-works/pi-coding-agent";

/** A message of pi's agent, including its own kinds. */
export type AgentMessage = Parameters<typeof convertToLlm>[0][number];

/** A message as pi sends it to a model. */
export type LlmMessage = ReturnType<typeof convertToLlm>[number];

/** When pi compacts and how much it then keeps, in tokens. */
export interface PiSettings {
  readonly enabled: boolean;
  readonly reserveTokens: number;
  readonly keepRecentTokens: number;
}

type Prepare = (
  entries: ReturnType<SessionManager["getBranch"]>,
  settings: PiSettings,
) => Parameters<typeof compact>[0] | undefined;

// The package exports `prepareCompaction` from that folder but not from its main entry point.
const door = import.meta.resolve("@earendil-works/pi-coding-agent");
const compaction = (await import(new URL("./core/compaction/index.js", door).href)) as { prepareCompaction: Prepare };

/** Finds where pi cuts and what it would summarize. */
export const prepareCompaction: Prepare = compaction.prepareCompaction;
