import {
  AgentThread,
  AppendOnlyList,
  asMessageId,
  asThreadId,
  asToolCallId,
  emptyPlan,
  groupRecords,
  type JsonObject,
  type Message,
  type MessageInput,
  type Part,
  sealPlan,
  spanOf,
} from "@threadfold/core";
import { assistant, call, message, result, runs, text, tool } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { anthropicMessages } from "../formats/anthropic-messages/format.ts";
import { FORMATS } from "../formats/formats.ts";
import { gemini } from "../formats/gemini/format.ts";
import { geminiInteractions } from "../formats/gemini-interactions/format.ts";
import { openaiResponses } from "../formats/openai-responses/format.ts";
import type { ProviderFormat } from "../formats/provider-format.ts";
import type { RenderInput, Rendering } from "../input/render-input.ts";
import { countThread } from "../laws/render-inputs.ts";
import { GrowingPayload } from "./growing-payload.ts";
import { GrowingRendering } from "./growing-rendering.ts";
import { renderRequest } from "./render-request.ts";

const threadId = asThreadId("long");
const said = (index: number): MessageInput =>
  message(`m${index}`, index % 2 === 0 ? "user" : "assistant", `Message ${index}.`);
/** A call, and its result. */
const agentStep = (index: number): readonly [MessageInput, MessageInput] => [
  assistant(`a${index}`, [text(`I read file ${index}.`), call(`c${index}`, "read", { path: `${index}.ts` })]),
  tool(`t${index}`, result(`c${index}`, `The text of ${index}.`, { toolName: "read" })),
];
/** The same lists each time: a rendering goes on only where its frame is the same. */
const FRAME = { system: [], tools: [] };
const plan = emptyPlan(threadId, "test");
const inputOf = (thread: AgentThread) => ({
  thread,
  plan,
  ledger: countThread(thread),
  ...FRAME,
});

/** A turn after each of so many steps. */
const STEPS = 40;

/** Checks that a rendering that follows an agent's steps settles all but what the newest ones may still change. */
function expectSettled(step: (index: number) => readonly MessageInput[], format: ProviderFormat): Rendering {
  let thread = AgentThread.empty(threadId).append([said(0)]);
  let following = GrowingRendering.of(inputOf(thread), format);
  let least = 0;
  for (let index = 1; index <= STEPS; index++) {
    thread = thread.append(step(index));
    following = following.grow(inputOf(thread));
    expect(following.settledChats.length).toBeGreaterThanOrEqual(least);
    least = following.settledChats.length;
  }
  expect(following.rendering.request).toEqual(renderRequest(inputOf(thread), format).request);
  expect(following.settledChats.length).toBeGreaterThan(2 * (STEPS - 2));
  return following.rendering;
}

const itemsOf = (provider: string, ...values: readonly JsonObject[]): readonly Part[] =>
  values.map((value) => ({ type: "opaque", provider, value }));

/** A call and its result, after items of the provider in the same answer. */
function stepAfter(index: number, items: readonly Part[]): readonly MessageInput[] {
  const [asked, read] = agentStep(index);
  return [{ ...asked, parts: [...items, ...asked.parts] } as MessageInput, read];
}

/** Returns the warnings of a rendering in an order of their own. */
const findingsOf = ({ warnings }: Rendering): readonly string[] =>
  warnings.map((warning) => JSON.stringify({ ...warning, messageIds: warning.messageIds.toSorted() })).toSorted();

type HostedStep = readonly [
  what: string,
  id: string,
  format: ProviderFormat,
  step: (index: number) => readonly MessageInput[],
];

