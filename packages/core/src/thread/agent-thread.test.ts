import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { ThreadfoldError } from "../errors/threadfold-error.ts";
import { messageInputs } from "../laws/message-arbitrary.ts";
import { sampleMessage } from "../laws/samples.ts";
import { agentThreads, threadEntryInputs } from "../laws/thread-arbitrary.ts";
import { asMessageId, asPinId, asThreadId } from "../model/ids.ts";
import type { MessageInput } from "../model/message.ts";
import { AgentThread } from "./agent-thread.ts";
import { AppendOnlyList } from "./append-only-list.ts";
import { placeMessage, START_OF_THREAD } from "./thread-addition.ts";

const id = asThreadId("t");
const empty = AgentThread.empty(id);

/** All that can be seen of a thread. */
const everything = (thread: AgentThread) => ({
  version: thread.version,
  length: thread.length,
  position: thread.position,
  pins: thread.livePins,
  entries: [...thread.entries],
  messages: [...thread.messages],
  digest: thread.digest,
});

const inputs = threadEntryInputs({ malformed: true, maxMessages: 16 });

function thrownBy(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  throw new Error("Nothing was thrown.");
}

describe("append", () => {
  it("spec-1 returns a new value and leaves every older one unchanged", () => {
    fc.assert(
      fc.property(inputs, (entries) => {
        const history: { thread: AgentThread; was: ReturnType<typeof everything> }[] = [];
        let thread = empty;
        for (const entry of entries) {
          history.push({ thread, was: everything(thread) });
          thread = thread.appendEntries([entry]);
        }
        for (const { thread: old, was } of history) expect(everything(old)).toEqual(was);
      }),
      { numRuns: 60 },
    );
  });

  it("gives the same result at once, one by one and in any two batches", () => {
    fc.assert(
      fc.property(inputs, fc.nat(), (entries, pick) => {
        const atOnce = empty.appendEntries(entries);
        const oneByOne = entries.reduce((thread, entry) => thread.appendEntries([entry]), empty);
        const cut = pick % (entries.length + 1);
        const inTwo = empty.appendEntries(entries.slice(0, cut)).appendEntries(entries.slice(cut));
        expect(everything(oneByOne)).toEqual(everything(atOnce));
        expect(everything(inTwo)).toEqual(everything(atOnce));
      }),
      { numRuns: 100 },
    );
  });

  it("shares entries and messages with the previous value", () => {
    const before = empty.append([sampleMessage("a"), sampleMessage("b")]);
    const after = before.append([sampleMessage("c")]);
    expect(after.messageAt(0)).toBe(before.messageAt(0));
    expect(after.entriesBetween(0, 2).every((entry, index) => entry === before.entriesBetween(0)[index])).toBe(true);
  });

  it("neither copies nor walks the log when the newest value grows: O(1) amortized", () => {
    const copies = vi.spyOn(Array.prototype, "slice");
    const walks = vi.spyOn(AppendOnlyList.prototype, Symbol.iterator);
    const lookups = vi.spyOn(AppendOnlyList.prototype, "at");
    let thread = AgentThread.empty(id);
    for (let index = 0; index < 500; index++) thread = thread.append([sampleMessage(`m${index}`)]);
    const longCopies = copies.mock.calls.filter(
      ([start = 0, end = Number.POSITIVE_INFINITY]) => end - start > 50,
    ).length;
    const figures = { longCopies, walks: walks.mock.calls.length, lookups: lookups.mock.calls.length };
    vi.restoreAllMocks();
    expect(thread.length).toBe(500);
    expect(figures).toEqual({ longCopies: 0, walks: 0, lookups: 0 });
  });

  it("spec-1 deeply freezes its entries", () => {
    fc.assert(
      fc.property(agentThreads({ malformed: true, maxMessages: 12 }), (thread) => {
        for (const entry of thread.entries) expectFrozen(entry);
        for (const pin of thread.livePins) expectFrozen(pin);
      }),
      { numRuns: 60 },
    );
  });

  it("gives every message its ordinal, turn and step", () => {
    fc.assert(
      fc.property(agentThreads({ malformed: true, maxMessages: 30 }), (thread) => {
        let position = START_OF_THREAD;
        let ordinal = 0;
        for (const message of thread.messages) {
          position = placeMessage(position, message);
          expect({ ordinal: message.ordinal, turn: message.turn, step: message.step }).toEqual({
            ordinal,
            ...position,
          });
          expect(thread.messageAt(ordinal)).toBe(message);
          expect(thread.message(message.id)).toBe(message);
          ordinal++;
        }
        expect(thread.position).toEqual(position);
        expect(thread.length).toBe(ordinal);
      }),
      { numRuns: 100 },
    );
  });

  it("S3: counts real user messages as turns, and model calls as steps", () => {
    const thread = empty.append([
      sampleMessage("system", { role: "system" }),
      sampleMessage("u1"),
      sampleMessage("reminder", { origin: "harness" }),
      sampleMessage("a1", { role: "assistant" }),
      sampleMessage("side", { branch: "subagent" }),
      sampleMessage("summary", { origin: "compaction" }),
      sampleMessage("a2", { role: "assistant" }),
      sampleMessage("u2"),
    ]);
    const places = [...thread.messages].map((message) => `${message.id} ${message.turn}.${message.step}`);
    expect(places).toEqual([
      "system 0.0",
      "u1 1.0",
      "reminder 1.0",
      "a1 1.1",
      "side 1.1",
      "summary 1.1",
      "a2 1.2",
      "u2 2.2",
    ]);
  });
});

