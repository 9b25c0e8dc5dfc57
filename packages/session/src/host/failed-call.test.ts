import { message } from "@threadfold/core/laws";
import { FIRST_TRUST } from "@threadfold/turn";
import { describe, expect, it } from "vitest";
import { openSession, work } from "../testing/agent-work.ts";

const config = { maxInputTokens: 20_000 };

/** Errors in the shapes in which the SDKs throw them. */
const OVERFLOWS: Readonly<Record<string, unknown>> = {
  anthropic: Object.assign(new Error("400 prompt is too long"), {
    status: 400,
    error: {
      type: "error",
      error: { type: "invalid_request_error", message: "prompt is too long: 9000 tokens > 7000 maximum" },
    },
  }),
  openai: Object.assign(new Error("400 This model's maximum context length is 7000 tokens."), {
    status: 400,
    code: "context_length_exceeded",
  }),
  "ai-sdk": Object.assign(new Error("Bad Request"), {
    statusCode: 400,
    responseBody:
      '{"error":{"message":"The input token count (9000) exceeds the maximum number of tokens allowed (7000)."}}',
  }),
  text: "prompt is too long",
};

describe("session.failed", () => {
  it.each(Object.keys(OVERFLOWS))(
    "L19 a request refused as too long is folded once, and never in a loop: %s",
    async (name) => {
      const session = await openSession({ config });
      await session.append([message("u0", "user", "Build it."), ...work(0, 8, 1_000)]);
      const refused = await session.prepare();
      expect(await session.failed(OVERFLOWS[name])).toEqual({ kind: "overflow", retry: true });
      const folded = await session.prepare();
      expect(folded.outcome?.type).toBe("committed");
      expect(folded.tokens).toBeLessThan(refused.tokens * 0.85);
      expect(await session.failed(OVERFLOWS[name])).toEqual({ kind: "overflow", retry: false });
      expect((await session.prepare()).plan.version).toBe(folded.plan.version);
      await session.complete({ messages: [message("a", "assistant", "There.")] });
      await session.append(work(8, 12, 1_000));
      await session.prepare();
      expect((await session.failed(OVERFLOWS[name])).retry).toBe(true);
    },
  );

  it("leaves every other error to the host", async () => {
    const session = await openSession({ config });
    await session.append([message("u0", "user", "Hi.")]);
    await session.prepare();
    const errors = [
      Object.assign(new Error("429 too many tokens per minute"), { status: 429 }),
      Object.assign(new Error("overloaded"), { status: 529 }),
      new DOMException("aborted", "AbortError"),
      undefined,
      null,
      { status: 500 },
    ];
    for (const error of errors) expect(await session.failed(error)).toEqual({ kind: "other", retry: false });
    expect((await session.prepare()).outcome?.type).toBe("no-op");
  });

  it("advises no further retry when nothing can be folded", async () => {
    const session = await openSession({ config });
    await session.append([message("u0", "user", "Hi.")]);
    await session.prepare();
    expect((await session.failed("prompt is too long")).retry).toBe(true);
    expect((await session.prepare()).outcome?.type).not.toBe("committed");
    expect((await session.failed("prompt is too long")).retry).toBe(false);
  });

  it("learns the model's limit from the error", async () => {
    const session = await openSession({ config });
    await session.append([message("u0", "user", "Build it."), ...work(0, 8, 1_000)]);
    const { tokens } = await session.prepare();
    await session.failed("prompt is too long: 9000 tokens > 7000 maximum");
    expect((await session.prepare()).tokens).toBeLessThanOrEqual((tokens * 7) / 9);
  });

  it("S28 a misread limit is forgotten once the provider has accepted a larger request", async () => {
    const session = await openSession({ config });
    await session.append([message("u0", "user", `Build it. ${"This is how. ".repeat(200)}`), ...work(0, 8, 1_000)]);
    await session.prepare();
    await session.failed("prompt is too long: 9000 tokens > 400 maximum");
    expect(session.stats().learnedLimit).toBeLessThan(500);
    const sent = await session.prepare();
    expect(sent.tokens).toBeGreaterThan(500);
    await session.complete({ messages: [], stopReason: "error" });
    expect(session.stats().learnedLimit).toBeLessThan(500);
    await session.complete({ messages: [message("a", "assistant", "There.")], usage: { inputTokens: 900 } });
    expect(session.stats().learnedLimit).toBeNull();
    await session.append(work(8, 16, 1_000));
    expect((await session.prepare()).tokens).toBeGreaterThan(5_000);
  });

  it("S28 a learned limit is dropped after enough answers, and learned again when the provider refuses", async () => {
    const session = await openSession({ config });
    await session.append([message("u0", "user", "Build it."), ...work(0, 8, 1_000)]);
    await session.prepare();
    await session.failed("prompt is too long: 9000 tokens > 7000 maximum");
    const learned = session.stats().learnedLimit;
    for (let answer = 0; answer < FIRST_TRUST; answer++) {
      expect(session.stats().learnedLimit).toBe(learned);
      await session.prepare();
      await session.complete({ messages: [message(`answer${answer}`, "assistant", "On it.")] });
    }
    expect(session.stats().learnedLimit).toBeNull();
    await session.append(work(8, 16, 1_000));
    expect((await session.prepare()).tokens).toBeGreaterThan(learned ?? 0);
    expect(await session.failed("prompt is too long")).toEqual({ kind: "overflow", retry: true });
    expect((await session.prepare()).tokens).toBeLessThanOrEqual(session.stats().learnedLimit ?? 0);
  });
});
