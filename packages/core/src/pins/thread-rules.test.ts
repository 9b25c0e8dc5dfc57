import { describe, expect, it, vi } from "vitest";
import { message } from "../laws/messages.ts";
import { pinEntry, pinLiftedEntry, samplePin } from "../laws/samples.ts";
import { asMessageId, asThreadId } from "../model/ids.ts";
import type { MessageInput } from "../model/message.ts";
import { AgentThread } from "../thread/agent-thread.ts";
import { AppendOnlyList } from "../thread/append-only-list.ts";
import type { Pin, PinLiftedEntry, ThreadEntryInput } from "../thread/thread-entry.ts";
import { detectConstraints, ruleKey, rulesBehind } from "./detect-constraints.ts";
import { liftedPins, threadRules, unpinnedRules } from "./thread-rules.ts";

const RULE = "Never push to the main branch.";
const say = (id: string, words: string): ThreadEntryInput => ({ type: "message", message: message(id, "user", words) });
const threadOf = (...entries: readonly ThreadEntryInput[]): AgentThread =>
  AgentThread.empty(asThreadId("t")).appendEntries(entries);
const lift = (id: string, fields: Partial<PinLiftedEntry> = {}): ThreadEntryInput => ({
  ...(pinLiftedEntry(id, "user") as PinLiftedEntry),
  ...fields,
});
const at = (messageId: string, start = 0, end = RULE.length) => ({ messageId: asMessageId(messageId), start, end });
const idsOf = (pins: readonly Pin[]) => pins.map(({ id }) => id);
const rule = (id: string, fields: Partial<Pin> = {}) => pinEntry(samplePin(id, fields));

describe("the rules of a thread", () => {
  it("are those that it pinned and did not lift, with since when they hold", () => {
    const thread = threadOf(
      say("m1", RULE),
      rule("p1", { source: at("m1"), text: RULE }),
      rule("p2"),
      rule("p3"),
      lift("p3"),
    );
    const { live, lifted } = threadRules(thread);
    expect(live.map(({ pin, sinceVersion, since }) => [pin.id, sinceVersion, since])).toEqual([
      ["p1", 2, thread.messageAt(0)?.createdAt],
      ["p2", 3, null],
    ]);
    expect(lifted).toMatchObject([
      { pin: { id: "p3" }, reason: "no longer needed", authority: "user", atVersion: 5, source: null },
    ]);
  });

  it("were lifted where somebody took them back, and not for want of room or because they were none", () => {
    const words = "You may push to main now.";
    const thread = threadOf(
      ...[rule("p1"), rule("p2"), rule("p3"), say("m1", words)],
      ...[
        lift("p1", { why: "no-room" }),
        lift("p2", { why: "not-a-rule" }),
        lift("p3", { why: "taken-back", source: at("m1", 0, words.length) }),
      ],
    );
    const { live, lifted, unpinned } = threadRules(thread);
    expect(live).toEqual([]);
    expect(lifted).toMatchObject([{ pin: { id: "p3" }, source: { messageId: "m1" } }]);
    expect(idsOf(unpinned)).toEqual(["p1"]);
    // Pinned again, in whatever spelling, it has its room.
    const again = threadRules(thread.appendEntries([rule("p4", { text: "Rule of p1!" })]));
    expect([again.unpinned, again.live.map(({ pin }) => pin.id)]).toEqual([[], ["p4"]]);
    const lost = threadRules(
      thread.appendEntries([rule("p4", { text: "rule of p1" }), lift("p4", { why: "taken-back" })]),
    );
    expect(lost.unpinned).toEqual([]);
  });

  it("that nobody pinned are those that detection finds, until they are taken back", () => {
    const said = threadOf(say("m1", RULE));
    expect(threadRules(said).unpinned).toMatchObject([{ text: expect.stringContaining("Never push") }]);
    expect(threadRules(said.appendEntries([rule("p1", { text: RULE })])).unpinned).toEqual([]);
  });

  it("have candidates, until one is confirmed or dropped", () => {
    const path = { text: "Never touch package-lock.json.", authority: "system" } as const;
    const thread = threadOf(rule("p1", path), say("m1", "You may now edit package-lock.json."));
    const [candidate, ...others] = threadRules(thread).candidates;
    expect([candidate?.kind, others]).toEqual(["retraction", []]);
    const source = candidate?.source ?? at("m1");
    const confirmed = rule("p2", { text: candidate?.text ?? "" });
    const dropped = [rule("p2"), lift("p2", { why: "not-a-rule", source })];
    for (const answer of [[confirmed], dropped])
      expect(threadRules(thread.appendEntries(answer)).candidates).toEqual([]);
    const elsewhere = [rule("p2"), lift("p2", { why: "not-a-rule", source: { ...source, start: source.start + 1 } })];
    expect(threadRules(thread.appendEntries(elsewhere)).candidates).toHaveLength(1);
  });
});

