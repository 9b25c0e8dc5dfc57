import {
  AgentThread,
  asMessageId,
  asThreadId,
  asToolCallId,
  type JsonObject,
  type JsonValue,
  type Message,
  type Part,
  type ThreadEntryInput,
  type ToolResultPart,
} from "@threadfold/core";
import fc from "fast-check";
import type { RenderInput } from "../input/render-input.ts";
import { countThread, renderInputs } from "../laws/render-inputs.ts";
import { image } from "./sample-thread.ts";

/**
 * The inputs of the laws, with the metadata that providers put on parts: item ids (some used twice), complete reasoning
 * items, speaker names, marks of custom tools, thought signatures, hosted items, server tools and calls that the host
 * answers with an item (some unpaired, some answered late), and images in failed results. Only some parts carry them.
 */
export const signedInputs: fc.Arbitrary<RenderInput> = fc
  .tuple(renderInputs, fc.infiniteStream(fc.integer({ min: 0, max: 9 })))
  .map(([input, dice]) => {
    const next = (): number => dice.next().value as number;
    const entries = [...input.thread.entries].map((entry): ThreadEntryInput => {
      if (entry.type !== "message") return entry;
      const { ordinal: _o, turn: _t, step: _s, ...message }: Message = entry.message;
      const parts = message.parts.flatMap((part, at) => [
        ...hostedBefore(part, next()),
        ...(message.role === "assistant" ? servedBefore(next(), next()) : []),
        ...(message.role === "tool" ? [] : ownBefore(message.role, at, next(), next())),
        signed(part, next()),
      ]);
      const spoken = spokenBy(message, next());
      return {
        type: "message",
        message: { ...message, ...spoken, parts },
      };
    });
    const thread = AgentThread.empty(input.thread.id).appendEntries(entries);
    return { ...input, thread, ledger: countThread(thread) };
  });

/** Speaker names, and OpenAI's two roles of system messages. */
function spokenBy({ role }: Pick<Message, "role">, die: number): Pick<Message, "providerMetadata"> {
  if (die % 3 === 0) return {};
  const spoken = role === "system" && die < 5 ? { role: die < 3 ? "developer" : "system" } : {};
  return { providerMetadata: { openai: { name: `speaker-${die}`, ...spoken } } };
}

function signed(part: Part, die: number): Part {
  const google = { thoughtSignature: `c2ln${die}` };
  switch (part.type) {
    case "text":
      return withMetadata(part, { openai: { id: `msg_${die}`, phase: "commentary" }, google }, die);
    case "tool-call":
      return withMetadata(
        part,
        { openai: die === 9 ? { type: "custom_tool_call" } : { id: `fc_${die}` }, google },
        die,
      );
    case "reasoning": {
      const item = { type: "reasoning", id: `rs_${die}`, summary: [] };
      const proof = PROOFS[die % PROOFS.length];
      return withMetadata({ ...part, ...proof }, { openai: { item } }, die);
    }
    case "tool-result":
      return die < 3 ? failedWithPicture(part) : part;
    default:
      return part;
  }
}

function failedWithPicture(part: ToolResultPart): ToolResultPart {
  const content = { type: "blocks", blocks: [{ type: "text", text: "It looks like this:" }, image] } as const;
  return { ...part, result: { ...part.result, outcome: "failure", content } };
}

const PROOFS = [
  { provider: "openai", encrypted: "ZW5j" },
  { provider: "google", signature: "c2ln" },
  { provider: "anthropic", signature: "c2ln" },
] as const;

const withMetadata = (part: Part, providerMetadata: Readonly<Record<string, JsonObject>>, die: number): Part =>
  die % 3 === 0 ? part : ({ ...part, providerMetadata } as Part);

const HOSTED: readonly JsonObject[] = [
  { type: "web_search_call", id: "ws_1" },
  { type: "compaction", encrypted_content: "ZW5j" },
  { type: "tool_search_call", call_id: null, arguments: {} },
  { type: "tool_search_output", call_id: null, tools: [] },
];

