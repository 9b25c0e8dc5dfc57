import {
  AgentThread,
  asMessageId,
  asThreadId,
  asToolCallId,
  type CompactionPlan,
  type MessageInput,
  type Part,
  type ToolCallId,
  viewThread,
} from "@threadfold/core";

/**
 * Tokens that the counter adds to a message's text: for its role, and for the tool name and empty input of each call.
 */
const ROLE_TOKENS = 4;
const CALL_TOKENS = 2;

/** Tokens of each message in a script: one number for all, or a function of the label. */
export type ScriptTokens = number | ((label: string) => number);

/**
 * Builds messages from a line of labels, for tests: `s`, `u1`, `a1`, `t1` for system, user, assistant and tool, and
 * `c1` for a summary that another tool wrote when it compacted. An assistant message makes as many calls as there are
 * results right after it. When a label is repeated, the second message gets the id `a1.2`.
 */
export function scriptMessages(script: string, tokens: ScriptTokens = 50): readonly MessageInput[] {
  const labels = script.split(/[\s,]+/).filter((label) => label !== "");
  const seen = new Map<string, number>();
  let open: readonly ToolCallId[] = [];
  return labels.map((label, index) => {
    const count = (seen.get(label) ?? 0) + 1;
    seen.set(label, count);
    const id = count === 1 ? label : `${label}.${count}`;
    const base = { id: asMessageId(id), createdAt: new Date(index * 1_000).toISOString() };
    const size = (typeof tokens === "number" ? tokens : tokens(id)) - ROLE_TOKENS;
    if (label.startsWith("t")) {
      const [callId = asToolCallId(`none-${id}`), ...others] = open;
      open = others;
      return { ...base, ...resultOf(callId, padded(id, size)) };
    }
    open = label.startsWith("a") ? callIds(id, labels.slice(index + 1)) : [];
    return { ...base, ...ROLES[label[0] as keyof typeof ROLES], parts: spokenParts(id, size, open) };
  });
}

/** Role and origin of a message by the first letter of its label. */
const ROLES = {
  s: { role: "system" },
  u: { role: "user" },
  a: { role: "assistant" },
  c: { role: "user", origin: "compaction" },
} as const;

/** One call id for each result that follows directly. */
function callIds(id: string, following: readonly string[]): readonly ToolCallId[] {
  const end = following.findIndex((label) => !label.startsWith("t"));
  const count = end < 0 ? following.length : end;
  return Array.from({ length: count }, (_, call) => asToolCallId(`${id}-call-${call}`));
}

function spokenParts(id: string, tokens: number, calls: readonly ToolCallId[]): readonly Part[] {
  return [
    { type: "text", text: padded(id, tokens - calls.length * CALL_TOKENS) },
    ...calls.map((callId): Part => ({ type: "tool-call", callId, toolName: "tool", input: {} })),
  ];
}

function resultOf(callId: ToolCallId, text: string): Pick<MessageInput, "role" | "parts"> {
  const result = { toolName: "tool", callId, outcome: "success" as const, content: { type: "text" as const, text } };
  return { role: "tool", parts: [{ type: "tool-result", result }] };
}

/** The label, padded to this many tokens. */
const padded = (label: string, tokens: number): string => label.padEnd(tokens * 4, ".");

/** Builds a thread from a line of labels; see {@link scriptMessages}. */
export function scriptThread(script: string, tokens?: ScriptTokens): AgentThread {
  return AgentThread.empty(asThreadId("t")).append(scriptMessages(script, tokens));
}

/** Lists what a prompt shows: the labels of messages, and in brackets whatever stands for folded ones. */
export function shownIn(thread: AgentThread, plan: CompactionPlan): readonly string[] {
  return viewThread(thread, plan).map((entry) => {
    if (entry.type === "message") return entry.message.id;
    return "message" in entry ? `[${entry.type} ${entry.message.id}]` : `[${entry.type}]`;
  });
}