describe("C5: message ids", () => {
  it("make appending idempotent: known messages are skipped", () => {
    fc.assert(
      fc.property(messageInputs({ malformed: true, maxMessages: 12 }), fc.nat(), (messages, pick) => {
        const thread = empty.append(messages);
        const again = messages.slice(pick % (messages.length + 1));
        expect(thread.append(again)).toBe(thread);
        expect(thread.append(structuredClone(again) as MessageInput[])).toBe(thread);
        expect(thread.append([...thread.messages])).toBe(thread);
      }),
      { numRuns: 100 },
    );
  });

  it("are refused with different content, and then nothing is appended", () => {
    const cases = messageInputs({ malformed: true, maxMessages: 8 }).filter((messages) => messages.length > 0);
    fc.assert(
      fc.property(cases, fc.nat(), (messages, pick) => {
        const thread = empty.append(messages);
        const known = messages[pick % messages.length] as MessageInput;
        const changed = { ...known, createdAt: "2030-01-01T00:00:00.000Z" };
        const error = thrownBy(() => thread.append([sampleMessage("new"), changed]));
        expect(error).toMatchObject({
          code: "DUPLICATE_MESSAGE_ID",
          details: { messageId: known.id, differs: ["createdAt"] },
        });
        expect(thread.message(asMessageId("new"))).toBeUndefined();
        expect(everything(thread)).toEqual(everything(empty.append(messages)));
      }),
      { numRuns: 100 },
    );
  });

  it("repeated in one append are refused with different content, and skipped with the same", () => {
    expect(empty.append([sampleMessage("a"), sampleMessage("a")]).length).toBe(1);
    expect(thrownBy(() => empty.append([sampleMessage("a"), sampleMessage("a", { role: "assistant" })]))).toMatchObject(
      { code: "DUPLICATE_MESSAGE_ID" },
    );
  });

  it("are refused with the differing fields and a remedy", () => {
    const thread = empty.append([sampleMessage("a")]);
    const later = sampleMessage("a", { createdAt: "2030-01-01T00:00:00.000Z" });
    const again = thrownBy(() => thread.append([later]));
    expect(again).toMatchObject({
      message: "Message a is already in the thread with different content: createdAt differs.",
      hint: "If it is the same message, pass it with its original createdAt, or not at all: the thread already has it. If it is a different one, give it a new id.",
    });
    const changed = thrownBy(() => thread.append([{ ...later, role: "assistant", model: "m" }]));
    expect(changed).toMatchObject({
      message: "Message a is already in the thread with different content: createdAt, model and role differ.",
      hint: "Give the new message a new id; the thread is append-only.",
      details: { differs: ["createdAt", "model", "role"] },
    });
  });

  it("of another run make another message, even with the same content", () => {
    expect(
      empty.append([sampleMessage("run1-a"), { ...sampleMessage("run1-a"), id: asMessageId("run2-a") }]).length,
    ).toBe(2);
  });

  it("can be reused on a fork before the message", () => {
    const thread = empty.append([sampleMessage("a"), sampleMessage("b"), sampleMessage("c")]);
    const fork = thread.fork(asThreadId("f"), 1).append([sampleMessage("c", { role: "assistant" })]);
    expect([fork.message(asMessageId("c"))?.role, fork.message(asMessageId("b"))]).toEqual(["assistant", undefined]);
    expect([thread.message(asMessageId("c"))?.role, thread.message(asMessageId("b"))?.role]).toEqual(["user", "user"]);
  });

  it("can be names of object properties", () => {
    const thread = empty.append([sampleMessage("__proto__"), sampleMessage("constructor")]);
    expect(thread.message(asMessageId("__proto__"))?.ordinal).toBe(0);
    expect(thread.message(asMessageId("toString"))).toBeUndefined();
  });
});

