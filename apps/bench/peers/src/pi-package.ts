import type { compact, convertToLlm, SessionManager } from "@earendil-works/pi-coding-agent";

export {
  buildSessionContext,
  compact,
  convertToLlm,
  SessionManager,
  shouldCompact,
} from "@earendil-works/pi-coding-agent";

/** A message of pi's agent, its own kinds included. */
export type AgentMessage = Parameters<typeof convertToLlm>[0][number];

/** A message as pi sends it to a model. */
export type LlmMessage = ReturnType<typeof convertToLlm>[number];

/** When pi compacts and what it then keeps, in tokens. */
export interface PiSettings {
  readonly enabled: boolean;
  readonly reserveTokens: number;
  readonly keepRecentTokens: number;
}

type Prepare = (
  entries: ReturnType<SessionManager["getBranch"]>,
  settings: PiSettings,
) => Parameters<typeof compact>[0] | undefined;

// The package lists `prepareCompaction` among its own exports of that folder and leaves it out of the package's door.
const door = import.meta.resolve("@earendil-works/pi-coding-agent");
const compaction = (await import(new URL("./core/compaction/index.js", door).href)) as { prepareCompaction: Prepare };

/** Where pi cuts, and what it would have summarized. */
export const prepareCompaction: Prepare = compaction.prepareCompaction;
