import {
  AgentThread,
  asArtifactId,
  asMessageId,
  asPinId,
  asThreadId,
  type CompactionPlan,
  type ExternalizationRecord,
  emptySummary,
  groupRecords,
  type MediaPart,
  type Message,
  type MessageInput,
  type Part,
  type Pin,
  type PlanRecord,
  type Role,
  type SummarizationRecord,
  sealPlan,
  spanOf,
  type ThreadEntryInput,
} from "@threadfold/core";
import { text } from "@threadfold/core/laws";

/** A message in short form: its role, then its texts and parts. */
export type MessageSpec = readonly [role: Role, ...parts: (Part | string)[]];

/** Builds messages `m1`, `m2`, …; a string becomes a text part. */
export function messagesOf(specs: readonly MessageSpec[], first = 1): readonly MessageInput[] {
  return specs.map(([role, ...parts], index) => ({
    id: asMessageId(`m${first + index}`),
    role,
    parts: parts.map((part) => (typeof part === "string" ? text(part) : part)),
    createdAt: new Date(Date.UTC(2025, 0, 1, 0, 0, first + index)).toISOString(),
  }));
}

export const SAMPLE_THREAD_ID = asThreadId("thread-1");

export const threadOf = (...specs: readonly MessageSpec[]): AgentThread =>
  AgentThread.empty(SAMPLE_THREAD_ID).append(messagesOf(specs));

export const threadOfEntries = (...entries: readonly ThreadEntryInput[]): AgentThread =>
  AgentThread.empty(SAMPLE_THREAD_ID).appendEntries(entries);

/** Returns the messages of a thread with these numbers: 1 is `m1`. */
export const messagesAt = (thread: AgentThread, ...numbers: readonly number[]): readonly Message[] =>
  numbers.map((number) => thread.messageAt(number - 1) as Message);

/** Returns the fields that all records in tests have in common. */
export const recordOver = (thread: AgentThread, ...numbers: readonly number[]) => ({
  span: spanOf(messagesAt(thread, ...numbers)),
  strategy: "test",
  reason: "because the test says so",
  sincePlanVersion: 1,
  originalTokens: 100,
});

/** Returns a plan of exactly these records, as committed by version 1. */
export function planWith(thread: AgentThread, ...records: readonly PlanRecord[]): CompactionPlan {
  return sealPlan({
    ...groupRecords(records),
    threadId: thread.id,
    threadVersion: thread.version,
    version: records.length === 0 ? 0 : 1,
    policyVersion: "test",
    createdAt: "2025-01-01T00:00:00.000Z",
    originalTokens: 0,
    compactedTokens: 0,
  });
}

/** The artifact of {@link pointerOver}. */
export const ARTIFACT = asArtifactId("artifact_0123456789abcdef");

/** Reasoning that Anthropic signed. */
export const signed: Part = { type: "reasoning", text: "hm", provider: "anthropic", signature: "c2ln" };

export const image: MediaPart = {
  type: "image",
  source: { kind: "base64", mediaType: "image/png", data: "AA==" },
  name: "a.png",
};

/** Returns a summary of the messages with these numbers, with one fact. */
export function summaryOver(
  thread: AgentThread,
  numbers: readonly number[],
  fact = "something happened",
): SummarizationRecord {
  const base = recordOver(thread, ...numbers);
  const summary = { ...emptySummary(base.span), facts: [{ id: "f", sources: base.span.messageIds, text: fact }] };
  return { ...base, action: "summarize", summary, summaryTokens: 10, summarizer: "test@1", resolved: [] };
}

/** Returns a pointer to the externalized messages with these numbers. */
export function pointerOver(
  thread: AgentThread,
  numbers: readonly number[],
  form: "body" | "span",
): ExternalizationRecord {
  const base = recordOver(thread, ...numbers);
  return {
    ...base,
    action: "externalize",
    form,
    artifactId: ARTIFACT,
    summary: summaryOver(thread, numbers).summary,
    rehydrateHint: "",
  };
}

/** Returns the contents of messages, part by part: texts as they are, other parts by their type. */
export const textsOf = (messages: readonly { readonly parts: readonly Part[] }[]): readonly string[] =>
  messages.map(({ parts }) => parts.map((part) => (part.type === "text" ? part.text : part.type)).join("|"));

/** Returns an explicit pin by the user, optionally quoting a message. */
export const pin = (text_: string, source?: Message): Pin => ({
  id: asPinId(`pin ${text_}`),
  text: text_,
  authority: "user",
  origin: "explicit",
  ...(source && { source: { messageId: source.id, start: 0, end: text_.length } }),
});
