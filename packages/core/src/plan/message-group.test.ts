import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { MessageHeader } from "../budget/message-header.ts";
import { TokenLedger } from "../budget/token-ledger.ts";
import type { ThreadfoldError } from "../errors/threadfold-error.ts";
import { call, result } from "../laws/messages.ts";
import { growthOnQuadrupling, runs } from "../laws/runs.ts";
import { countingTokenizer } from "../laws/samples.ts";
import { agentThreads } from "../laws/thread-arbitrary.ts";
import { asMessageId, asThreadId, asToolCallId } from "../model/ids.ts";
import { type MessageInput, messageInputSchema } from "../model/message.ts";
import type { Part, ToolOutcomeStatus } from "../model/part.ts";
import { AgentThread } from "../thread/agent-thread.ts";
import {
  firstOrdinal,
  type GroupedLedger,
  type GroupedThread,
  groupLedger,
  groupMessages,
  lastOrdinal,
  type MessageGroup,
  unansweredIn,
} from "./message-group.ts";

/**
 * One message in short: `u` user, `s` system, `a` assistant text, `r` reasoning alone, `+x,y` calls x and y, `r+x` a call
 * with its reasoning in one message, `-x` the result of x, `!x` its failure. `sub:` before it puts it on a branch.
 */
function messageOf(note: string, index: number): MessageInput {
  const [branch, body] = note.includes(":") ? (note.split(":") as [string, string]) : [undefined, note];
  const place = {
    id: asMessageId(`m${index}`),
    createdAt: "2025-01-01T00:00:00.000Z",
    ...(branch !== undefined && { branch }),
  };
  const text: Part = { type: "text", text: note };
  const reasoning: Part = { type: "reasoning", text: "hm", signature: "sig" };
  if (body === "u") return { ...place, role: "user", parts: [text] };
  if (body === "s") return { ...place, role: "system", parts: [text] };
  if (body === "a") return { ...place, role: "assistant", parts: [text] };
  if (body === "r") return { ...place, role: "assistant", parts: [reasoning] };
  if (body.includes("+")) {
    const [before, ids] = body.split("+") as [string, string];
    return {
      ...place,
      role: "assistant",
      parts: [...(before === "r" ? [reasoning] : []), ...ids.split(",").map(callOf)],
    };
  }
  return { ...place, role: "tool", parts: [resultOf(body.slice(1), body.startsWith("!") ? "failure" : "success")] };
}

const callOf = (name: string): Part => call(name);
const resultOf = (name: string, outcome: ToolOutcomeStatus): Part => result(name, "ok", { outcome });

function headersOf(thread: AgentThread): readonly MessageHeader[] {
  return [...TokenLedger.empty(countingTokenizer(), () => "anchoring").extend(thread).headers];
}

const group = (notes: string): GroupedThread =>
  groupMessages(headersOf(AgentThread.empty(asThreadId("t")).append(notes.split(" ").map(messageOf))));

/** The groups' ordinals, strays marked: `0,1,2* | 3`. */
const shape = ({ groups }: GroupedThread): string =>
  groups
    .map(({ ordinals, strays }) => ordinals.map((at) => `${at}${strays.includes(at) ? "*" : ""}`).join(","))
    .join(" | ");
const issues = (grouped: GroupedThread): readonly string[] =>
  grouped.issues.map(({ kind, ordinal, callId }) => `${kind} ${callId} at ${ordinal}`);
const open = ({ groups }: GroupedThread): readonly string[] => groups.flatMap(({ openCalls }) => openCalls);