describe("pins that nothing may go on to assert", () => {
  it("P9: are told of a long thread without a walk of its messages, and for each length of it", () => {
    const before = threadOf(say("m1", "Go."), rule("p1"), rule("p2"), lift("p1"));
    const thread = before.appendEntries([say("m2", "Go on."), lift("p2")]);
    expect(idsOf(liftedPins(thread))).toEqual(["p1", "p2"]);
    const walked = vi.spyOn(AppendOnlyList.prototype, "inMemory");
    const looked = vi.spyOn(AppendOnlyList.prototype, "at");
    const told = [thread, before].map((one) => idsOf(liftedPins(one)));
    const counts = [walked, looked].map(({ mock }) => mock.calls.length);
    vi.restoreAllMocks();
    expect([told, counts]).toEqual([
      [["p1", "p2"], ["p1"]],
      [0, 0],
    ]);
  });

  it("are those that were lifted, and no other pin says the same", () => {
    expect(liftedPins(threadOf(rule("p1"), rule("p2")))).toEqual([]);
    const thread = threadOf(
      rule("p1"),
      rule("p2"),
      rule("p3"),
      lift("p1"),
      lift("p2", { why: "not-a-rule" }),
      lift("p3", { why: "no-room" }),
    );
    expect(idsOf(liftedPins(thread))).toEqual(["p1", "p2"]);
    expect(idsOf(liftedPins(thread.appendEntries([rule("p4", { text: "Rule of p1." })])))).toEqual(["p2"]);
    expect(idsOf(liftedPins(thread.appendEntries([rule("p1")])))).toEqual(["p2"]);
  });
});

describe("rules that are not pinned", () => {
  it("are those that found no room and were not pinned again, whether the thread is read at once or as it grows", () => {
    const entries = [
      ...[rule("p1"), rule("p2"), say("m1", "Go on."), lift("p1", { why: "no-room" }), lift("p2", { why: "no-room" })],
      ...[
        rule("p3", { text: "rule of p2" }),
        rule("p4"),
        lift("p4"),
        lift("p3", { why: "no-room" }),
        rule("p5"),
        rule("p6", { text: "rule of p2" }),
        lift("p6"),
      ],
    ];
    let thread = AgentThread.empty(asThreadId("t"));
    let grown = unpinnedRules(thread);
    const left: (readonly string[])[] = [];
    for (const entry of entries) {
      thread = thread.appendEntries([entry]);
      const before = grown;
      grown = unpinnedRules(thread, before);
      expect(grown).toEqual(unpinnedRules(thread));
      expect(unpinnedRules(thread, grown)).toBe(grown);
      // Not even the list is made again by a turn in which no rule was pinned or lifted.
      const next = thread.appendEntries([say("after", "Go on.")]);
      expect(unpinnedRules(next, grown).rules).toBe(grown.rules);
      left.push(idsOf(grown.rules));
    }
    expect(left.slice(3)).toEqual([
      ["p1"],
      ["p1", "p2"],
      ["p1"],
      ["p1"],
      ["p1"],
      ["p1", "p3"],
      ["p1", "p3"],
      ["p1"],
      ["p1"],
    ]);
    expect([...grown.made.keys()]).toEqual(["p1", "p2", "p3", "p4", "p5", "p6"]);
  });
});

describe("the rules behind messages", () => {
  const messages = (...inputs: readonly MessageInput[]) =>
    AgentThread.empty(asThreadId("t")).append(inputs).messagesBetween(0);
  const texts = (pins: readonly Pin[]) => pins.map(({ text }) => text);

  it("are those of before and those that they make, once each and oldest first", () => {
    const said = [
      ...messages(
        message("m1", "user", RULE),
        message("m2", "user", "Fine."),
        message("m3", "user", "never push to the main branch"),
      ),
    ];
    const own = detectConstraints(said[0] as (typeof said)[0]);
    expect(own).toHaveLength(1);
    expect(rulesBehind(said)).toEqual(own);
    const before = samplePin("p1");
    expect(rulesBehind(said, [before])).toEqual([before, ...own]);
    const pinned = samplePin("p2", { text: RULE.toUpperCase() });
    expect(rulesBehind(said, [pinned])).toEqual([pinned]);
    expect(rulesBehind([], [before])).toEqual([before]);
  });

  it("lack what one of them takes back", () => {
    const back = [
      ...messages(
        message("m1", "user", RULE),
        message("m2", "user", "Forget the rule never to push to the main branch."),
      ),
    ];
    const left = texts(rulesBehind(back));
    const kept = texts(rulesBehind(back.slice(0, 1)));
    expect(kept).toHaveLength(1);
    expect(left).not.toEqual(expect.arrayContaining(kept));
  });
});

describe("the key of a rule", () => {
  it("is the same whatever its case, punctuation and white space, and another for other words, paths and figures", () => {
    const key = (text: string) => ruleKey({ text });
    expect(key("  Never push  to MAIN!!")).toBe(key("never push to main."));
    expect(key("never push (to main)...")).toBe(key("never push to main"));
    const others = [
      "never push to main2",
      "never push to src/main",
      "never push to a.b",
      "never push to a b",
      "never push-to main",
    ];
    expect(new Set([...others, "never push to main"].map(key)).size).toBe(others.length + 1);
  });
});
