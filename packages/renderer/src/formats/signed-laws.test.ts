import {
  AgentThread,
  asArtifactId,
  asMessageId,
  asPinId,
  asThreadId,
  asToolCallId,
  type ExternalizationRecord,
  emptyPlan,
  emptySummary,
  type JsonObject,
  type MessageId,
  type Part,
  type Pin,
  type Role,
  sealPlan,
  type ThreadEntryInput,
} from "@threadfold/core";
import { brokenLaws, forAll, keepLaws, planRecordsFor, together } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RenderInput } from "../input/render-input.ts";
import { formatChecks, formatLaws } from "../laws/format-laws.ts";
import { countThread, planOf } from "../laws/render-inputs.ts";
import { renderRequest } from "../rendering/render-request.ts";
import { reasonedThreads, servedThreads, signedInputs } from "../testing/signed-inputs.ts";
import { aiSdk } from "./ai-sdk/format.ts";
import { anthropicMessages } from "./anthropic-messages/format.ts";
import { gemini } from "./gemini/format.ts";
import { geminiInteractions } from "./gemini-interactions/format.ts";
import { neutral } from "./neutral/format.ts";
import { openaiChat } from "./openai-chat/format.ts";
import { openaiResponses } from "./openai-responses/format.ts";

for (const format of [openaiChat, openaiResponses, gemini, anthropicMessages, aiSdk]) {
  const title = "keeps its laws with ids, signatures and hosted items of its provider in the log (W15, W16)";
  const law = { ...together(title, formatChecks(format)), cost: 1 };
  keepLaws(format.id, forAll(signedInputs, [law], 60), { describe, it });
}

/** Inputs in which hosted items follow reasoning, and models took turns. */
const hostedInputs = fc
  .tuple(signedInputs, fc.array(fc.constantFrom("gpt-5", "gpt-5-mini"), { minLength: 1, maxLength: 5 }))
  .map(([input, models]): RenderInput => {
    const entries = [...input.thread.entries].map((entry): ThreadEntryInput => {
      if (entry.type !== "message" || entry.message.role !== "assistant") return entry;
      const { ordinal, turn: _t, step: _s, ...message } = entry.message;
      const parts = message.parts.flatMap((part, at): readonly Part[] =>
        part.type === "reasoning" ? [part, searchCalled(`ws_${ordinal}_${at}`)] : [part],
      );
      return { type: "message", message: { ...message, parts, model: models[ordinal % models.length] as string } };
    });
    const thread = AgentThread.empty(input.thread.id).appendEntries(entries);
    return { ...input, thread, ledger: countThread(thread), model: "gpt-5" };
  });

const searchCalled = (id: string): Part => ({
  type: "opaque",
  provider: "openai",
  value: { type: "web_search_call", id },
});

const hostedLaw = {
  name: "no hosted item is sent without the reasoning that it came with (W16)",
  broken(input: RenderInput): string | null {
    const sent = new Set(renderRequest(input, openaiResponses).request.messages.flatMap(({ parts }) => parts));
    for (const entry of input.thread.entries) {
      let reasoning: Part | undefined;
      for (const part of entry.type === "message" ? entry.message.parts : []) {
        if (part.type === "reasoning") reasoning = part;
        const isLone = part.type === "opaque" && reasoning !== undefined && sent.has(part) && !sent.has(reasoning);
        if (isLone && Object(part.value).type === "web_search_call") return `${JSON.stringify(part.value)} is alone`;
      }
    }
    return null;
  },
};

keepLaws(
  openaiResponses.id,
  [
    ...forAll(hostedInputs, [hostedLaw], 60),
    ...forAll(
      hostedInputs,
      [{ ...together("keeps its laws where models took turns", formatChecks(openaiResponses)), cost: 1 }],
      40,
    ),
  ],
  { describe, it },
);