const SERVED: readonly JsonObject[] = [
  { type: "server_tool_use", name: "web_search", input: {} },
  { type: "web_search_tool_result", content: [] },
  { type: "mcp_tool_use", name: "look", server_name: "s", input: {} },
  { type: "mcp_tool_result", content: [], is_error: false },
];

/** The place where another model went on with an answer. */
const HANDOVER: Part = {
  type: "opaque",
  provider: "anthropic",
  value: { type: "fallback", from: { model: "claude-opus-5" }, to: { model: "claude-opus-4-8" } },
};

/** Calls and results of tools that run at Anthropic: in pairs, unpaired, or with an id used before; handovers. */
function servedBefore(die: number, id: number): readonly Part[] {
  if (die === 8) return [HANDOVER];
  const served = die === 9 ? SERVED.slice(0, 2) : SERVED.slice(die, die + 1);
  return served.map((value): Part => {
    const name = String(value["type"]).endsWith("_use") ? "id" : "tool_use_id";
    return { type: "opaque", provider: "anthropic", value: { ...value, [name]: `srvtoolu_${id}` } };
  });
}

const OWN_CALLS = ["tool_search", "computer", "shell", "apply_patch"] as const;

/** Calls that the host answers with an item: immediately, after other messages, never, or with an id used before. */
function ownBefore(role: Message["role"], at: number, die: number, id: number): readonly Part[] {
  const name = OWN_CALLS[id % OWN_CALLS.length];
  const item = (type: string): Part => ({
    type: "opaque",
    provider: "openai",
    value: { type, call_id: `${name}_${id}`, ...(name === "tool_search" && { execution: "client" }) },
  });
  const [call, output] = [
    item(`${name}_call`),
    item(name === "tool_search" ? `${name}_output` : `${name}_call_output`),
  ];
  if (role === "assistant" && die < 3) return die === 0 ? [call, output] : [call];
  // No model writes a host's answer: it comes first in the next message.
  return role !== "system" && at === 0 && die > 5 ? [output] : [];
}

/** Hosted items appear between others and are never answered. */
function hostedBefore({ type }: Part, die: number): readonly Part[] {
  const value = type === "tool-call" ? HOSTED[die] : undefined;
  return value === undefined ? [] : [{ type: "opaque", provider: "openai", value }];
}

/** What OpenAI's model asks for after one reasoning: of the host, of a tool at the provider, or nothing. */
const AWAITED: readonly string[] = ["computer", "mcp_approval", "shell", "shell-unnamed", "apply_patch"];
const ASKED = [...AWAITED, "function", "custom", "web_search", "text", "text-unnamed", "compaction", "reasoning"];

/** One event of a conversation: the model asks, the user speaks, or the host answers with the nth open call. */
type RunEvent = { readonly asks: readonly string[] } | { readonly answers: readonly number[] } | "user";

const runEvents: fc.Arbitrary<readonly RunEvent[]> = fc.array(
  fc.oneof(
    fc.record({ asks: fc.array(fc.constantFrom(...ASKED), { minLength: 1, maxLength: 4 }) }),
    fc.record({ answers: fc.array(fc.nat({ max: 5 }), { minLength: 1, maxLength: 3 }) }),
    fc.record({ answers: fc.array(fc.nat({ max: 5 }), { minLength: 1, maxLength: 3 }) }),
    fc.constant("user" as const),
  ),
  { minLength: 2, maxLength: 9 },
);

/**
 * Conversations with a reasoning model of OpenAI: every answer begins with reasoning, which all items up to the next
 * one share, and hosts answer in time, late, in another order or never. Hosts leave out the ids of some texts. No id is
 * used twice.
 */