const HOSTED_STEPS: readonly HostedStep[] = (
  [
    [
      "a search that the provider ran",
      anthropicMessages,
      (n) =>
        stepAfter(
          n,
          itemsOf(
            "anthropic",
            { type: "server_tool_use", id: `srvtoolu_${n}`, name: "web_search", input: { query: `${n}` } },
            { type: "web_search_tool_result", tool_use_id: `srvtoolu_${n}`, content: [] },
          ),
        ),
    ],
    [
      "a call that the provider's program made",
      anthropicMessages,
      (n) => {
        const [asked, read] = agentStep(n);
        const ran = itemsOf("anthropic", {
          ...{ type: "server_tool_use", id: `srvtoolu_${n}`, name: "code_execution" },
          input: { code: `read(${n})` },
        });
        const caller = { anthropic: { caller: { type: "code_execution_20250825", tool_id: `srvtoolu_${n}` } } };
        const called = asked.parts.map((part) =>
          part.type === "tool-call" ? { ...part, providerMetadata: caller } : part,
        );
        const done = itemsOf("anthropic", {
          ...{ type: "code_execution_tool_result", tool_use_id: `srvtoolu_${n}` },
          content: { type: "code_execution_result", stdout: "", stderr: "", return_code: 0, content: [] },
        });
        return [
          { ...asked, parts: [...ran, ...called] },
          read,
          assistant(`d${n}`, [...done, text("Done.")]),
          message(`m${n}`, "user", "Go on."),
        ] as readonly MessageInput[];
      },
    ],
    [
      "a search that the provider ran",
      openaiResponses,
      (n) => stepAfter(n, itemsOf("openai", { type: "web_search_call", id: `ws_${n}`, status: "completed" })),
    ],
    [
      "a search for tools, which has no id",
      openaiResponses,
      (n) =>
        stepAfter(
          n,
          itemsOf(
            "openai",
            { type: "tool_search_call", call_id: null, execution: "server", arguments: {} },
            { type: "tool_search_output", call_id: null, execution: "server", tools: [] },
          ),
        ),
    ],
    [
      "an item that the host answers",
      openaiResponses,
      (n) =>
        [
          assistant(`a${n}`, itemsOf("openai", { type: "shell_call", id: `sh_${n}`, call_id: `c${n}`, action: {} })),
          {
            ...message(`m${n}`, "user", ""),
            parts: itemsOf("openai", { type: "shell_call_output", call_id: `c${n}`, output: [] }),
          },
        ] as readonly MessageInput[],
    ],
    [
      "a search that the provider ran",
      geminiInteractions,
      (n) =>
        stepAfter(
          n,
          itemsOf(
            "google",
            { type: "google_search_call", id: `gs_${n}`, arguments: {} },
            { type: "google_search_result", call_id: `gs_${n}`, result: [] },
          ),
        ),
    ],
    [
      "code that the provider ran",
      gemini,
      (n) =>
        stepAfter(
          n,
          itemsOf(
            "google",
            { executableCode: { language: "PYTHON", code: `print(${n})` } },
            { codeExecutionResult: { outcome: "OUTCOME_OK", output: `${n}` } },
          ),
        ),
    ],
  ] as const satisfies readonly (readonly [string, ProviderFormat, HostedStep[3]])[]
).map(([what, format, step]) => [what, format.id, format, step]);