/** Inputs with these threads, whole and under plans that fold parts of them. */
const inputsWith = (threads: fc.Arbitrary<AgentThread>): fc.Arbitrary<RenderInput> =>
  threads
    .chain((thread) => fc.tuple(fc.constant(thread), fc.nat({ max: thread.version }), fc.boolean()))
    .chain(([thread, seen, isWhole]) => {
      const records = isWhole ? fc.constant([]) : planRecordsFor(thread.atVersion(seen));
      return fc.tuple(fc.constant(thread), fc.constant(thread.atVersion(seen)), records);
    })
    .map(([thread, seen, records]) => ({
      ...{ thread, plan: planOf(seen, records), ledger: countThread(thread), system: [], tools: [] },
    }));

/** Inputs in which every answer begins with reasoning. */
const reasonedInputs = inputsWith(reasonedThreads);

for (const format of [anthropicMessages, openaiChat]) {
  const title = "keeps its laws with tools that run at the provider, and calls they made (W1, W15)";
  const law = { ...together(title, formatChecks(format)), cost: 1 };
  keepLaws(format.id, forAll(inputsWith(servedThreads), [law], 60), { describe, it });
}

const idOf = (part: Part): unknown => {
  if (part.type === "opaque") return Object(part.value).id;
  const metadata = part.providerMetadata?.["openai"];
  return metadata?.["id"] ?? Object(metadata?.["item"]).id;
};

/** Maps the id of each item to that of the reasoning which it came with. */
function reasoningOf({ messages }: AgentThread): ReadonlyMap<unknown, unknown> {
  const found = new Map<unknown, unknown>();
  for (const { parts } of messages) {
    let latest: unknown;
    for (const part of parts) {
      if (part.type === "reasoning") latest = idOf(part);
      else if (latest !== undefined && idOf(part) !== undefined) found.set(idOf(part), latest);
    }
  }
  return found;
}

const payloadOf = (input: RenderInput): JsonObject =>
  openaiResponses.lower(renderRequest(input, openaiResponses).request).payload;

const reasonedLaws = [
  {
    name: "a request to a model that reasons is legal (W16)",
    broken(input: RenderInput): string | null {
      const [found] = openaiResponses.check({ ...payloadOf(input), reasoning: { effort: "low" } });
      return found === undefined ? null : `${found.rule} at ${found.at}: ${found.problem}`;
    },
  },
  {
    name: "every item with an id follows the very reasoning that it came with, named as it was (W16)",
    broken(input: RenderInput): string | null {
      const partners = reasoningOf(input.thread);
      let latest: unknown;
      for (const item of payloadOf(input)["input"] as readonly JsonObject[]) {
        const { type, role, id } = item;
        if (type === "reasoning") latest = id;
        else if (role === "user" || /_output$|_response$/.test(String(type))) latest = undefined;
        else if (id !== undefined && partners.has(id) && type !== "compaction" && partners.get(id) !== latest)
          return `${JSON.stringify(item)} follows ${JSON.stringify(latest)}`;
      }
      return null;
    },
  },
  {
    name: "a call that the host answered is sent with its answer",
    broken(input: RenderInput): string | null {
      if (input.plan.version > 0) return null;
      const sent = new Set((payloadOf(input)["input"] as readonly JsonObject[]).map(keyOf));
      const answers = [...input.thread.messages].flatMap(({ parts }) =>
        parts.flatMap((part) => (part.type === "opaque" ? keyOf(part.value as JsonObject) : [])),
      );
      const lost = answers.find((key) => key.startsWith("answer") && !(sent.has(key) && sent.has(key.slice(7))));
      return lost === undefined ? null : `${lost} is not sent with its call`;
    },
  },
];

/** Names a call and its answer: "answer x" answers "x". */
function keyOf({ type, call_id: callId, approval_request_id: approved, id }: JsonObject): string {
  if (approved !== undefined) return `answer ${String(approved)}`;
  if (type === "mcp_approval_request") return String(id);
  return String(type).endsWith("_output") ? `answer ${String(callId)}` : String(callId);
}

