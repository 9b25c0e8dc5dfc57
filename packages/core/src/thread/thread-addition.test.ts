import { describe, expect, it } from "vitest";
import type { ThreadfoldError } from "../errors/threadfold-error.ts";
import { pinEntry, pinLiftedEntry, sampleMessage, samplePin } from "../laws/samples.ts";
import { asThreadId } from "../model/ids.ts";
import type { MessageInput } from "../model/message.ts";
import { AgentThread } from "./agent-thread.ts";
import { placeMessage, START_OF_THREAD, startsTurn } from "./thread-addition.ts";
import type { Pin, ThreadEntryInput } from "./thread-entry.ts";

const message = (fields: Partial<MessageInput>): MessageInput =>
  ({ id: "m", role: "user", parts: [], createdAt: "2025-01-01T00:00:00.000Z", ...fields }) as MessageInput;

describe("turns and steps", () => {
  it("S3: only a typed user message on the main branch starts a turn", () => {
    expect(startsTurn(message({}))).toBe(true);
    expect(startsTurn(message({ origin: "harness" }))).toBe(false);
    expect(startsTurn(message({ origin: "compaction" }))).toBe(false);
    expect(startsTurn(message({ branch: "subagent" }))).toBe(false);
    for (const role of ["system", "assistant", "tool"] as const) expect(startsTurn(message({ role }))).toBe(false);
  });

  it("are numbered by user messages and model calls", () => {
    const roles = ["system", "user", "assistant", "tool", "tool", "assistant", "user", "user", "assistant"] as const;
    const positions: string[] = [];
    let position = START_OF_THREAD;
    for (const role of roles) {
      position = placeMessage(position, message({ role }));
      positions.push(`${position.turn}.${position.step}`);
    }
    expect(positions).toEqual(["0.0", "1.0", "1.1", "1.1", "1.1", "1.2", "2.2", "3.2", "3.3"]);
  });
});

