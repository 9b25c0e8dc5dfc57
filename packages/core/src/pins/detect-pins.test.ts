import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { agentThreads, countingTokenizer, runs } from "../laws/index.ts";
import { message } from "../laws/messages.ts";
import { samplePin } from "../laws/samples.ts";
import { asThreadId, asToolCallId } from "../model/ids.ts";
import type { Message, MessageInput } from "../model/message.ts";
import { AgentThread } from "../thread/agent-thread.ts";
import type { Pin } from "../thread/thread-entry.ts";
import type { Steps } from "../time/steps.ts";
import { detectPins, detectPinsInSteps } from "./detect-pins.ts";

const { countTokens } = countingTokenizer();
const messagesOf = (...inputs: readonly MessageInput[]): readonly Message[] =>
  AgentThread.empty(asThreadId("t")).append(inputs).messagesBetween(0);
const say = (id: string, text: string, role: "user" | "system" = "user"): MessageInput => message(id, role, text);

/** The pins that hold behind the entries. */
function liveAfter(live: readonly Pin[], entries: ReturnType<typeof detectPins>["entries"]): readonly Pin[] {
  const pins = new Map(live.map((pin) => [pin.id, pin]));
  for (const entry of entries) {
    if (entry.type === "pin") pins.set(entry.pin.id, entry.pin);
    else pins.delete(entry.pinId);
  }
  return [...pins.values()];
}

/** What two pieces of work come to of which each makes a step after the other has made one. */
function sideBySide<Result>(one: Steps<Result>, other: Steps<Result>): readonly (Result | undefined)[] {
  const results: (Result | undefined)[] = [undefined, undefined];
  const open = new Map([one, other].entries());
  while (open.size > 0)
    for (const [index, steps] of open) {
      const { done, value } = steps.next();
      if (done !== true) continue;
      results[index] = value;
      open.delete(index);
    }
  return results;
}