keepLaws(
  openaiResponses.id,
  [
    ...forAll(reasonedInputs, reasonedLaws, 200),
    ...forAll(
      reasonedInputs,
      [{ ...together("keeps its laws where items share their reasoning", formatChecks(openaiResponses)), cost: 1 }],
      60,
    ),
  ],
  { describe, it },
);

/** What each provider's own compaction gives: as it came, with a signature, and one that failed. */
const ITEMS: Readonly<Record<string, readonly JsonObject[]>> = {
  anthropic: [
    { type: "compaction", content: "They planned it." },
    { type: "compaction", content: "They planned it.", signature: "c2ln" },
    { type: "compaction", content: null },
  ],
  openai: [{ type: "compaction", encrypted_content: "ZW5j" }],
};

const items = fc
  .constantFrom(...Object.entries(ITEMS))
  .chain(([provider, values]) =>
    fc.constantFrom(...values).map((value): Part => ({ type: "opaque", provider, value })),
  );

/** Puts one or two of them at the beginning of assistant messages; the plan may name the last one. */
function compacted([input, added, at, isNamed]: [RenderInput, readonly Part[], number, boolean]): RenderInput {
  const entries = [...input.thread.entries].map((entry): ThreadEntryInput => {
    if (entry.type !== "message") return entry;
    const { ordinal: _o, turn: _t, step: _s, ...message } = entry.message;
    return { type: "message", message };
  });
  const said = entries.flatMap((entry, index) =>
    entry.type === "message" && entry.message.role === "assistant" && entry.message.branch === undefined ? [index] : [],
  );
  let named: MessageId | undefined;
  for (const [nth, item] of added.entries()) {
    const index = said[(at + nth) % Math.max(1, said.length)];
    const entry = index === undefined ? undefined : entries[index];
    if (index === undefined || entry?.type !== "message") continue;
    const { message } = entry;
    entries[index] = { ...entry, message: { ...message, parts: [item, ...message.parts] } };
    if (isNamed && index < input.plan.threadVersion) named = message.id;
  }
  const thread = AgentThread.empty(input.thread.id).appendEntries(entries);
  const isNaming = named !== undefined && input.plan.version > 0;
  const plan = isNaming ? sealPlan({ ...input.plan, providerItem: named as MessageId }) : input.plan;
  return { ...input, thread, plan, ledger: countThread(thread) };
}

/** Inputs of the laws with such items. */
const compactedInputs = fc
  .tuple(signedInputs, fc.array(items, { minLength: 1, maxLength: 2 }), fc.nat(), fc.boolean())
  .map(compacted);

for (const format of [openaiChat, openaiResponses, gemini, geminiInteractions, anthropicMessages, neutral]) {
  const title = "keeps its laws with items of a compaction at a provider, which the plan may name";
  const law = { ...together(title, formatChecks(format)), cost: 1 };
  keepLaws(format.id, forAll(compactedInputs, [law], 30), { describe, it });
}

/**
 * Inputs in which a plan names an item of a provider, followed by pins on what was said before it, some of them taken
 * back, with the conversation going on after each.
 */
