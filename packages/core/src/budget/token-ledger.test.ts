import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { message } from "../laws/messages.ts";
import { countingTokenizer } from "../laws/samples.ts";
import { agentThreads, GENERATED_THREAD_ID } from "../laws/thread-arbitrary.ts";
import { asThreadId, asToolCallId } from "../model/ids.ts";
import type { Part } from "../model/part.ts";
import { AgentThread } from "../thread/agent-thread.ts";
import { finishSteps } from "../time/steps.ts";
import { TokenLedger } from "./token-ledger.ts";
import { type ProviderAwareTokenizer, tokenShares } from "./tokenizer.ts";

const threads = agentThreads({ malformed: true, maxMessages: 24 });

/** A counter that remembers what it was asked. */
function watched(): {
  readonly tokenizer: ProviderAwareTokenizer;
  readonly counted: unknown[];
  readonly messages: () => number;
} {
  const plain = countingTokenizer();
  const counted: unknown[] = [];
  let messages = 0;
  const tokenizer: ProviderAwareTokenizer = {
    ...plain,
    countPart: (part) => (counted.push(part), plain.countPart(part)),
    messageOverhead: (role) => (messages++, plain.messageOverhead(role)),
  };
  return { tokenizer, counted, messages: () => messages };
}

describe("TokenLedger", () => {
  it("scales all figures by a factor without recounting, and can be extended further", () => {
    fc.assert(
      fc.property(threads, fc.double({ min: 0.5, max: 4, noNaN: true }), (thread, factor) => {
        const { tokenizer, messages } = watched();
        const ledger = TokenLedger.empty(tokenizer, () => "anchoring").extend(thread);
        const asked = messages();
        const scaled = ledger.scaled(factor);
        expect(scaled.totalTokens).toBe(Math.round(ledger.totalTokens * factor));
        for (const header of scaled.headers) {
          expect(header).toEqual(scaled.header(header.ordinal));
          expect(header.tokens).toBe(Math.round((ledger.header(header.ordinal)?.tokens ?? 0) * factor));
        }
        expect(messages()).toBe(asked);
        expect(scaled.scaled(1).totalTokens).toBe(ledger.totalTokens);
        expect(scaled.tokenizer.countTokens("four words of text")).toBe(
          Math.round(tokenizer.countTokens("four words of text") * factor),
        );
      }),
      { numRuns: 60 },
    );
  });

  it("scales system tokens, shares and sums by the factor", () => {
    const { tokenizer } = watched();
    const say = (id: string, role: "system" | "user", text: string) => message(id, role, text);
    const first = AgentThread.empty(asThreadId("t")).append([
      say("s1", "system", "be kind"),
      say("u1", "user", "go on"),
    ]);
    const thread = first.append([say("s2", "system", "be brief"), say("u2", "user", "now")]);
    const ledger = TokenLedger.empty(tokenizer, () => "anchoring")
      .extend(first)
      .extend(thread);
    const tokens = (ordinal: number): number => ledger.header(ordinal)?.tokens ?? 0;
    expect(ledger.systemTokens).toBe(tokens(0) + tokens(2));
    expect(ledger.scaled(3).systemTokens).toBe(3 * ledger.systemTokens);
    expect(ledger.scaled(3).header(1)?.shares.text).toBe(3 * (ledger.header(1)?.shares.text ?? 0));
    expect(ledger.scaled(3).tokensBetween(1, 3)).toBe(3 * (tokens(1) + tokens(2)));
    expect(ledger.scaled(3).tokensBetween(-5, 99)).toBe(3 * ledger.totalTokens);
    expect([ledger.header(4), ledger.scaled(3).header(4)]).toEqual([undefined, undefined]);
    expect([ledger.scaled(1), ledger.extend(thread)]).toEqual([ledger, ledger]);
    expect(ledger.scaled(1)).toBe(ledger);
    expect(ledger.extend(thread)).toBe(ledger);
  });

  it("layer-37 counts each message and part once, however often the thread grows", () => {
    fc.assert(
      fc.property(threads, fc.array(fc.nat(), { maxLength: 5 }), (thread, picks) => {
        const { tokenizer, counted, messages } = watched();
        let ledger = TokenLedger.empty(tokenizer, () => "anchoring");
        const versions = [...picks.map((pick) => pick % (thread.version + 1)), thread.version].sort((a, b) => a - b);
        for (const version of versions) ledger = ledger.extend(thread.atVersion(version));
        for (let again = 0; again < 3; again++) ledger = ledger.extend(thread);
        const parts = [...thread.messages].flatMap((message) => message.parts);
        expect(messages()).toBe(thread.length);
        expect(counted).toEqual(parts);
        expect(ledger.length).toBe(thread.length);
      }),
      { numRuns: 60 },
    );
  });

  it("sums up the counts of whole messages", () => {
    fc.assert(
      fc.property(threads, fc.nat(), fc.nat(), (thread, a, b) => {
        const tokenizer = countingTokenizer();
        const ledger = TokenLedger.empty(tokenizer, () => "anchoring").extend(thread);
        const tokens = [...thread.messages].map((message) => tokenizer.countMessage(message));
        const sum = (list: readonly number[]) => list.reduce((total, value) => total + value, 0);
        const [from, to] = [a % (tokens.length + 1), b % (tokens.length + 1)].sort((x, y) => x - y) as [number, number];
        expect([...ledger.headers].map((header) => header.tokens)).toEqual(tokens);
        expect(ledger.totalTokens).toBe(sum(tokens));
        expect(ledger.tokensBetween(from, to)).toBe(sum(tokens.slice(from, to)));
        expect(ledger.tokensBetween(from, tokens.length + 7)).toBe(sum(tokens.slice(from)));
      }),
      { numRuns: 60 },
    );
  });

  it("extended version by version equals one made at once, and leaves older ledgers unchanged", () => {
    fc.assert(
      fc.property(threads, (thread) => {
        const empty = TokenLedger.empty(countingTokenizer(), () => "ephemeral");
        const steps = Array.from({ length: thread.version + 1 }, (_, version) => thread.atVersion(version));
        const ledgers = steps.reduce<TokenLedger[]>((list, step) => [...list, (list.at(-1) ?? empty).extend(step)], []);
        steps.forEach((step, index) => {
          expect([...(ledgers[index] as TokenLedger).headers]).toEqual([...empty.extend(step).headers]);
        });
        expect(ledgers.at(-1)?.extend(thread)).toBe(ledgers.at(-1));
      }),
      { numRuns: 40 },
    );
  });

  it("extended in steps equals one extended at once, with or without a stepping counter", () => {
    fc.assert(
      fc.property(threads, fc.nat(), fc.boolean(), (thread, pick, takesSteps) => {
        const plain = countingTokenizer();
        let steps = 0;
        const tokenizer: ProviderAwareTokenizer = {
          ...plain,
          *countPartInSteps(part) {
            for (let step = 0; step < 3; step++) yield void steps++;
            return plain.countPart(part);
          },
        };
        const empty = TokenLedger.empty(takesSteps ? tokenizer : plain, () => "ephemeral");
        const before = empty.extend(thread.atVersion(pick % (thread.version + 1)));
        const stepped = finishSteps(before.extendInSteps(thread));
        const parts = thread.messagesBetween(before.length).flatMap((message) => message.parts);
        expect([...stepped.headers]).toEqual([...empty.extend(thread).headers]);
        expect([stepped.totalTokens, stepped.systemTokens]).toEqual([
          empty.extend(thread).totalTokens,
          empty.extend(thread).systemTokens,
        ]);
        expect(steps).toBe(takesSteps ? 3 * parts.length : 0);
      }),
      { numRuns: 60 },
    );
  });

  it("can be extended separately for each fork of a thread", () => {
    const base = AgentThread.empty(GENERATED_THREAD_ID).append([
      { id: "a" as never, role: "user", parts: [], createdAt: "2026-01-01" },
    ]);
    const ledger = TokenLedger.empty(countingTokenizer(), () => "anchoring").extend(base);
    const text = (length: number) => [{ type: "text" as const, text: "x".repeat(length) }];
    const long = ledger.extend(
      base.append([{ id: "b" as never, role: "user", parts: text(400), createdAt: "2026-01-01" }]),
    );
    const short = ledger.extend(
      base.append([{ id: "b" as never, role: "user", parts: text(4), createdAt: "2026-01-01" }]),
    );
    expect([ledger.totalTokens, long.totalTokens, short.totalTokens]).toEqual([4, 4 + 104, 4 + 5]);
  });

  it("prefers a result's own durability to the policy's", () => {
    fc.assert(
      fc.property(threads, (thread) => {
        const ledger = TokenLedger.empty(countingTokenizer(), ({ toolName }) =>
          toolName === "bash" ? "ephemeral" : "replayable",
        ).extend(thread);
        for (const message of thread.messages) {
          const [part] = message.parts;
          const result = part?.type === "tool-result" ? part.result : undefined;
          const policy = result?.toolName === "bash" ? "ephemeral" : "replayable";
          expect(ledger.header(message.ordinal)?.durability).toBe(result && (result.durability ?? policy));
        }
      }),
      { numRuns: 40 },
    );
  });
});