describe("detectPins", () => {
  it("finds the same step by step, also where two texts are read side by side", () => {
    const texts = [
      "Never touch the main branch. Forget that.\n".repeat(20),
      "# Rules\n- never push\n- nie löschen\n\nYou must not:\n",
      "+added\n-removed\n".repeat(40),
      "```\nnever run this\n```\nAlways run the tests; please do not merge!",
    ];
    fc.assert(
      fc.property(fc.constantFrom(...texts), fc.constantFrom(...texts), fc.nat(60), (one, other, maxTokens) => {
        // Of each message anew: what was read of one is remembered.
        const messages = (text: string) => messagesOf(say("a", text), say("b", text, "system"));
        const detection = { maxTokens, countTokens };
        const stepped = sideBySide(
          detectPinsInSteps(messages(one), [], detection),
          detectPinsInSteps(messages(other), [], detection),
        );
        expect(stepped).toEqual([detectPins(messages(one), [], detection), detectPins(messages(other), [], detection)]);
      }),
      { numRuns: 40 },
    );
  });

  it("stays within its token cap, pins no text twice, and tells of every rule that is left out", () => {
    fc.assert(
      fc.property(agentThreads(), fc.nat(60), (thread, maxTokens) => {
        const rules = Array.from({ length: 8 }, (_, index) =>
          say(`rule ${index}`, `Never use option ${index % 5} in production builds.`),
        );
        const grown = thread.append(rules.filter(({ id }) => thread.message(id) === undefined));
        const { entries, leftOut } = detectPins(grown.messagesBetween(0), [], { maxTokens, countTokens });
        const live = liveAfter([], entries);
        const users = live.filter(({ authority }) => authority === "user");
        expect(users.reduce((sum, pin) => sum + countTokens(pin.text), 0)).toBeLessThanOrEqual(maxTokens);
        expect(new Set(live.map((pin) => pin.text)).size).toBe(live.length);
        const told = new Set([...live, ...leftOut].map(({ text }) => text));
        for (let index = 0; index < 5; index++)
          expect(told).toContain(`Never use option ${index} in production builds.`);
        // What is appended can be: a thread takes the entries as they are.
        expect(AgentThread.empty(asThreadId("x")).appendEntries(entries).livePins).toEqual(live);
      }),
      runs(100),
    );
  });

  it("keeps the newest rules where there is no room for all, and gives up none for one that does not fit at all", () => {
    const rules = Array.from({ length: 6 }, (_, index) => say(`m${index}`, `Never use option ${index}.`));
    const maxTokens = 3 * countTokens("Never use option 0.");
    const { entries, leftOut } = detectPins(messagesOf(...rules), [], { maxTokens, countTokens });
    expect(liveAfter([], entries).map(({ text }) => text)).toEqual([3, 4, 5].map((n) => `Never use option ${n}.`));
    expect(leftOut).toHaveLength(3);
    expect(entries.filter((entry) => entry.type === "pin-lifted").map(({ why }) => why)).toEqual(
      Array(3).fill("no-room"),
    );
    const long = say("long", `Never ${"use that very old option ".repeat(20)}again in a build.`);
    const live = liveAfter([], entries);
    expect(liveAfter(live, detectPins(messagesOf(long), live, { maxTokens, countTokens }).entries)).toEqual(live);
  });

  it("takes no room for rules of the system, which is never folded", () => {
    const rules = Array.from({ length: 70 }, (_, index) => `- Never use option ${index}.`).join("\n");
    const own = "Never delete the users table.";
    const maxTokens = countTokens(own);
    const messages = messagesOf(say("s", `Rules:\n${rules}`, "system"), say("u", own));
    const live = liveAfter([], detectPins(messages, [], { maxTokens, countTokens }).entries);
    expect(live.filter(({ authority }) => authority === "system")).toHaveLength(70);
    expect(live.at(-1)).toMatchObject({ text: own, authority: "user" });
  });

  it("lifts what a message takes back, with its words and its place, and pins it again when it is said again", () => {
    const rule = "Never touch package-lock.json.";
    const back = "You may now edit package-lock.json.";
    const messages = messagesOf(say("a", rule), say("b", back));
    const { entries } = detectPins(messages, [], { maxTokens: 1_000, countTokens });
    expect(entries).toMatchObject([
      { type: "pin", pin: { text: rule, source: { messageId: "a" } } },
      { type: "pin-lifted", reason: back, authority: "user", why: "taken-back", source: { messageId: "b" } },
    ]);
    const again = detectPins(messagesOf(say("c", rule)), [], { maxTokens: 1_000, countTokens });
    expect(again.entries).toMatchObject([{ type: "pin", pin: { text: rule, source: { messageId: "c" } } }]);
  });

  it("gives way to a new rule with the oldest ones first, and with no more of them than it needs", () => {
    const [short, long] = ["Never use option 0.", "Never use options 1 and 2 of it at all."];
    const before = detectPins(messagesOf(say("a", short), say("b", long)), [], { maxTokens: 1_000, countTokens });
    const live = liveAfter([], before.entries);
    const both = countTokens(short) + countTokens(long);
    const next = "Never use option 3.";
    const liveWith = (maxTokens: number) =>
      liveAfter(live, detectPins(messagesOf(say("c", next)), live, { maxTokens, countTokens }).entries).map(
        ({ text }) => text,
      );
    expect(liveWith(both + countTokens(next))).toEqual([short, long, next]);
    expect(liveWith(both + countTokens(next) - 1)).toEqual([long, next]);
    expect(liveWith(countTokens(long) + countTokens(next))).toEqual([long, next]);
    expect(liveWith(countTokens(long) + countTokens(next) - 1)).toEqual([next]);
    expect(liveWith(countTokens(next))).toEqual([next]);
    expect(liveWith(countTokens(next) - 1)).toEqual([short, long]);
  });

  it("gives up neither what a host pinned nor what the system said, which take no room of it", () => {
    const others = [
      samplePin("host", { origin: "explicit" }),
      samplePin("system", { origin: "detector", authority: "system" }),
    ];
    const maxTokens = countTokens("Never use option 1.");
    const { entries, leftOut } = detectPins(
      messagesOf(say("a", "Never use option 1."), say("b", "Never use option 2.")),
      others,
      { maxTokens, countTokens },
    );
    expect(liveAfter(others, entries).map(({ text }) => text)).toEqual([
      ...others.map(({ text }) => text),
      "Never use option 2.",
    ]);
    expect(leftOut.map(({ text }) => text)).toEqual(["Never use option 1."]);
    expect(entries.at(-1)).toMatchObject({ type: "pin-lifted", why: "no-room", source: { messageId: "a" } });
  });

  it("pins nothing that is pinned, in whatever spelling, and pins again what was taken back", () => {
    const live = [samplePin("p", { text: "NEVER use option 1!" })];
    const detection = { maxTokens: 1_000, countTokens };
    expect(detectPins(messagesOf(say("a", "Never use option 1.")), live, detection).entries).toEqual([]);
    const { entries } = detectPins(
      messagesOf(say("a", "Never use option 1."), say("b", "Forget that rule."), say("c", "Never use option 1.")),
      [],
      detection,
    );
    expect(entries.map(({ type }) => type)).toEqual(["pin", "pin-lifted", "pin"]);
  });

  it("gives a retraction as the reason, or as much of it as a log keeps", () => {
    const reasonFor = (length: number): string | undefined => {
      const words = "Forget the rule about package-lock.json, it is of no use";
      const back = `${words}${"!".repeat(length - words.length)}`;
      const { entries } = detectPins(messagesOf(say("a", "Never touch package-lock.json."), say("b", back)), [], {
        maxTokens: 1_000,
        countTokens,
      });
      return entries.flatMap((entry) => (entry.type === "pin-lifted" ? [entry.reason] : []))[0];
    };
    expect(reasonFor(300)).toMatch(/^Forget.*!$/);
    expect(reasonFor(300)).toHaveLength(300);
    expect(reasonFor(301)).toBe(`${reasonFor(300)} …`);
  });

  it("writes of the rules that find no room a hundred into the log, and tells of all", () => {
    const text = (count: number) =>
      Array.from({ length: count }, (_, index) => `Never use option ${index}.`).join("\n");
    for (const [count, recorded] of [
      [99, 99],
      [100, 100],
      [101, 100],
    ] as const) {
      const found = detectPins(messagesOf(say("a", text(count))), [], { maxTokens: 0, countTokens });
      expect(found.entries.filter(({ type }) => type === "pin-lifted")).toHaveLength(recorded);
      expect(found.leftOut).toHaveLength(count);
      expect(liveAfter([], found.entries)).toEqual([]);
    }
  });

  it("P9 looks back for the calls that new results answer, and no further", () => {
    const call = (callId: string): MessageInput => ({
      ...message(`a-${callId}`, "assistant", ""),
      parts: [
        { type: "tool-call", callId: asToolCallId(callId), toolName: "ask_user", input: { question: "Where to?" } },
      ],
    });
    const reply = (callId: string): MessageInput => {
      const content = { type: "text", text: "Never touch the lockfile." } as const;
      const result = { toolName: "ask_user", callId: asToolCallId(callId), outcome: "success", content } as const;
      return { ...message(`r-${callId}`, "tool", ""), parts: [{ type: "tool-result", result }] };
    };
    const before = Array.from({ length: 100 }, (_, at) => say(`u${at}`, "Go on."));
    const read = (messages: readonly MessageInput[], from: number) => {
      const all = messagesOf(...messages);
      let looked = 0;
      const earlier = (function* () {
        for (const one of all.slice(0, from).reverse()) yield (looked++, one);
      })();
      const { entries } = detectPins(all.slice(from), [], { maxTokens: 1_000, countTokens, earlier });
      return [entries.length, looked];
    };
    expect(read([...before, call("c1"), reply("c1"), call("c2"), reply("c2")], 101)).toEqual([1, 1]);
    expect(read([...before, call("c1"), say("u", "Wait."), reply("c1")], 102)).toEqual([1, 2]);
    expect(read([...before, say("u", "Wait."), call("c1"), reply("c1")], 101)).toEqual([1, 0]);
  });

  it("writes no more into the log than a message of a person needs", () => {
    const text = Array.from({ length: 5_000 }, (_, index) => `Never use option ${index}.`).join("\n");
    const { entries, leftOut } = detectPins(messagesOf(say("a", text)), [], { maxTokens: 50, countTokens });
    expect(leftOut.length).toBeGreaterThan(4_900);
    expect(entries.length).toBeLessThan(300);
  });
});