export const reasonedThreads: fc.Arbitrary<AgentThread> = runEvents.map((events) => {
  const said: (readonly [Message["role"], readonly Part[]])[] = [["user", [{ type: "text", text: "Go." }]]];
  let open: Part[] = [];
  for (const [nth, event] of events.entries()) {
    if (event === "user") said.push(["user", [{ type: "text", text: `Hurry ${nth}.` }]]);
    else if ("asks" in event) {
      if (said.at(-1)?.[0] !== "user") said.push(["user", [{ type: "text", text: `On ${nth}.` }]]);
      const parts = ["reasoning", ...withoutReasoningOn(event.asks)].map((kind, at) => asked(kind, `${nth}_${at}`));
      said.push(["assistant", parts]);
      open = [...open, ...parts.filter((part) => answerTo(part) !== undefined)];
    } else {
      const chosen = new Set(event.answers.flatMap((at) => open[at] ?? []));
      open = open.filter((part) => !chosen.has(part));
      const answers = [...chosen].flatMap((part) => answerTo(part) ?? []);
      const items = answers.filter(({ type }) => type === "opaque");
      if (items.length > 0) said.push(["user", items]);
      for (const part of answers) if (part.type === "tool-result") said.push(["tool", [part]]);
    }
  }
  return threadOf("reasoned", said);
});

const threadOf = (id: string, said: readonly (readonly [Message["role"], readonly Part[]])[]): AgentThread =>
  AgentThread.empty(asThreadId(id)).append(
    said.map(([role, parts], at) => ({
      ...{ id: asMessageId(`m${at}`), role, parts },
      createdAt: "2026-01-01T00:00:00.000Z",
    })),
  );

/** Where the host is to answer, the model waits before it reasons on. */
const withoutReasoningOn = (kinds: readonly string[]): readonly string[] =>
  kinds.filter((kind, at) => {
    const before = kinds.slice(0, at).findLast((one) => one !== "reasoning") ?? "";
    return kind !== "reasoning" || !AWAITED.includes(before);
  });

function asked(kind: string, id: string): Part {
  const own = (type: string, value: JsonObject): Part => ({
    ...{ type: "opaque", provider: "openai" },
    value: { type, ...value },
  });
  const named = (item: string): Pick<Message, "providerMetadata"> => ({ providerMetadata: { openai: { id: item } } });
  const call = { type: "tool-call", callId: asToolCallId(`call_${id}`), toolName: "look" } as const;
  switch (kind) {
    case "reasoning": {
      const item = { type: "reasoning", id: `rs_${id}`, summary: [] };
      const proof = { provider: "openai", encrypted: `ZW5j${id}` };
      return { ...{ type: "reasoning", text: "" }, ...proof, providerMetadata: { openai: { item } } };
    }
    case "text":
      return { type: "text", text: `So ${id}.`, ...named(`msg_${id}`) };
    case "text-unnamed":
      return { type: "text", text: `So ${id}.` };
    case "function":
      return { ...call, input: {}, ...named(`fc_${id}`) };
    case "custom":
      return {
        ...{ ...call, input: "ls" },
        providerMetadata: { openai: { type: "custom_tool_call", id: `ctc_${id}` } },
      };
    case "web_search":
      return own("web_search_call", { id: `ws_${id}`, status: "completed" });
    case "compaction":
      return own("compaction", { id: `cmp_${id}`, encrypted_content: "ZW5j" });
    case "mcp_approval":
      return own("mcp_approval_request", { id: `mcpr_${id}`, name: "look", server_label: "s", arguments: "{}" });
    case "shell-unnamed":
      return own("shell_call", { call_id: `call_${id}` });
    default:
      return own(`${kind}_call`, { id: `item_${id}`, call_id: `call_${id}` });
  }
}

/** The host's answer to a call; undefined for what nobody answers. */
function answerTo(part: Part): Part | undefined {
  if (part.type === "tool-call") {
    const { callId, toolName } = part;
    const content = { type: "text", text: "Seen." } as const;
    return { type: "tool-result", result: { toolName, callId, outcome: "success", content } };
  }
  if (part.type !== "opaque") return undefined;
  const { type, id, call_id: callId } = Object(part.value) as JsonObject;
  if (type === "mcp_approval_request") {
    const value = { type: "mcp_approval_response", approval_request_id: String(id), approve: true };
    return { ...part, value };
  }
  return callId === undefined ? undefined : { ...part, value: { type: `${type}_output`, call_id: callId, output: {} } };
}