describe("misuse", () => {
  it.each<[string, unknown, string]>([
    ["a message without parts", { ...sampleMessage("a"), parts: undefined }, "parts"],
    ["a torn text", { ...sampleMessage("a"), parts: [{ type: "text", text: "\ud800" }] }, "parts.0"],
    ["a result in a user message", { ...sampleMessage("a"), parts: [{ type: "tool-result" }] }, "parts.0"],
    ["null", null, "the message"],
  ])("is reported with code and position: %s", (_, message, where) => {
    const error = thrownBy(() => empty.append([message as MessageInput]));
    expect(error).toBeInstanceOf(ThreadfoldError);
    expect(error).toMatchObject({ code: "INVALID_MESSAGE" });
    expect((error as Error).message).toContain(where);
  });

  it.each<[string, unknown, string, string]>([
    ["an invalid day", { ...sampleMessage("a"), createdAt: "yesterday" }, "createdAt", "ISO 8601"],
    ["a date object", { ...sampleMessage("a"), createdAt: new Date(0) }, "createdAt", "ISO 8601"],
    ["a time without a zone", { ...sampleMessage("a"), createdAt: "2026-01-31T12:00:00" }, "createdAt", "ISO 8601"],
    ["an invalid month", { ...sampleMessage("a"), createdAt: "2026-13-01T00:00:00Z" }, "createdAt", "ISO 8601"],
    ["a torn text", { ...sampleMessage("a"), parts: [{ type: "text", text: "\ud800" }] }, "parts.0.text", "surrogate"],
    [
      "a torn text in a tool's input",
      {
        ...sampleMessage("a"),
        role: "assistant",
        parts: [{ type: "tool-call", callId: "c", toolName: "t", input: { queries: [{ q: "\udfff" }] } }],
      },
      "parts.0.input.queries.0.q",
      "surrogate",
    ],
    ["an unknown part", { ...sampleMessage("a"), parts: [{ type: "audio" }] }, "parts.0.type", '"audio"'],
    ["a part that is a text", { ...sampleMessage("a"), parts: ["hi"] }, "parts.0", "expected object"],
    [
      "an unknown block of a result",
      {
        ...sampleMessage("a"),
        role: "tool",
        parts: [
          {
            type: "tool-result",
            result: {
              ...{ toolName: "t", callId: "c", outcome: "success" },
              content: { type: "blocks", blocks: [{ type: "text", text: "fine" }, { type: "video" }] },
            },
          },
        ],
      },
      "parts.0.result.content.blocks.1.type",
      '"video"',
    ],
    ["a provider's message", { role: "user", content: "hi" }, "parts", "A message: parts: there are none"],
  ])("is reported with problem, position and remedy: %s", (_, message, where, what) => {
    const error = thrownBy(() => empty.append([message as MessageInput])) as ThreadfoldError;
    expect(error).toMatchObject({ code: "INVALID_MESSAGE" });
    expect(error.message).toContain(`: ${where}: `);
    expect(error.message).toContain(what);
    expect(error.details.path).toEqual(where.split("."));
    expect(error.hint).not.toBe("");
  });

  it.each(["2026-01-31", "2026-01-31T12:00:00Z", "2026-01-31T12:00:00.123456Z", "2026-01-31T12:00+02:00"])(
    "does not include a valid ISO 8601 time: %s",
    (createdAt) => {
      expect(empty.append([{ ...sampleMessage("a"), createdAt }]).length).toBe(1);
    },
  );

  it.each<[string, unknown]>([
    ["a message alone", sampleMessage("a")],
    ["a text", "hi"],
    ["nothing", undefined],
  ])("is reported if the appended value is not a list: %s", (_, messages) => {
    const error = thrownBy(() => empty.append(messages as never));
    expect(error).toMatchObject({ code: "INVALID_MESSAGE", hint: expect.stringContaining("[message]") });
  });

  it("is reported for a provider's message, with a hint how to convert it", () => {
    const said = { role: "user", content: "Hello." } as unknown as MessageInput;
    expect(() => AgentThread.empty(asThreadId("t")).append([said])).toThrow(
      expect.objectContaining({
        code: "INVALID_MESSAGE",
        message: "A message: parts: there are none.",
        hint: expect.stringMatching(/userMessage.*fromAnthropic/),
      }),
    );
  });

  it("of pins is reported with a matching hint", () => {
    const pin = { id: asPinId("p"), text: "Never push.", authority: "system", origin: "explicit" } as const;
    const hintOf = (entry: unknown): string =>
      (thrownBy(() => empty.appendEntries([{ type: "pin", pin }, entry as never])) as ThreadfoldError).hint;
    expect(hintOf({ type: "pin", pin: { ...pin, id: "q", text: "" } })).toContain("text");
    expect(hintOf({ type: "pin", pin: { ...pin, id: "q", authority: "root" } })).toContain("system, operator, user");
    const lifted = { type: "pin-lifted", pinId: pin.id, authority: "user", reason: "done" };
    expect(hintOf(lifted)).toContain("higher authority");
    expect(hintOf({ ...lifted, authority: "god" })).toContain("system, operator, user");
    expect(hintOf({ ...lifted, pinId: "nope" })).toContain("livePins");
    expect(hintOf({ ...lifted, reason: "" })).toContain("reason");
  });

  it("is reported for an entry of unknown type", () => {
    expect(thrownBy(() => empty.appendEntries([{ type: "summary" } as never]))).toMatchObject({
      code: "INVALID_MESSAGE",
    });
  });
});

function expectFrozen(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  expect(Object.isFrozen(value)).toBe(true);
  for (const item of Object.values(value)) expectFrozen(item);
}