describe("the ledger of a resumed thread", () => {
  /** A thread, a part of it that a plan hides, and the messages of that part that are in memory all the same. */
  const resumed = agentThreads({ malformed: true, pins: false, maxMessages: 24 })
    .filter(({ length }) => length > 4)
    .chain((thread) =>
      fc.record({
        thread: fc.constant(thread),
        ends: fc.tuple(fc.nat(thread.length - 2), fc.nat(thread.length - 2)),
        kept: fc.uniqueArray(fc.nat(thread.length - 1), { maxLength: 4 }),
        factor: fc.constantFrom(1, 0.7, 1.37),
      }),
    )
    .map(({ thread, ends, kept, factor }) => {
      const [from, to] = [Math.min(...ends), Math.max(...ends)];
      const isHeld = (ordinal: number): boolean => ordinal < from || ordinal > to || kept.includes(ordinal);
      const held = [...thread.entriesInMemory()].filter((_, ordinal) => isHeld(ordinal));
      const { position, version, length, digest } = thread;
      const part = AgentThread.resume(thread.id, { version, length, position, digest, held }, []);
      return { thread, part, run: { from, to }, isHeld, factor };
    });

  it("has the sums of the whole one around what is hidden, under any factor, when its tokens are known", () => {
    fc.assert(
      fc.property(resumed, ({ thread, part, run, isHeld, factor }) => {
        const empty = TokenLedger.empty(countingTokenizer(), () => "anchoring");
        const whole = empty.extend(thread);
        const tokens = whole.tokensBetween(run.from, run.to + 1);
        const ledger = empty.extend(part, 0, [{ ...run, tokens }]).scaled(factor);
        const [hole] = ledger.absent;
        expect(hole === undefined).toBe(part.isWhole);
        if (part.isWhole) return;
        const missing = Array.from({ length: thread.length }, (_, ordinal) => ordinal).filter((at) => !isHeld(at));
        expect(ledger.absent).toEqual([{ from: missing[0], to: missing.at(-1) }]);
        const outside = (ordinal: number): boolean => hole === undefined || ordinal <= hole.from || ordinal > hole.to;
        for (let from = 0; from <= thread.length; from++)
          for (let to = from; to <= thread.length; to++)
            expect(ledger.tokensIfKnown(from, to)).toBe(
              outside(from) && outside(to) ? whole.scaled(factor).tokensBetween(from, to) : undefined,
            );
      }),
      { numRuns: 60 },
    );
  });

  it("knows no such sums when some of what is hidden was not counted", () => {
    fc.assert(
      fc.property(resumed, ({ part, run }) => {
        if (part.isWhole) return;
        const empty = TokenLedger.empty(countingTokenizer(), () => "anchoring");
        for (const runs of [[], [{ ...run, to: run.from - 1, tokens: 3 }]]) {
          const ledger = empty.extend(part, 5, runs);
          expect(ledger.tokensIfKnown(1, part.length)).toBeUndefined();
          expect(ledger.totalTokens).toBe(
            5 +
              [...part.messagesInMemory()].reduce((sum, { ordinal }) => sum + (ledger.header(ordinal)?.tokens ?? 0), 0),
          );
        }
      }),
      { numRuns: 30 },
    );
  });
});