const pinnedInputs = (provider: string) =>
  fc
    .tuple(signedInputs, fc.nat(), fc.array(fc.tuple(fc.nat(), fc.boolean()), { minLength: 1, maxLength: 3 }))
    .map(([{ plan, ...rest }, place, pinned]): RenderInput => {
      const item: Part = { type: "opaque", provider, value: ITEMS[provider]?.[0] as JsonObject };
      const seen = sealPlan({ ...plan, version: 1, threadVersion: rest.thread.version });
      const input = compacted([{ ...rest, plan: seen }, [item], place, true]);
      const opening = input.thread.message(input.plan.providerItem ?? asMessageId("none"))?.ordinal ?? 0;
      const texts = [...input.thread.messages]
        .slice(0, opening + 1)
        .flatMap(({ id, parts }) =>
          parts.flatMap((part) => (part.type === "text" && part.text.trim() !== "" ? [{ id, text: part.text }] : [])),
        );
      const added = pinned.flatMap(([at, isTakenBack], nth): readonly ThreadEntryInput[] => {
        const said = texts[at % Math.max(1, texts.length)];
        if (said === undefined) return [];
        const pinId = asPinId(`late-${nth}`);
        const source = { messageId: said.id, start: 0, end: said.text.length };
        const pin: Pin = { id: pinId, text: said.text, authority: "user", origin: "explicit", source };
        const lifted = { type: "pin-lifted", pinId, authority: "user", reason: "done", why: "taken-back" } as const;
        return [{ type: "pin", pin }, ...spoken(nth), ...(isTakenBack ? [lifted] : [])];
      });
      const thread = input.thread.appendEntries(added);
      return { ...input, thread, ledger: countThread(thread) };
    });

const spoken = (nth: number): readonly ThreadEntryInput[] =>
  (["user", "assistant"] as const).map((role) => ({
    type: "message",
    message: {
      ...{ id: asMessageId(`late-${role}-${nth}`), role, parts: [{ type: "text", text: `On ${nth}.` }] },
      createdAt: "2026-01-01T00:00:00.000Z",
    },
  }));

for (const [provider, format] of [
  ["openai", openaiResponses],
  ["anthropic", anthropicMessages],
] as const) {
  const title =
    "keeps its laws with pins that were made after the plan on what an item of a provider stands for (P5, P9)";
  const law = { ...together(title, formatChecks(format)), cost: 1 };
  keepLaws(format.id, forAll(pinnedInputs(provider), [law], 20), { describe, it });
}

it("thinking in a message of its own is dropped with the hosted call it led to when the user speaks (W15)", async () => {
  const said: readonly (readonly [Role, Part])[] = [
    ["user", { type: "text", text: "Look." }],
    ["assistant", { type: "reasoning", text: "I look.", provider: "anthropic", signature: "c2ln" }],
    [
      "assistant",
      { type: "opaque", provider: "anthropic", value: { type: "mcp_tool_use", id: "m1", name: "look", input: {} } },
    ],
    ["user", { type: "text", text: "Wait." }],
  ];
  const thread = AgentThread.empty(asThreadId("t")).append(
    said.map(([role, part], at) => ({
      ...{ id: asMessageId(`m${at}`), role, parts: [part] },
      createdAt: "2026-01-01T00:00:00.000Z",
    })),
  );
  const plan = emptyPlan(thread.id, "test");
  const input = { thread, plan, ledger: countThread(thread), system: [], tools: [] };
  const laws = formatLaws(anthropicMessages, { inputs: fc.constant(input), times: 1 });
  expect(await brokenLaws(laws)).toEqual([]);
});

