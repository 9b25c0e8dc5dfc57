import {
  AgentThread,
  asThreadId,
  refuseArgument,
  systemText,
  type ThreadEntryInput,
  ThreadfoldError,
  type ThreadId,
  withSystemText,
} from "@threadfold/core";
import { EMPTY_FRAME, type RequestFrame } from "@threadfold/session";
import { conversationMask } from "../mask/conversation-mask.ts";
import { maskEntries } from "../mask/mask-entries.ts";
import type { Mask } from "../mask/mask-rule.ts";
import type { GoldenPromptOptions, GoldenSource, RecordedSession } from "./golden-options.ts";

/** A conversation to fold, in whichever form it was given. */
export interface GoldenConversation {
  readonly threadId: ThreadId;
  readonly frame: RequestFrame;
  /** Entries that a thread has accepted. */
  readonly entries: readonly ThreadEntryInput[];
  /** True when the entries already contain pins; otherwise the session detects them as in a live conversation. */
  readonly pinned: boolean;
}

const SOURCES = ["thread", "session", "messages"] as const;
const UNNAMED_THREAD = asThreadId("golden");

/**
 * Reads the conversation from the options and checks it.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` unless it is given in exactly one way, `EMPTY_SOURCE` when it has no
 * message, `INVALID_MESSAGE` and `DUPLICATE_MESSAGE_ID` as from `AgentThread.append`.
 */
export async function goldenConversation(options: GoldenPromptOptions): Promise<GoldenConversation> {
  requireOneSource(options);
  const conversation = await conversationOf(options);
  if (conversation.entries.some(({ type }) => type === "message")) return conversation;
  throw new ThreadfoldError("EMPTY_SOURCE", "The conversation of a golden prompt has no message.", {
    hint: "Give at least one message.",
  });
}

function requireOneSource(options: GoldenPromptOptions): void {
  const given = SOURCES.filter((name) => options?.[name] !== undefined);
  if (given.length === 1) return;
  const found = given.length === 0 ? "none of them" : given.join(" and ");
  throw new ThreadfoldError(
    "INVALID_CONFIG",
    `A golden prompt is made from one conversation; the options give ${found}.`,
    {
      hint: "Give exactly one of thread, session and messages.",
      details: { given },
    },
  );
}

async function conversationOf(options: GoldenSource & { readonly frame?: RequestFrame }): Promise<GoldenConversation> {
  if (options.thread !== undefined) {
    const { thread, frame = EMPTY_FRAME } = options;
    if (!(thread instanceof AgentThread)) refuseArgument("thread", "it has to be an AgentThread.");
    return { threadId: thread.id, frame, entries: thread.entriesBetween(0), pinned: true };
  }
  const session: RecordedSession =
    options.session === undefined ? { threadId: UNNAMED_THREAD, messages: options.messages } : await options.session;
  const { threadId, messages, system = [], tools = [] } = session;
  if (!Array.isArray(messages))
    refuseArgument("session", "it has to have a list of messages.", "Pass what an importer returned.");
  const entries = AgentThread.empty(threadId).append(messages).entriesBetween(0);
  return { threadId, frame: options.frame ?? { system, tools }, entries, pinned: false };
}

/**
 * Masks a conversation before it is folded. Folding then sees the masked text, so that token counts, digests and
 * everything derived from them do not depend on masked values.
 *
 * @param now the time that replaces times in fields, as ISO 8601.
 * @throws ThreadfoldError `INVALID_CONFIG` when a mask is invalid.
 */
export function maskConversation(
  conversation: GoldenConversation,
  masks: readonly Mask[],
  now: string,
): GoldenConversation {
  const { threadId, frame, entries, pinned } = conversation;
  const mask = conversationMask(masks, JSON.stringify([threadId, frame, entries]), now);
  return {
    threadId: asThreadId(mask.id("thread", threadId)),
    frame: {
      system: frame.system.map((entry) => withSystemText(entry, mask.text(systemText(entry)))),
      tools: frame.tools.map((tool) =>
        tool.description === undefined ? tool : { ...tool, description: mask.text(tool.description) },
      ),
    },
    entries: masks.length === 0 ? entries : maskEntries(entries, mask),
    pinned,
  };
}