describe("a rendering that grows with its thread", () => {
  it("renders more messages than a function call can have arguments, and grows from there", () => {
    const thread = AgentThread.empty(threadId).append(Array.from({ length: 200_001 }, (_, index) => said(index)));
    const first = inputOf(thread);
    const rendering = GrowingRendering.of(first, anthropicMessages);
    const grown = rendering.grow({ ...first, thread: thread.append([said(200_001), said(200_002)]) });
    expect(grown.rendering.request.messages).toHaveLength(200_003);
    const payload = GrowingPayload.of(rendering, anthropicMessages).grow(grown);
    expect((payload.payload["messages"] as readonly unknown[]).length).toBe(200_003);
    expect(payload.violations).toEqual([]);
  });

  it.each(FORMATS.map((format) => [format.id, format] as const))(
    "equals a full rendering when reasoning stands between a call and its result, in %s",
    (_id, format) => {
      const createdAt = "2026-01-01T00:00:00.000Z";
      const call = (callId: string) =>
        ({ type: "tool-call", callId: asToolCallId(callId), toolName: "read", input: { callId } }) as const;
      const messages: readonly MessageInput[] = [
        said(0),
        { id: asMessageId("call"), role: "assistant", createdAt, parts: [call("c1")] },
        {
          id: asMessageId("thought"),
          role: "assistant",
          createdAt,
          parts: [{ type: "reasoning", text: "", encrypted: "AAAA", provider: "openai" }],
        },
        {
          id: asMessageId("result"),
          role: "tool",
          createdAt,
          parts: [
            {
              type: "tool-result",
              result: {
                callId: asToolCallId("c1"),
                toolName: "read",
                outcome: "success",
                content: { type: "text", text: "it" },
              },
            },
          ],
        },
        { id: asMessageId("next"), role: "assistant", createdAt, parts: [call("c2")] },
        said(4),
        said(5),
      ];
      let thread = AgentThread.empty(threadId).append(messages.slice(0, 1));
      let following = GrowingRendering.of(inputOf(thread), format);
      for (const message of messages.slice(1)) {
        thread = thread.append([message]);
        following = following.grow(inputOf(thread));
        expect(following.rendering.request).toEqual(renderRequest(inputOf(thread), format).request);
      }
    },
  );

  const hosted = itemsOf("anthropic", { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} });
  const followed: readonly (readonly [what: string, messages: readonly MessageInput[]])[] = [
    [
      "only a result of no call follows reasoning",
      [
        said(1),
        assistant("a2", [{ type: "reasoning", text: "I think.", signature: "AAAA", provider: "anthropic" }]),
        tool("t3", result("x3", "it")),
        assistant("a4", [call("c4", "read")]),
        said(6),
      ],
    ],
    [
      "a message that says nothing follows an open call of the provider",
      [
        assistant("a2", [text("I search."), ...hosted]),
        message("b3", "user", " "),
        ...agentStep(4),
        ...agentStep(5),
        assistant("a6", [text("I go on.")]),
      ],
    ],
  ];

  it.each(FORMATS.flatMap((format) => followed.map(([what, log]) => [what, format.id, format, log] as const)))(
    "equals a full rendering when %s, in %s",
    (_what, _id, format, log) => {
      let thread = AgentThread.empty(threadId).append([said(0)]);
      let following = GrowingRendering.of(inputOf(thread), format);
      for (const next of log) {
        thread = thread.append([next]);
        following = following.grow(inputOf(thread));
        expect(following.rendering.request).toEqual(renderRequest(inputOf(thread), format).request);
      }
    },
  );

  it.each(FORMATS.map((format) => [format.id, format] as const))(
    "P9: settles steps with what a provider says about each part, in %s",
    (_id, format) => {
      const of = (index: number) => ({
        openai: { itemId: `item_${index}` },
        anthropic: { note: index },
        google: { thoughtSignature: `${index}` },
      });
      const step = (index: number): readonly MessageInput[] => {
        const [asked, read] = agentStep(index);
        return [
          { ...asked, parts: asked.parts.map((part) => ({ ...part, providerMetadata: of(index) })) },
          { ...read, parts: read.parts.map((part) => ({ ...part, providerMetadata: of(index) })) },
        ] as readonly MessageInput[];
      };
      expectSettled(step, format);
    },
  );

  it.each(
    FORMATS.flatMap((format) =>
      [
        ["the same call ids each time", (_index: number) => ["call_0", "call_1"]],
        ["ids that others are sent under", (index: number) => [index % 3 === 0 ? "call_0-2" : "call_0", "call_0-3"]],
      ].map(([what, ids]) => [what as string, format.id, format, ids as (index: number) => readonly string[]] as const),
    ),
  )("P9: settles steps with %s, in %s", (_what, _id, format, ids) => {
    const step = (index: number): readonly MessageInput[] => [
      assistant(
        `a${index}`,
        ids(index).map((id) => call(id, "read", { path: `${id}/${index}.ts` })),
      ),
      ...ids(index).map((id) => tool(`t${index}-${id}`, result(id, `The text of ${index}.`, { toolName: "read" }))),
      // Every few steps a call is given up, and somebody speaks.
      ...(index % 7 === 0
        ? [assistant(`g${index}`, call("call_0", "read")), message(`s${index}`, "user", "Go on.")]
        : []),
    ];
    expectSettled(step, format);
  });

  it.each(FORMATS.map((format) => [format.id, format] as const))(
    "equals a full rendering whatever ids come again, from whichever value it grows, in %s",
    (_id, format) => {
      const ids = fc.constantFrom("c", "c-2", "c-3", "c|2", "d");
      const steps = fc.array(
        fc.record({
          calls: fc.array(ids, { maxLength: 3 }),
          answers: fc.array(ids, { maxLength: 3 }),
          inOrder: fc.boolean(),
          speaks: fc.boolean(),
          from: fc.nat({ max: 20 }),
        }),
        { minLength: 1, maxLength: 12 },
      );
      fc.assert(
        fc.property(steps, (made) => {
          const start = AgentThread.empty(threadId).append([said(0)]);
          const values = [{ thread: start, growing: GrowingRendering.of(inputOf(start), format) }];
          for (const [index, { calls, answers, inOrder, speaks, from }] of made.entries()) {
            // Mostly the newest value, now and then an older one.
            const { thread, growing } = values.at(
              -1 - (Math.floor((from * from) / 100) % values.length),
            ) as (typeof values)[number];
            const results = inOrder ? calls : answers;
            const longer = thread.append([
              assistant(`a${index}`, [text(`${index}`), ...calls.map((id) => call(id, "read"))]),
              ...results.map((id, at) => tool(`t${index}-${at}`, result(id, `${index} ${at}`, { toolName: "read" }))),
              ...(speaks ? [message(`s${index}`, "user", "Go on.")] : []),
            ]);
            const grown = growing.grow(inputOf(longer));
            const whole = renderRequest(inputOf(longer), format);
            expect(grown.rendering.request).toEqual(whole.request);
            expect(findingsOf(grown.rendering)).toEqual(findingsOf(whole));
            values.push({ thread: longer, growing: grown });
          }
        }),
        runs(200),
      );
    },
  );

  const disordered: readonly (readonly [what: string, step: (index: number) => readonly MessageInput[]])[] = [
    [
      "results that come in another order than their calls",
      (n) => [
        assistant(`a${n}`, [call(`c${n}`, "read"), call(`d${n}`, "read")]),
        tool(`t${n}`, result(`d${n}`, `${n}`, { toolName: "read" })),
        tool(`u${n}`, result(`c${n}`, `${n}`, { toolName: "read" })),
      ],
    ],
    [
      "the same call ids each time and results in another order",
      (n) => [
        assistant(`a${n}`, [call("call_0", "read"), call("call_1", "read")]),
        tool(`t${n}`, result("call_1", `${n}`, { toolName: "read" })),
        tool(`u${n}`, result("call_0", `${n}`, { toolName: "read" })),
      ],
    ],
    [
      "the same call id each time and results that come twice",
      (n) => [
        assistant(`a${n}`, [call("call_0", "read")]),
        tool(`t${n}`, result("call_0", `${n}`, { toolName: "read" })),
        tool(`u${n}`, result("call_0", `${n}`, { toolName: "read" })),
      ],
    ],
    ["results of no call", (n) => [...agentStep(n), tool(`u${n}`, result(`x${n}`, `${n}`, { toolName: "read" }))]],
    ["results that come twice", (n) => [...agentStep(n), tool(`u${n}`, result(`c${n}`, `${n}`, { toolName: "read" }))]],
  ];

  it.each(FORMATS.flatMap((format) => disordered.map(([what, step]) => [what, format.id, format, step] as const)))(
    "P9: settles steps with %s, in %s",
    (_what, _id, format, step) => {
      expectSettled(step, format);
    },
  );

  it.each(HOSTED_STEPS)("P9: settles steps with %s, in %s", (_what, _id, format, step) => {
    const { request } = expectSettled(step, format);
    const items = request.messages.flatMap(({ parts }) => parts).filter(({ type }) => type === "opaque");
    expect(items.length).toBeGreaterThanOrEqual(STEPS);
  });

  it("P9: settles steps with cache marks, of which the first ones stay", () => {
    const step = (index: number): readonly MessageInput[] => {
      const [asked, read] = agentStep(index);
      const anthropic = { cache_control: { type: "ephemeral" } };
      return [
        asked,
        { ...read, parts: read.parts.map((part) => ({ ...part, providerMetadata: { anthropic } })) },
      ] as const;
    };
    const { request, warnings } = expectSettled(step, anthropicMessages);
    const marked = request.messages.filter((message) => JSON.stringify(message).includes("cache_control"));
    expect(marked.map(({ sources }) => sources)).toEqual([["t1"], ["t2"], ["t3"], ["t4"]]);
    expect(warnings).toContainEqual(expect.objectContaining({ kind: "cache-mark-left-out" }));
  });

  it("P9: reports the edited range each turn after a fold without walking the kept messages", () => {
    let thread = AgentThread.empty(threadId).append(Array.from({ length: 300 }, (_, index) => said(index)));
    const span = spanOf([2, 3, 4, 5].map((ordinal) => thread.messageAt(ordinal) as Message));
    const record = { span, strategy: "test", reason: "test", sincePlanVersion: 1, originalTokens: 4 };
    const folded = sealPlan({
      ...{ ...plan, version: 1, threadVersion: thread.version },
      ...groupRecords([{ ...record, action: "drop", keywords: [] }]),
    });
    const inputNow = () => ({ ...inputOf(thread), plan: folded });
    let following = GrowingRendering.of(inputNow(), anthropicMessages);
    const walk = vi.spyOn(AppendOnlyList.prototype, Symbol.iterator);
    try {
      for (let index = 300; index < 310; index++) {
        thread = thread.append([said(index)]);
        following = following.grow(inputNow());
        walk.mockClear();
        const { manifest } = following.rendering;
        expect(walk).not.toHaveBeenCalled();
        const { firstEdited, firstUnedited } = renderRequest(inputNow(), anthropicMessages).manifest;
        expect([manifest.firstEdited, manifest.firstUnedited]).toEqual([firstEdited, firstUnedited]);
        expect(firstUnedited).toBe(296);
      }
    } finally {
      walk.mockRestore();
    }
  });

  it("starts over when anything but the thread changed, and otherwise grows", () => {
    const thread = AgentThread.empty(threadId).append([0, 1, 2, 3, 4].map(said));
    const first = { ...inputOf(thread), model: "claude-opus-4-5" };
    const longer = thread.append([said(5), said(6)]);
    const span = spanOf([thread.messageAt(0) as Message, thread.messageAt(1) as Message]);
    const record = { span, strategy: "test", reason: "test", sincePlanVersion: 1, originalTokens: 1 };
    const folded = sealPlan({
      ...{ ...plan, version: 1, threadVersion: 5 },
      ...groupRecords([{ ...record, action: "drop", keywords: [] }]),
    });
    const other = AgentThread.empty(threadId).append([10, 11, 12, 13, 14, 15, 16].map(said));
    const changes: readonly Partial<RenderInput>[] = [
      { thread: longer },
      { thread: longer, plan: folded },
      { thread: longer, tools: [{ name: "read", inputSchema: { type: "object" } }] },
      { thread: longer, system: ["be kind"] },
      { thread: longer, model: "claude-3-haiku" },
      { thread: longer, host: { thinking: { type: "enabled", budget_tokens: 1024 } } },
      { thread: longer, summaryRole: "user" },
      { thread: longer, capabilities: { openai: {} } as never },
      { thread: thread.atVersion(3) },
      { thread: other },
    ];
    for (const format of FORMATS) {
      const rendering = GrowingRendering.of(first, format);
      for (const change of changes) {
        const input = { ...first, ...change, ledger: countThread(change.thread ?? thread) };
        const grown = rendering.grow({ ...input, ledger: first.ledger }).rendering;
        expect(grown.request).toEqual(renderRequest(input, format).request);
        expect(grown.manifest).toEqual(renderRequest(input, format).manifest);
      }
    }
  });

  it("keeps a new call id apart from an earlier one that was sent under the same name", () => {
    const createdAt = "2026-01-01T00:00:00.000Z";
    const called = (id: string, callId: string): MessageInput => ({
      ...{ id: asMessageId(id), role: "assistant", createdAt },
      parts: [{ type: "tool-call", callId: asToolCallId(callId), toolName: "read", input: {} }],
    });
    const answered = (id: string, callId: string): MessageInput => {
      const content = { type: "text", text: "it" } as const;
      const result = { callId: asToolCallId(callId), toolName: "read", outcome: "success", content } as const;
      return { id: asMessageId(id), role: "tool", createdAt, parts: [{ type: "tool-result", result }] };
    };
    let thread = AgentThread.empty(threadId);
    let following: GrowingRendering | undefined;
    // Anthropic takes no bar in an id, so the first one goes out as `a_b`.
    const steps = ["a|b", "c", "d", "a_b"].flatMap((id, at) => [called(`m${2 * at + 2}`, id), answered(`r${at}`, id)]);
    for (const message of [said(0), ...steps]) {
      thread = thread.append([message]);
      const input = inputOf(thread);
      following = following?.grow(input) ?? GrowingRendering.of(input, anthropicMessages);
      expect(following.rendering.request).toEqual(renderRequest(input, anthropicMessages).request);
    }
    const ids = following?.rendering.request.messages.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === "tool-call" ? [part.callId] : [])),
    );
    expect(ids).toEqual(["a_b", "c", "d", "a_b-2"]);
  });
});
