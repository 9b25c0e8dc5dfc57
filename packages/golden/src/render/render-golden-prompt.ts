import { type MessageInput, ThreadfoldError } from "@threadfold/core";
import type { ProviderFormat } from "@threadfold/renderer";
import { ContextSession, type PreparedRequest, type RequestFrame } from "@threadfold/session";
import type { Mask } from "../mask/mask-rule.ts";
import { type GoldenConversation, goldenConversation, maskConversation } from "../options/golden-conversation.ts";
import {
  type GoldenPromptOptions,
  type ResolvedPolicy,
  requireKnownOptions,
  resolvePolicy,
} from "../options/golden-options.ts";
import { type PromptTrace, promptTrace } from "../trace/prompt-trace.ts";
import { goldenFiles } from "./golden-files.ts";

/** The prompt that a policy makes from a conversation, as files to be reviewed. Equal input yields equal bytes. */
export interface GoldenPrompt {
  /** Texts by file name: `options.json`, `plan.json`, `prompt.md`, `messages.json`, and the payloads. */
  readonly files: ReadonlyMap<string, string>;
  /** The data for comparing the prompt message by message. */
  readonly trace: PromptTrace;
  /** The request in the first format, for your own assertions. */
  readonly prepared: PreparedRequest;
}

/**
 * Renders a conversation under a policy as golden files. Volatile values are masked, the clock stands still, and equal
 * input yields equal bytes on every machine. Nothing is written.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` when the options are invalid, `EMPTY_SOURCE` when there is no message,
 * `INVALID_MESSAGE` when a message is invalid, `ILLEGAL_REQUEST` or `PIN_MISSING` when the prompt must not be sent, and
 * whatever reading a recorded session throws.
 */
export async function renderGoldenPrompt(options: GoldenPromptOptions): Promise<GoldenPrompt> {
  requireKnownOptions(options);
  const original = await goldenConversation(options);
  const policy = await resolvePolicy(options);
  const conversation = maskConversation(original, policy.mask, new Date(policy.now).toISOString());
  const [format, ...others] = policy.formats;
  const first = await prepareGolden(conversation, policy, format);
  const rest: PreparedRequest[] = [];
  if (policy.payloads !== "none") {
    for (const other of others) rest.push(await prepareGolden(conversation, policy, other));
  }
  const trace = promptTrace(first);
  const record = optionsRecord(policy, conversation.frame, conversation.entries.length);
  return { files: goldenFiles([first, ...rest], trace, record, policy.payloads), trace, prepared: first };
}

/**
 * Folds a conversation once under a policy, and prepares its next request in a format.
 *
 * @throws ThreadfoldError `ILLEGAL_REQUEST` when the provider would refuse the request, `PIN_MISSING` when a standing
 * constraint is not in it, and whatever a session throws.
 */
async function prepareGolden(
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
  const { preset, config, tokenizer, now, model, summarizer, summaryRole } = policy;
  const options = {
    threadId,
    preset,
    config,
    tokenizer,
    format,
    frame,
    clock: { now: () => now },
    journal: false,
    background: false as const,
    ...(model !== undefined && { model }),
    ...(summarizer !== undefined && { summarizer }),
    ...(summaryRole !== undefined && { summaryRole }),
  };
  const session = await ContextSession.open(options);
  if (!pinned) {
    await session.append(entries.flatMap((entry): MessageInput[] => (entry.type === "message" ? [entry.message] : [])));
    return session;
  }
  // A session only adopts pins from a thread that it finds in its store.
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

/** What a golden prompt records about how it was made. */
const optionsRecord = (policy: ResolvedPolicy, frame: RequestFrame, entries: number) => ({
  preset: policy.preset.name,
  config: policy.config,
  formats: policy.formats.map(({ id }) => id),
  payloads: policy.payloads,
  tokenizer: policy.tokenizer.id,
  ...(policy.model !== undefined && { model: policy.model }),
  ...(policy.summarizer !== undefined && { summarizer: policy.summarizer.id }),
  ...(policy.summaryRole !== undefined && { summaryRole: policy.summaryRole }),
  now: new Date(policy.now).toISOString(),
  mask: policy.mask.map(maskName),
  conversation: { entries, systemTexts: frame.system.length, tools: frame.tools.length },
});

const maskName = (mask: Mask): string => (typeof mask === "string" ? mask : `${mask.name}: ${mask.pattern}`);
