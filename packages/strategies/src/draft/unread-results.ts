import {
  type ContextCompactionConfig,
  type PlanRecord,
  previewOf,
  removesMessages,
  type ThreadShape,
} from "@threadfold/core";
import { isRetrieval, MIN_EXTERNALIZED_TOKENS } from "../durability/durability-policy.ts";
import {
  type CompactionProposal,
  type Hold,
  PLACEHOLDER_TOKENS,
  pointerTokens,
} from "../strategy/compaction-strategy.ts";

/**
 * Returns the ordinals of the tool results that no model call has read yet, ascending: those after the last assistant
 * message of the main branch.
 */
export function unreadResults(shape: ThreadShape): readonly number[] {
  const unread: number[] = [];
  for (let ordinal = shape.length - 1; ordinal >= 0; ordinal--) {
    const { role, branch } = shape.header(ordinal);
    if (branch !== undefined) continue;
    if (role === "assistant") break;
    if (role === "tool") unread.push(ordinal);
  }
  return unread.reverse();
}

/** What a fold that shows only the ends of unread results has to go by. */
interface UnreadContext {
  readonly shape: ThreadShape;
  readonly config: ContextCompactionConfig;
  readonly heldBy: (ordinal: number) => Hold | undefined;
  /** False for a body that the artifact store refused. */
  readonly mayStore: (ordinal: number) => boolean;
}

/**
 * Proposes to shorten every unread result that is not small to its beginning and end. The body goes to the artifact
 * store where that is allowed, so that the model can read on there; otherwise it is truncated. How much of it is shown
 * is decided once the rest of the request is known.
 */
export function unreadProposals(ordinals: readonly number[], context: UnreadContext): readonly CompactionProposal[] {
  return ordinals.flatMap((ordinal) => propose(ordinal, context) ?? []);
}

function propose(ordinal: number, { shape, config, heldBy, mayStore }: UnreadContext): CompactionProposal | null {
  const { opaque, shares, toolName } = shape.header(ordinal);
  const body = shares.toolResult;
  const hold = heldBy(ordinal);
  const isGone = hold !== undefined && "span" in hold && removesMessages(hold);
  if (opaque || isGone || body <= 2 * PLACEHOLDER_TOKENS) return null;
  const base = {
    strategy: "unread-result",
    ordinals: [ordinal],
    reason: `The result of ${toolName} takes ${body} tokens and there is no room for all of it; its beginning and end are shown.`,
  };
  if (config.enableExternalization && body > MIN_EXTERNALIZED_TOKENS && !isRetrieval(toolName) && mayStore(ordinal))
    return { ...base, action: "externalize", estimatedTokensFreed: body - pointerTokens(body) };
  const freed = body - PLACEHOLDER_TOKENS;
  const keep = { headCharacters: 0, tailCharacters: 0, leftOutTokens: body };
  return { ...base, action: "clear", targets: ["tool-result"], keep, estimatedTokensFreed: freed };
}

/** What stays at each end of a result that was truncated before it was read, in UTF-16 code units. */
const READ_ENDS = 400;

/** Returns what the record of an unread result becomes once read: a plain pointer, or shorter ends. Null for others. */
export function recordOnceRead(record: PlanRecord): PlanRecord | null {
  const preview = previewOf(record);
  if (preview === undefined) return null;
  if (record.action === "externalize") {
    const { preview: _shown, ...pointer } = record;
    return pointer;
  }
  if (record.action !== "clear") return null;
  const headCharacters = Math.min(preview.headCharacters, READ_ENDS);
  const tailCharacters = Math.min(preview.tailCharacters, READ_ENDS);
  return { ...record, keep: { headCharacters, tailCharacters } };
}
