import { type MessageInput, ThreadfoldError } from "@threadfold/core";
import type { ProviderFormat } from "@threadfold/renderer";
import { ContextSession, type PreparedRequest } from "@threadfold/session";
import type { GoldenConversation } from "../source/golden-conversation.ts";
import type { ResolvedPolicy } from "./golden-policy.ts";

/**
 * Folds a conversation by a policy, once, and prepares its next request in a format.
 *
 * @throws ThreadfoldError `ILLEGAL_REQUEST` when the provider would refuse the request, `PIN_MISSING` when a standing
 * constraint is not in it, and what a session throws.
 */
export async function prepareGolden(
  conversation: GoldenConversation,
  policy: ResolvedPolicy,
  format: ProviderFormat,
): Promise<PreparedRequest> {
  const session = await openSession(conversation, policy, format);
  try {
    const prepared = await session.prepare();
    requireSound(prepared);
    return prepared;
  } finally {
    await session.close();
  }
}

async function openSession(
  { threadId, frame, entries, pinned }: GoldenConversation,
  policy: ResolvedPolicy,
  format: ProviderFormat,
): Promise<ContextSession> {
  const { preset, config, tokenizer, now, summarizer, summaryRole } = policy;
  const options = {
    threadId,
    preset,
    config,
    tokenizer,
    format,
    frame,
    clock: { now: () => now },
    journal: false,
    ...(summarizer !== undefined && { summarizer }),
    ...(summaryRole !== undefined && { summaryRole }),
  };
  const session = await ContextSession.open(options);
  if (!pinned) {
    await session.append(entries.flatMap((entry): MessageInput[] => (entry.type === "message" ? [entry.message] : [])));
    return session;
  }
  // A session takes pins over only from a thread that it finds in its store.
  await session.store.threads.append(threadId, entries, { expectedVersion: "no-thread" });
  return ContextSession.open({ ...options, store: session.store });
}

function requireSound({ format, violations, missingPins }: PreparedRequest): void {
  const [violation] = violations;
  if (violation !== undefined) {
    throw new ThreadfoldError("ILLEGAL_REQUEST", `The ${format} request breaks rules: ${JSON.stringify(violation)}.`, {
      details: { format, violations },
    });
  }
  if (missingPins.length > 0) {
    throw new ThreadfoldError("PIN_MISSING", `The ${format} request lacks pins: ${missingPins.join(", ")}.`, {
      details: { format, missingPins },
    });
  }
}