describe("groups of calls and results", () => {
  it.each<[string, string, string]>([
    ["A1: messages only are each a group", "s u a u a", "0 | 1 | 2 | 3 | 4"],
    ["A2: a call and its result are one group", "u +x -x a", "0 | 1,2 | 3"],
    [
      "A3, A4, A5: parallel calls of one message and all their results are one group",
      "+x,y,z -x -y -z u",
      "0,1,2,3 | 4",
    ],
    ["A7: a user message between batches is a group of its own", "+x -x u +y -y", "0,1 | 2 | 3,4"],
    ["A9: a failure or a rejection answers its call", "+x !x u", "0,1 | 2"],
    ["G1: reasoning in the call's own message belongs to its group", "r+x -x", "0,1"],
    ["G1: reasoning in a message before the call belongs to its group", "r +x -x u", "0,1,2 | 3"],
    ["G1: several messages of reasoning belong to the following call", "r r +x -x", "0,1,2,3"],
    ["G1: reasoning before an answer belongs to the answer", "u r a u", "0 | 1,2 | 3"],
    ["G1: reasoning cut off by a user message is a group of its own", "r u +x -x", "0 | 1 | 2,3"],
    ["G1: a result in between does not cut reasoning off", "+x r -x +y -y", "0,2 | 1,3,4"],
    ["G1: a message of another branch does not cut reasoning off", "r sub:r sub:a +x -x", "0,3,4 | 1,2"],
    ["G2: a result that is not adjacent belongs to its call's group", "+x u a -x", "0,3 | 1 | 2"],
    ["G3: several results that are not adjacent belong to their call's group", "+x,y u -y a -x", "0,2,4 | 1 | 3"],
    ["G3: two interleaved exchanges are two groups", "+x +y -x -y", "0,2 | 1,3"],
    ["G7: an id reused after its result starts a new group", "+x -x +x -x", "0,1 | 2,3"],
    ["calls of a branch are answered on that branch", "sub:+x +x -x sub:-x", "0,3 | 1,2"],
  ])("%s", (_, notes, expected) => {
    const grouped = group(notes);
    expect(shape(grouped)).toBe(expected);
    expect(grouped.issues).toEqual([]);
    expect(open(grouped)).toEqual([]);
  });

  it("G1: hosted and MCP calls are grouped like any other, whatever the tool's name", () => {
    const calls: Part[] = [
      { ...callOf("x"), toolName: "mcp__server__tool" } as Part,
      { ...callOf("y"), toolName: "" } as Part,
    ];
    const messages = ["u", "+x", "-x", "-y"]
      .map(messageOf)
      .map((message, index) => (index === 1 ? { ...message, parts: calls } : message));
    expect(shape(groupMessages(headersOf(AgentThread.empty(asThreadId("t")).append(messages))))).toBe("0 | 1,2,3");
  });

  it("G4: a tool message answers one call, so results never merge two groups", () => {
    const twoResults = { ...messageOf("-x", 2), parts: [resultOf("x", "success"), resultOf("y", "success")] };
    expect(messageInputSchema.safeParse(twoResults).success).toBe(false);
    expect(shape(group("+x +y -x -y u"))).toBe("0,2 | 1,3 | 4");
  });

  it("G5, A10: a result before its call, or of an unknown id, pairs with nothing and is a stray group of its own", () => {
    const early = group("-x +x u");
    expect([shape(early), issues(early), open(early)]).toEqual(["0* | 1 | 2", ["orphan-result x at 0"], ["x"]]);
    const unknown = group("+x -nobody -x");
    expect([shape(unknown), issues(unknown), open(unknown)]).toEqual(["0,2 | 1*", ["orphan-result nobody at 1"], []]);
  });

  it("A10: a call without a result stays a tool exchange with an open call", () => {
    const grouped = group("u +x,y -y a");
    expect([shape(grouped), open(grouped)]).toEqual(["0 | 1,2 | 3", ["x"]]);
    expect(grouped.groups.map(({ kind }) => kind)).toEqual(["message", "tool-exchange", "message"]);
  });

  it("G6: an id that two messages leave open is ambiguous, and its result pairs with neither", () => {
    const twoMessages = group("+x +x -x");
    expect([shape(twoMessages), open(twoMessages)]).toEqual(["0 | 1 | 2*", ["x", "x"]]);
    expect(issues(twoMessages)).toEqual(["ambiguous-call x at 1", "orphan-result x at 2"]);
    const answeredBefore = group("+x -x +x +x -x");
    expect([shape(answeredBefore), issues(answeredBefore)]).toEqual([
      "0,1 | 2 | 3 | 4*",
      ["ambiguous-call x at 3", "orphan-result x at 4"],
    ]);
  });

  it("G6: calls of one message that share an id are answered in order", () => {
    const both = group("+x,x -x -x -x");
    expect([shape(both), open(both), issues(both)]).toEqual(["0,1,2,3*", [], ["duplicate-result x at 3"]]);
    const one = group("+x,y,x -x u");
    expect([shape(one), open(one), issues(one)]).toEqual(["0,1 | 2", ["y", "x"], []]);
  });

  it("G6: a call repeated in a later turn is not ambiguous: the earlier one stays open", () => {
    const abandoned = group("+x u +x -x");
    expect([shape(abandoned), open(abandoned), issues(abandoned)]).toEqual(["0 | 1 | 2,3", ["x"], []]);
  });

  it("G7, A8: a late result of a reused id belongs to the newest call", () => {
    const grouped = group("+x -x +x -x -x");
    expect([shape(grouped), issues(grouped)]).toEqual(["0,1 | 2,3,4*", ["duplicate-result x at 4"]]);
  });

  it("G8: the schema refuses a result inside an assistant message, so only a tool message answers a call", () => {
    const embedded = { ...messageOf("a", 0), parts: [callOf("x"), resultOf("x", "success")] };
    expect(messageInputSchema.safeParse(embedded).success).toBe(false);
  });

  it("A8: of two results for one call the first counts, the second is a stray of the same group", () => {
    const grouped = group("+x -x u -x -x");
    expect([shape(grouped), issues(grouped)]).toEqual([
      "0,1,3*,4* | 2",
      ["duplicate-result x at 3", "duplicate-result x at 4"],
    ]);
  });

  it("G10: groups are numbered by their first message and have no generated ids that could collide", () => {
    const grouped = group("u +x,y a -x -y r a");
    expect(grouped.groups.map((item) => [item.index, firstOrdinal(item), lastOrdinal(item)])).toEqual([
      [0, 0, 0],
      [1, 1, 4],
      [2, 2, 2],
      [3, 5, 6],
    ]);
    expect(Object.keys(grouped.groups[0] ?? {}).sort()).toEqual([
      "index",
      "kind",
      "openCalls",
      "ordinals",
      "strays",
      "tokens",
    ]);
  });

  it("G11: non-ASCII text and arguments are counted by characters, not by escapes", () => {
    const chinese: Part[] = [
      { type: "text", text: "数据数据" },
      { type: "tool-call", callId: asToolCallId("x"), toolName: "read", input: "数据数据数据" },
    ];
    const message: MessageInput = { ...messageOf("a", 0), parts: chinese };
    const [only] = groupMessages(headersOf(AgentThread.empty(asThreadId("t")).append([message]))).groups;
    // 4 characters; "read" and 8 characters with quotes; 4 for the message. Escapes would take six characters each.
    expect(only?.tokens).toBe(1 + (1 + 2) + 4);
  });
});

