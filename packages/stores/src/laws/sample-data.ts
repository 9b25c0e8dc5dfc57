import {
  AgentThread,
  type ArtifactMetadata,
  asMessageId,
  asPinId,
  asThreadId,
  type CompactionPlan,
  groupRecords,
  type Message,
  type MessageInput,
  sealPlan,
  spanOf,
  type ThreadEntryInput,
  type ThreadId,
} from "@threadfold/core";

export const THREAD = asThreadId("thread-a");
export const OTHER_THREAD = asThreadId("thread-b");
export const START_MS = Date.UTC(2025, 0, 1);
export const START = new Date(START_MS).toISOString();

/** A message of a transcript in which a user asks, the model calls a tool, the tool answers and the model replies. */
export function message(number: number, text = `text ${number}`): MessageInput {
  const base = { id: asMessageId(`m${number}`), createdAt: new Date(START_MS + number * 1_000).toISOString() };
  const callId = `call-${number - (number % 4)}` as never;
  switch (number % 4) {
    case 0:
      return { ...base, role: "user", parts: [{ type: "text", text }] };
    case 1:
      return {
        ...base,
        role: "assistant",
        parts: [{ type: "tool-call", callId, toolName: "read", input: { path: text } }],
      };
    case 2:
      return {
        ...base,
        role: "tool",
        parts: [
          {
            type: "tool-result",
            result: { toolName: "read", callId, outcome: "success", content: { type: "text", text } },
          },
        ],
      };
    default:
      return { ...base, role: "assistant", parts: [{ type: "text", text }] };
  }
}

export const entry = (number: number, text?: string): ThreadEntryInput => ({
  type: "message",
  message: message(number, text),
});

/** The first `count` messages of the transcript as entries. */
export const transcript = (count: number): readonly ThreadEntryInput[] =>
  Array.from({ length: count }, (_, number) => entry(number));

export const pin = (
  name: string,
  authority: "system" | "operator" | "user" = "user",
  text = `keep ${name}`,
): ThreadEntryInput => ({
  type: "pin",
  pin: { id: asPinId(name), text, authority, origin: "explicit" },
});

export const lift = (name: string, authority: "system" | "operator" | "user" = "user"): ThreadEntryInput => ({
  type: "pin-lifted",
  pinId: asPinId(name),
  authority,
  reason: "done",
});

/** Returns the thread that a store must return after these entries. */
export const expectedThread = (entries: readonly ThreadEntryInput[], id: ThreadId = THREAD): AgentThread =>
  AgentThread.empty(id).appendEntries(structuredClone(entries));

/** Returns a plan that drops some messages of a thread. Plans by different authors have different ids. */
export function dropPlan(
  messages: readonly Pick<Message, "id" | "turn">[],
  place: {
    readonly version: number;
    readonly threadVersion: number;
    readonly threadId?: ThreadId;
    readonly author?: string;
  },
): CompactionPlan {
  const { version, threadVersion, threadId = THREAD, author = "author" } = place;
  const span = messages.length === 0 ? undefined : spanOf(messages);
  const record = {
    action: "drop" as const,
    strategy: "drop",
    reason: "oldest",
    sincePlanVersion: version,
    originalTokens: 10,
    keywords: ["x"],
  };
  return sealPlan({
    ...groupRecords(span === undefined ? [] : [{ ...record, span }]),
    threadId,
    threadVersion,
    version,
    policyVersion: author,
    createdAt: START,
    originalTokens: 1_000.5,
    compactedTokens: 990,
  });
}

export const metadata = (given: Partial<ArtifactMetadata> = {}): Omit<ArtifactMetadata, "bytes"> => ({
  threadId: THREAD,
  tenantId: null,
  createdAt: START,
  ttlSeconds: null,
  sensitivity: "internal",
  mediaType: "text/plain",
  ...given,
});

/** Texts that break code that is careless with encodings or lengths. All of them are well-formed. */
export const HOSTILE_TEXTS: readonly string[] = [
  "",
  "\0",
  "before\0after",
  "\uFEFFwith a byte order mark",
  "\u202Eright to left\u2028\u2029",
  "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 👩\u200d👩\u200d👧\u200d👦 \u00e9 e\u0301",
  `'; DROP TABLE entries; -- \\ " \r\n\t`,
  '{"__proto__":{"polluted":true}}',
  "\uFFFD\uFFFF",
];