describe("tokenShares", () => {
  it("puts each kind of part into its share", () => {
    const callId = asToolCallId("c");
    const url = { kind: "url", url: "u" } as const;
    const one = (part: Part) => tokenShares({ role: "assistant", parts: [part] }, countingTokenizer()).shares;
    const none = { text: 0, toolInput: 0, toolResult: 0, reasoning: 0, media: 0 };
    expect(one({ type: "text", text: "12345678" })).toEqual({ ...none, text: 2 });
    expect(one({ type: "opaque", provider: "p", value: "123456" })).toEqual({ ...none, text: 2 });
    expect(one({ type: "reasoning", text: "1234", signature: "5678" })).toEqual({ ...none, reasoning: 2 });
    expect(one({ type: "image", source: url })).toEqual({ ...none, media: 500 });
    expect(one({ type: "file", source: url })).toEqual({ ...none, media: 500 });
    expect(one({ type: "tool-call", callId, toolName: "read", input: 12 })).toEqual({ ...none, toolInput: 2 });
    const result = { toolName: "read", callId, outcome: "success", content: { type: "text", text: "12345" } } as const;
    expect(one({ type: "tool-result", result })).toEqual({ ...none, toolResult: 2 });
  });

  it("assigns all tokens of a message to shares", () => {
    const tokenizer = countingTokenizer();
    fc.assert(
      fc.property(threads, (thread) => {
        for (const message of thread.messages) {
          const { shares, overhead } = tokenShares(message, tokenizer);
          const sum = Object.values(shares).reduce((total, share) => total + share, overhead);
          expect(sum).toBe(tokenizer.countMessage(message));
          const has = (...types: readonly string[]) => message.parts.some((part) => types.includes(part.type));
          if (!has("reasoning")) expect(shares.reasoning).toBe(0);
          if (!has("image", "file")) expect(shares.media).toBe(0);
          if (!has("tool-call")) expect(shares.toolInput).toBe(0);
          if (!has("tool-result")) expect(shares.toolResult).toBe(0);
          if (!has("text", "opaque")) expect(shares.text).toBe(0);
        }
      }),
      { numRuns: 60 },
    );
  });
});