it("a summary in the assistant role ends the wait of a provider-side call before it (W2, W13)", async () => {
  const call: Part = { type: "tool-call", callId: asToolCallId("c1"), toolName: "look", input: {} };
  const other: Part = { ...call, callId: asToolCallId("c2") };
  const resultOf = ({ callId }: typeof call): Part => ({
    type: "tool-result",
    result: { toolName: "look", callId, outcome: "success", content: { type: "text", text: "Seen." } },
  });
  const served = (value: JsonObject): Part => ({ type: "opaque", provider: "anthropic", value });
  const search = served({ type: "server_tool_use", id: "s1", name: "web_search", input: {} });
  const said: readonly (readonly [Role, readonly Part[]])[] = [
    ["user", [{ type: "text", text: "Look." }]],
    ["assistant", [call, search, other]],
    ["tool", [resultOf(call)]],
    ["tool", [resultOf(other)]],
    ["assistant", [{ type: "reasoning", text: "So.", provider: "anthropic", signature: "c2ln" }, call]],
    ["tool", [resultOf(call)]],
    ["assistant", [served({ type: "web_search_tool_result", tool_use_id: "s1", content: [] })]],
  ];
  const thread = AgentThread.empty(asThreadId("t")).append(
    said.map(([role, parts], at) => ({
      ...{ id: asMessageId(`m${at}`), role, parts },
      createdAt: "2026-01-01T00:00:00.000Z",
    })),
  );
  const span = { messageIds: [asMessageId("m2")], firstTurn: 1, lastTurn: 1 };
  const record: ExternalizationRecord = {
    ...{ action: "externalize", strategy: "externalize", reason: "old", sincePlanVersion: 1, originalTokens: 10, span },
    ...{ form: "span", artifactId: asArtifactId("artifact_1"), rehydrateHint: "" },
    summary: emptySummary(span),
  };
  const plan = sealPlan({ ...emptyPlan(thread.id, "test"), version: 1, threadVersion: 4, externalizations: [record] });
  const input = { thread, plan, ledger: countThread(thread), system: [], tools: [], summaryRole: "assistant" } as const;
  const laws = formatLaws(anthropicMessages, { inputs: fc.constant(input), times: 1 });
  expect(await brokenLaws(laws)).toEqual([]);
  const { request, warnings } = renderRequest(input, anthropicMessages);
  // The thought was had behind the fold, and stays: a word of the user parts the two.
  const thought = request.messages.findIndex(({ parts: [part] }) => part?.type === "reasoning");
  expect(request.messages[thought - 1]).toMatchObject({ role: "user", parts: [{ text: "[Continue from here]" }] });
  const leftOut = warnings.filter(({ kind }) => kind === "opaque-left-out");
  expect(leftOut.map(({ messageIds }) => messageIds)).toEqual([["m1", "m6"]]);
});

it("a signed provider item that opens the request is sent without a second one after it", async () => {
  const item = (value: JsonObject): Part => ({
    type: "opaque",
    provider: "anthropic",
    value: { type: "compaction", ...value },
  });
  const signed = item({ content: "They planned it.", signature: "c2ln" });
  const other = item({ content: "They did it." });
  const text: Part = { type: "text", text: "On." };
  const said: readonly (readonly [Role, readonly Part[]])[] = [
    ["assistant", [signed, other, text]],
    ["user", [text]],
    ["assistant", [other, text]],
    ["user", [text]],
  ];
  const thread = AgentThread.empty(asThreadId("t")).append(
    said.map(([role, parts], at) => ({
      ...{ id: asMessageId(`m${at}`), role, parts },
      createdAt: "2026-01-01T00:00:00.000Z",
    })),
  );
  const input = { thread, plan: emptyPlan(thread.id, "test"), ledger: countThread(thread), system: [], tools: [] };
  const laws = formatLaws(anthropicMessages, { inputs: fc.constant(input), times: 1 });
  expect(await brokenLaws(laws)).toEqual([]);
  const misplaced = { kind: "opaque-left-out", reason: "misplaced", messageIds: ["m0", "m2"] };
  expect(renderRequest(input, anthropicMessages).warnings).toEqual([misplaced]);
  // A fold of what came later leaves the item first.
  const span = { messageIds: [asMessageId("m3")], firstTurn: 1, lastTurn: 1 };
  const drop = {
    action: "drop",
    strategy: "drop",
    reason: "old",
    sincePlanVersion: 1,
    originalTokens: 10,
    span,
  } as const;
  const plan = sealPlan({ ...input.plan, version: 1, threadVersion: 4, drops: [{ ...drop, keywords: [] }] });
  expect(
    await brokenLaws(formatLaws(anthropicMessages, { inputs: fc.constant({ ...input, plan }), times: 1 })),
  ).toEqual([]);
  expect(renderRequest({ ...input, plan }, anthropicMessages).warnings).toContainEqual(misplaced);
});