describe("a refused addition", () => {
  const thread = AgentThread.empty(asThreadId("t")).appendEntries([
    { type: "message", message: sampleMessage("m1") },
    { type: "message", message: sampleMessage("m2") },
    pinEntry(samplePin("p1")),
    pinEntry(samplePin("p2", { authority: "operator" })),
  ]);
  const refusal = (append: () => unknown) => {
    try {
      append();
    } catch (error) {
      const { code, message: words, hint, details } = error as ThreadfoldError;
      return { code, words, hint, details };
    }
    return undefined;
  };
  const ofEntry = (entry: unknown) => refusal(() => thread.appendEntries([entry as ThreadEntryInput]));
  const ofMessage = (fields: Partial<MessageInput>) => refusal(() => thread.append([sampleMessage("m2", fields)]));

  it("is a known message with different content, named with the differing fields", () => {
    expect(ofMessage({})).toBeUndefined();
    const later = { createdAt: "2030-01-01T00:00:00.000Z" };
    expect(ofMessage({ parts: [] })).toMatchObject({
      code: "DUPLICATE_MESSAGE_ID",
      words: "Message m2 is already in the thread with different content: parts differs.",
      details: { messageId: "m2", ordinal: 1, differs: ["parts"] },
    });
    expect(ofMessage({ ...later, parts: [], model: "x" })?.words).toMatch(/: createdAt, model and parts differ\.$/);
    expect(ofMessage({ model: "x", parts: [] })?.words).toMatch(/: model and parts differ\.$/);
    expect(ofMessage({ parts: [] })?.hint).not.toContain("createdAt");
    expect(ofMessage(later)?.hint).toContain("pass it with its original createdAt");
    expect(ofMessage({ ...later, model: "x" })?.hint).not.toContain("pass it with");
  });

  it("is an entry of unknown type", () => {
    expect(ofEntry({ type: "summary" })).toMatchObject({
      code: "INVALID_MESSAGE",
      words: "An entry has the unknown type summary.",
    });
  });

  it("is any value that is not a list of messages", () => {
    for (const [given, found] of [
      [null, "null"],
      [undefined, "a value of type undefined"],
      [sampleMessage("m3"), "a value of type object"],
    ] as const)
      expect(refusal(() => thread.append(given as never))).toMatchObject({
        code: "INVALID_MESSAGE",
        words: `Messages are appended as a list; this is ${found}.`,
        hint: "Put a single message in brackets: `append([message])`.",
      });
  });

  it("is a pin with an invalid field, named with a remedy", () => {
    const other = "Compare it with the Pin and PinLiftedEntry types; the error names the field.";
    for (const [pin, where, hint] of [
      [{ text: "" }, "p3: text", "Pin a text that is not empty and has no lone surrogate; it is kept word for word."],
      [{ authority: "tool" as never }, "p3: authority", "An authority is one of system, operator, user."],
      [{ origin: "x" as never }, "p3: origin", other],
      [{ source: { messageId: "m1", start: -1, end: 1 } as never }, "p3: source.start", other],
    ] as const) {
      const found = ofEntry(pinEntry(samplePin("p3", pin)));
      expect(found).toMatchObject({ code: "INVALID_PIN", hint });
      expect(found?.words).toContain(`Pin ${where}: `);
    }
    expect(ofEntry({ type: "pin", pin: null })?.words).toContain("Pin undefined: the pin: ");
  });

  it("is a known pin with a different text or authority, but not the same pin again", () => {
    const again = thread.appendEntries([pinEntry(samplePin("p1"))]);
    expect(again.version).toBe(thread.version);
    for (const change of [{ text: "other" }, { authority: "system" }] satisfies readonly Partial<Pin>[])
      expect(ofEntry(pinEntry(samplePin("p1", change)))).toMatchObject({
        code: "INVALID_PIN",
        words: "Pin p1 is already in the thread with a different text or authority.",
        hint: "Give the new pin a new id.",
      });
  });

  it("is a lifting of an unknown pin, of a higher authority's pin, or without a reason", () => {
    expect(ofEntry(pinLiftedEntry("p9", "user"))).toMatchObject({
      code: "INVALID_PIN",
      words: "There is no live pin p9 to lift.",
      hint: "`thread.livePins` lists the pins in force, with their ids.",
    });
    expect(ofEntry(pinLiftedEntry("p2", "user"))?.words).toBe("Pin p2 of authority operator cannot be lifted by user.");
    expect(ofEntry({ ...pinLiftedEntry("p1", "user"), reason: "" })).toMatchObject({
      code: "INVALID_PIN",
      words: expect.stringMatching(/^Lifting pin p1: reason: .+\.$/),
      hint: "Say in the reason why the pin is lifted; it stays in the log.",
    });
    const lifted = thread.appendEntries([pinLiftedEntry("p2", "system")]);
    expect(lifted.livePins.map(({ id }) => id)).toEqual(["p1"]);
    expect(refusal(() => lifted.appendEntries([pinLiftedEntry("p2", "system")]))?.words).toContain("no live pin p2");
  });
});

describe("an entry of another thread", () => {
  const first = AgentThread.empty(asThreadId("first")).append([sampleMessage("a"), sampleMessage("b")]);
  const [a, b] = first.entriesBetween(0) as [ThreadEntryInput, ThreadEntryInput];

  it("stays the same object at the same position, and gets a new position elsewhere", () => {
    const same = AgentThread.empty(asThreadId("same")).appendEntries([a, b]);
    expect(same.entriesBetween(0)).toEqual(first.entriesBetween(0));
    expect(same.entriesBetween(0)[1]).toBe(b);
    const places = (thread: AgentThread) =>
      thread.messagesBetween(0).map(({ id, ordinal, turn, step }) => [id, ordinal, turn, step]);
    const later = AgentThread.empty(asThreadId("later")).append([sampleMessage("x", { role: "assistant" })]);
    expect(places(later.appendEntries([a, b]))).toEqual([
      ["x", 0, 0, 1],
      ["a", 1, 1, 1],
      ["b", 2, 2, 1],
    ]);
    expect(places(AgentThread.empty(asThreadId("alone")).appendEntries([b]))).toEqual([["b", 0, 1, 0]]);
    const beside = AgentThread.empty(asThreadId("beside")).append([sampleMessage("x", { origin: "harness" })]);
    expect(places(beside.appendEntries([b]))).toEqual([
      ["x", 0, 0, 0],
      ["b", 1, 1, 0],
    ]);
  });

  it("is checked again if it is a changed copy", () => {
    const copy = {
      ...a,
      message: { ...(a as Extract<ThreadEntryInput, { type: "message" }>).message, parts: 1 as never },
    };
    expect(() => AgentThread.empty(asThreadId("t")).appendEntries([copy as ThreadEntryInput])).toThrow(
      expect.objectContaining({ code: "INVALID_MESSAGE" }),
    );
  });
});