describe("laws of grouping", () => {
  const threads = agentThreads({ malformed: true, pins: false, maxMessages: 30 });

  it("puts every message in exactly one group, and groups in the order of their first messages", () => {
    fc.assert(
      fc.property(threads, (thread) => {
        const headers = headersOf(thread);
        const { groups, groupOf } = groupMessages(headers);
        expect(groups.flatMap(({ ordinals }) => ordinals).sort((a, b) => a - b)).toEqual(
          headers.map(({ ordinal }) => ordinal),
        );
        groups.forEach((item, index) => {
          expect(item.index).toBe(index);
          expect([...item.ordinals].sort((a, b) => a - b)).toEqual(item.ordinals);
          expect(item.ordinals.every((ordinal) => groupOf[ordinal] === index)).toBe(true);
          expect(item.strays.every((ordinal) => item.ordinals.includes(ordinal))).toBe(true);
          expect(item.tokens).toBe(item.ordinals.reduce((sum, ordinal) => sum + (headers[ordinal]?.tokens ?? 0), 0));
          if (index > 0) expect(firstOrdinal(item)).toBeGreaterThan(firstOrdinal(groups[index - 1] as typeof item));
        });
      }),
      { numRuns: 80 },
    );
  });

  it("answers every call of a group once or lists it as open, and lists all other results as strays with an issue", () => {
    fc.assert(
      fc.property(threads, (thread) => {
        const headers = headersOf(thread);
        const grouped = groupMessages(headers);
        const troubled = new Set(
          grouped.issues.filter(({ kind }) => kind !== "ambiguous-call").map(({ ordinal }) => ordinal),
        );
        expect(new Set(grouped.groups.flatMap(({ strays }) => strays))).toEqual(troubled);
        for (const { ordinals, openCalls, strays } of grouped.groups) {
          const members = ordinals.map((ordinal) => headers[ordinal] as MessageHeader);
          const called = members.flatMap(({ calls }) => calls);
          const answered = members.flatMap(({ answers, ordinal }) =>
            answers === undefined || strays.includes(ordinal) ? [] : [answers],
          );
          expect([...answered, ...openCalls].sort()).toEqual([...called].sort());
          expect(new Set(members.map(({ branch }) => branch)).size).toBe(1);
        }
      }),
      { numRuns: 80 },
    );
  });

  it("G9: groups a prefix like the whole thread, where a closed group can gain only strays", () => {
    fc.assert(
      fc.property(threads, fc.nat(), (thread, pick) => {
        const headers = headersOf(thread);
        const cut = pick % (headers.length + 1);
        const whole = groupMessages(headers);
        const prefix = groupMessages(headers.slice(0, cut));
        expect(prefix.groupOf).toEqual(whole.groupOf.slice(0, cut));
        expect(prefix.issues).toEqual(whole.issues.filter(({ ordinal }) => ordinal < cut));
        for (const { index, ordinals, openCalls, kind } of prefix.groups) {
          const later = (whole.groups[index]?.ordinals ?? []).filter((ordinal) => ordinal >= cut);
          expect((whole.groups[index]?.ordinals ?? []).filter((ordinal) => ordinal < cut)).toEqual(ordinals);
          if (kind === "tool-exchange" && openCalls.length === 0)
            expect(whole.groups[index]?.strays).toEqual(expect.arrayContaining(later));
        }
      }),
      { numRuns: 120 },
    );
  });

  it("groups what a resumed thread has in memory like the whole thread, or reports that more is needed", () => {
    let parts = 0;
    fc.assert(
      fc.property(threads, fc.nat(), fc.nat(), (thread, a, b) => {
        const [from, to] = [a, b].map((pick) => pick % (thread.length + 1)).sort((x, y) => x - y) as [number, number];
        const empty = TokenLedger.empty(countingTokenizer(), () => "anchoring");
        const whole = groupLedger(empty.extend(thread));
        const among = ({ ordinals }: MessageGroup) =>
          ordinals.filter((ordinal) => ordinal >= from && ordinal < to).length;
        const isBetweenGroups = [...whole.groups].every((group) => [0, group.ordinals.length].includes(among(group)));
        const unanswered = [...whole.groups].flatMap((group) => (among(group) > 0 ? group.openCalls : []));
        const sides = thread.messagesBetween(from, to).filter(({ branch }) => branch !== undefined);
        if (from === to || !isBetweenGroups || sides.length > 0) return;
        const held = [...thread.entriesInMemory()].filter((_, ordinal) => ordinal < from || ordinal >= to);
        const { version, length, position, digest } = thread;
        const part = AgentThread.resume(thread.id, { version, length, position, digest, held }, []);
        const tokens = empty.extend(thread).tokensBetween(from, to);
        const known = groupedOrNot(empty.extend(part, 0, [{ from, to: to - 1, tokens, unanswered }]));
        if (known === null) return;
        parts++;
        const plain = ({ index: _, ...group }: MessageGroup) => group;
        const others = [...whole.groups].filter((group) => among(group) === 0);
        expect([...known.groups].map(plain)).toEqual(others.map(plain));
        for (const { ordinal } of part.messagesInMemory())
          expect(known.groups.at(known.groupOf.at(ordinal) as number)?.ordinals).toContain(ordinal);
      }),
      runs(300),
    );
    expect(parts).toBeGreaterThan(20);
  });

  it("tell where calls await a result, once the ledger is grouped", () => {
    fc.assert(
      fc.property(threads, (thread) => {
        const ledger = TokenLedger.empty(countingTokenizer(), () => "anchoring").extend(thread);
        expect(unansweredIn(ledger)).toBeUndefined();
        const { groups } = groupLedger(ledger);
        const found = new Set(unansweredIn(ledger)?.map(({ ordinal }) => ordinal));
        // A call that a later turn makes again awaits nothing any more, but stays open in its group.
        for (const group of groups) if (found.has(firstOrdinal(group))) expect(group.openCalls).not.toEqual([]);
        const made = [...ledger.headers].flatMap(({ calls }) => calls);
        const isMadeOnce = (callId: string): boolean => made.filter((id) => id === callId).length === 1;
        for (const group of groups) if (group.openCalls.some(isMadeOnce)) expect(found).toContain(firstOrdinal(group));
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    ["the newest call is answered first", (place: number) => `call-${place}`],
    ["all calls share an id", () => "call"],
  ])("P9: takes as much time for each result of a message with many calls, however many: %s", async (_, idOf) => {
    const [calling] = headersOf(AgentThread.empty(asThreadId("t")).append([messageOf("+x", 0)]));
    const headers = (calls: number): readonly MessageHeader[] => {
      const ids = Array.from({ length: calls }, (_none, place) => asToolCallId(idOf(place)));
      const results = ids
        .toReversed()
        .map((answers, place) => headerAt(place + 1, { role: "tool", answers, calls: [] }));
      return [headerAt(0, { calls: ids }), ...results];
    };
    const headerAt = (ordinal: number, fields: Partial<MessageHeader>): MessageHeader =>
      ({ ...calling, ordinal, ...fields }) as MessageHeader;
    expect(await growthOnQuadrupling(headers, groupMessages, 5_000)).toBeLessThan(10);
  });

  it("needs the calls in between when a result before or behind them may be theirs", () => {
    for (const [notes, from, to] of [
      ["u +x u a -x u", 2, 4],
      ["u +x a -x u", 1, 3],
      ["u +x -x a u -x", 1, 4],
    ] as const) {
      const thread = AgentThread.empty(asThreadId("t")).append(notes.split(" ").map(messageOf));
      const held = [...thread.entriesInMemory()].filter((_, ordinal) => ordinal < from || ordinal >= to);
      const { version, length, position, digest } = thread;
      const part = AgentThread.resume(thread.id, { version, length, position, digest, held }, []);
      expect(groupedOrNot(TokenLedger.empty(countingTokenizer(), () => "anchoring").extend(part))).toBeNull();
    }
  });
});

/** Null when the groups depend on messages that are not in memory. */
function groupedOrNot(ledger: TokenLedger): GroupedLedger | null {
  try {
    return groupLedger(ledger);
  } catch (error) {
    if ((error as ThreadfoldError).code !== "HISTORY_NOT_LOADED") throw error;
    return null;
  }
}