/** What an answer of a model with tools at its provider consists of. */
const SERVED_KINDS = [
  ...["text", "call", "call", "search", "search", "open-search", "open-search", "answer", "answer", "broken-answer"],
  ...["call-of-first", "call-of-last", "thinking", "handover", "compaction"],
] as const;

/** One event of such a conversation: the model answers, the host runs so many calls, or somebody speaks. */
type ServedEvent = { readonly says: readonly string[] } | { readonly runs: number } | "user" | "system";

const servedEvents: fc.Arbitrary<readonly ServedEvent[]> = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ says: fc.array(fc.constantFrom(...SERVED_KINDS), { minLength: 1, maxLength: 4 }) }),
    },
    { weight: 4, arbitrary: fc.record({ runs: fc.constantFrom(1, 9, 9, 9) }) },
    { weight: 2, arbitrary: fc.constantFrom("user" as const, "system" as const) },
  ),
  { minLength: 2, maxLength: 16 },
);

/**
 * Conversations with a model of Anthropic that uses tools of the provider: searches that are answered immediately, in a
 * later answer, with something that is not sent, or never; calls made by a program of the provider; another model that
 * takes over; a compaction. No id is used twice.
 */
export const servedThreads: fc.Arbitrary<AgentThread> = servedEvents.map((events) => {
  const said: (readonly [Message["role"], readonly Part[]])[] = [["user", [{ type: "text", text: "Go." }]]];
  const made: Made = { calls: [], searches: [], open: [] };
  for (const [nth, event] of events.entries()) {
    if (event === "user" || event === "system") said.push([event, [{ type: "text", text: `On ${nth}.` }]]);
    else if ("says" in event) {
      // Another model takes over before anything was asked of the host.
      const kinds = event.says.filter((kind, at) => kind !== "handover" || at === 0);
      const parts = kinds.flatMap((kind, at) => servedPart(kind, `${nth}_${at}`, made));
      if (parts.length > 0) said.push(["assistant", parts]);
    } else
      for (const call of made.calls.splice(0, event.runs))
        said.push(["tool", [answerTo(call)].flatMap((one) => one ?? [])]);
  }
  return threadOf("served", said);
});

/** What was said so far: calls that the host did not run yet, all searches, and those without an answer. */
interface Made {
  readonly calls: Part[];
  readonly searches: string[];
  readonly open: string[];
}

function servedPart(kind: string, id: string, { calls, searches, open }: Made): Part | readonly Part[] {
  const item = (value: JsonObject): Part => ({ type: "opaque", provider: "anthropic", value });
  const found = (search: string, content: JsonValue): Part =>
    item({ type: "web_search_tool_result", tool_use_id: search, content });
  switch (kind) {
    case "text":
      return { type: "text", text: `So ${id}.` };
    case "thinking":
      return { type: "reasoning", text: `Hm ${id}.`, provider: "anthropic", signature: `c2ln${id}` };
    case "handover":
      return HANDOVER;
    case "compaction":
      return item({ type: "compaction", content: "They planned it." });
    case "answer":
    case "broken-answer":
      return open.splice(0, 1).map((search) => found(search, kind === "answer" ? [] : " "));
    case "search":
    case "open-search": {
      const asks = item({ type: "server_tool_use", id: `s${id}`, name: "web_search", input: {} });
      searches.push(`s${id}`);
      if (kind === "search") return [asks, found(`s${id}`, [])];
      open.push(`s${id}`);
      return asks;
    }
    default: {
      const maker = kind === "call" ? undefined : searches.at(kind === "call-of-first" ? 0 : -1);
      const caller = { anthropic: { caller: { type: "code_execution_20250825", tool_id: maker ?? "" } } };
      const made = maker === undefined ? {} : { providerMetadata: caller };
      const call: Part = { type: "tool-call", callId: asToolCallId(`c${id}`), toolName: "look", input: {}, ...made };
      calls.push(call);
      return call;
    }
  }
}