it("a late answer to a client-side tool search appears with its call, and nothing before the call moves", async () => {
  const item = (type: string, id: string): Part => ({
    ...{ type: "opaque", provider: "openai" },
    value: { type, execution: "client", call_id: id },
  });
  const said: readonly (readonly [Role, readonly Part[]])[] = [
    ["user", [{ type: "text", text: "Look." }]],
    [
      "assistant",
      [{ type: "text", text: "I look." }, item("tool_search_call", "late"), item("tool_search_call", "soon")],
    ],
    ["user", [item("tool_search_output", "soon")]],
    ["user", [{ type: "text", text: "And?" }]],
    ["assistant", [{ type: "text", text: "I wait." }]],
    ["user", [item("tool_search_output", "late")]],
    ["user", [{ type: "text", text: "Now?" }]],
  ];
  const thread = AgentThread.empty(asThreadId("t")).append(
    said.map(([role, parts], at) => ({
      ...{ id: asMessageId(`m${at}`), role, parts },
      createdAt: "2026-01-01T00:00:00.000Z",
    })),
  );
  const input = { thread, plan: emptyPlan(thread.id, "test"), ledger: countThread(thread), system: [], tools: [] };
  const laws = formatLaws(openaiResponses, { inputs: fc.constant(input), times: 1 });
  expect(await brokenLaws(laws)).toEqual([]);
  const shown = (version: number) => {
    const { request, warnings } = renderRequest({ ...input, thread: thread.atVersion(version) }, openaiResponses);
    const items = openaiResponses.lower(request).payload["input"] as readonly JsonObject[];
    return { items: items.map((one) => one["content"] ?? `${one["type"]} ${one["call_id"]}`), warnings };
  };
  const before = ["Look.", "I look.", "tool_search_call soon", "tool_search_output soon", "And?"];
  expect(shown(4).items).toEqual(before);
  const late = ["I wait.", "tool_search_call late", "tool_search_output late", "Now?"];
  expect(shown(7).items).toEqual([...before, ...late]);
  expect(shown(7).warnings).toEqual([{ kind: "call-moved", messageIds: ["m1"] }]);
});

it("a result is dropped with a warning when its call precedes the provider's item in the same message", async () => {
  const call = (id: string): Part => ({ type: "tool-call", callId: asToolCallId(id), toolName: "look", input: {} });
  const answer = (id: string): Part => ({
    type: "tool-result",
    result: {
      toolName: "look",
      callId: asToolCallId(id),
      outcome: "success",
      content: { type: "text", text: "Seen." },
    },
  });
  const said: readonly (readonly [Role, readonly Part[]])[] = [
    ["user", [{ type: "text", text: "Look." }]],
    [
      "assistant",
      [
        call("before"),
        { type: "opaque", provider: "openai", value: { type: "compaction", encrypted_content: "ZW5j" } },
        call("behind"),
      ],
    ],
    ["tool", [answer("before")]],
    ["tool", [answer("behind")]],
  ];
  const thread = AgentThread.empty(asThreadId("t")).append(
    said.map(([role, parts], at) => ({
      ...{ id: asMessageId(`m${at}`), role, parts },
      createdAt: "2026-01-01T00:00:00.000Z",
    })),
  );
  const named = { ...emptyPlan(thread.id, "test"), version: 1, threadVersion: 4, providerItem: asMessageId("m1") };
  const input = { thread, plan: sealPlan(named), ledger: countThread(thread), system: [], tools: [] };
  const laws = formatLaws(openaiResponses, { inputs: fc.constant(input), times: 1 });
  expect(await brokenLaws(laws)).toEqual([]);
  const { warnings } = renderRequest(input, openaiResponses);
  expect(warnings).toContainEqual(
    expect.objectContaining({ kind: "result-left-out", reason: "no-call", messageIds: ["m2"] }),
  );
});
