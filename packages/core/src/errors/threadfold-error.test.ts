import { describe, expect, it, vi } from "vitest";
import { modelCallError, modelCallFailure } from "../ports/completion-model.ts";
import { ERROR_CODES, type ErrorCode } from "./error-codes.ts";
import { BudgetInfeasibleError, nearestName, problemOf, ThreadfoldError } from "./threadfold-error.ts";

describe("nearestName", () => {
  it("finds what was meant by a slip, a missing letter or another case, and nothing for a word of its own", () => {
    const known = ["maxInputTokens", "targetPercent", "detectPins"];
    expect(nearestName("maxInputToken", known)).toBe("maxInputTokens");
    expect(nearestName("maxinputtokens", known)).toBe("maxInputTokens");
    expect(nearestName("detctPins", known)).toBe("detectPins");
    expect(nearestName("colour", known)).toBeUndefined();
    expect(nearestName("", known)).toBeUndefined();
  });
});

const codes = Object.keys(ERROR_CODES) as ErrorCode[];

describe("the registry of errors", () => {
  it.each(codes)("%s is in upper snake case and says what went wrong and what to do in whole sentences", (code) => {
    expect(code).toMatch(/^[A-Z]+(_[A-Z]+)*$/);
    const { summary, hint, retryable } = ERROR_CODES[code];
    for (const sentence of [summary, hint]) expect(sentence).toMatch(/^[A-Z].{15,}\.$/);
    expect(typeof retryable).toBe("boolean");
  });

  it("never loses or renames a code: they are part of the public interface", () => {
    expect(codes).toEqual(expect.arrayContaining(STABLE_CODES));
  });
});

/** Codes only ever join this list. */
const STABLE_CODES = (
  "INVALID_JSON INVALID_MESSAGE INVALID_PLAN INVALID_CONFIG DUPLICATE_MESSAGE_ID INVALID_PIN INVALID_QUERY UNREADABLE_SOURCE EMPTY_SOURCE " +
  "UNKNOWN_FORMAT WRONG_FORMAT SOURCE_TOO_LARGE CORRUPT_ARCHIVE BUDGET_INFEASIBLE PLAN_CONFLICT PIN_MISSING ILLEGAL_REQUEST " +
  "SUMMARIZER_FAILED ABORTED THREAD_NOT_FOUND MESSAGE_NOT_FOUND PLAN_NOT_FOUND ARTIFACT_NOT_FOUND VERSION_CONFLICT " +
  "IDEMPOTENCY_MISMATCH STORE_UNAVAILABLE STORE_FOREIGN STORE_CORRUPT STORE_UNSAFE_ROLE REPLAY_MISMATCH USAGE OUTPUT_UNWRITABLE MODEL_CALL_FAILED"
).split(" ");

describe("ThreadfoldError", () => {
  it("takes hint and retryability from the registry, and a better hint from whoever throws it", () => {
    const plain = new ThreadfoldError("PLAN_CONFLICT", "Plan 3 is there already.");
    expect(plain).toMatchObject({
      name: "ThreadfoldError",
      code: "PLAN_CONFLICT",
      message: "Plan 3 is there already.",
      retryable: true,
      hint: ERROR_CODES.PLAN_CONFLICT.hint,
      details: {},
    });
    expect("cause" in plain).toBe(false);
    const cause = new Error("disk");
    const precise = new ThreadfoldError("USAGE", "x", { hint: "Do y.", details: { line: 3 }, cause });
    expect(precise).toMatchObject({ hint: "Do y.", details: { line: 3 }, cause, retryable: false });
    expect(new ThreadfoldError("PLAN_CONFLICT", "x", { retryable: false }).retryable).toBe(false);
  });

  it("is known across copies of the package, and nothing else is taken for one", async () => {
    vi.resetModules();
    const copy = await import("./threadfold-error.ts");
    const foreign = new copy.ThreadfoldError("USAGE", "x");
    expect(copy.ThreadfoldError).not.toBe(ThreadfoldError);
    expect(foreign).not.toBeInstanceOf(ThreadfoldError);
    expect(ThreadfoldError.isInstance(foreign)).toBe(true);
    expect(copy.ThreadfoldError.isInstance(new ThreadfoldError("USAGE", "x"))).toBe(true);
    for (const other of [
      new Error("x"),
      { code: "USAGE", name: "ThreadfoldError" },
      "ThreadfoldError",
      null,
      undefined,
    ]) {
      expect(ThreadfoldError.isInstance(other)).toBe(false);
    }
  });

  it("shows no marker when it is listed or serialized", () => {
    const error = new ThreadfoldError("USAGE", "x");
    expect(
      Object.getOwnPropertySymbols(error).filter((symbol) => Object.prototype.propertyIsEnumerable.call(error, symbol)),
    ).toEqual([]);
    expect(Object.keys(JSON.parse(JSON.stringify(error)) as object).sort()).toEqual([
      "code",
      "details",
      "hint",
      "name",
      "retryable",
    ]);
  });
});

it("says of a call of a model that failed what the provider said, and of no other error", () => {
  const cause = new Error("socket closed");
  const failed = modelCallError("It was busy.", { kind: "overloaded", retryAfterMs: 7 } as never, cause);
  expect(failed).toMatchObject({ code: "MODEL_CALL_FAILED", message: "It was busy.", cause });
  expect(modelCallFailure(failed)).toEqual({ kind: "overloaded", retryAfterMs: 7 });
  expect(modelCallError("It was busy.", {} as never)).not.toHaveProperty("cause");
  for (const other of [cause, new ThreadfoldError("USAGE", "x"), null]) expect(modelCallFailure(other)).toBeNull();
});

it.each([
  ["rate-limited", true],
  ["unavailable", true],
  ["timeout", true],
  ["overflow", false],
  ["rejected", false],
] as const)("a call of a model that failed as %s may be retried: %s", (kind, retryable) => {
  expect(modelCallError("It failed.", { kind })).toMatchObject({ code: "MODEL_CALL_FAILED", retryable });
});

describe("BudgetInfeasibleError", () => {
  it("names what takes the room and how much, in tokens", () => {
    const error = new BudgetInfeasibleError(1_000, { system: 600, tools: 300, pins: 50, newest: 200, overhead: 7 });
    expect(error).toBeInstanceOf(ThreadfoldError);
    expect(error).toMatchObject({
      name: "BudgetInfeasibleError",
      code: "BUDGET_INFEASIBLE",
      budget: 1_000,
      required: 1_157,
      retryable: false,
    });
    for (const part of ["1157", "system 600", "tools 300", "pins 50", "newest 200", "overhead 7", "1000"])
      expect(error.message).toContain(part);
    expect(error.details).toEqual({ budget: 1_000, required: 1_157, indispensable: error.indispensable });
  });

  it.each([
    ["newest", /newest user message and what must stay with it .* shorten it/],
    ["system", /Shorten the system text/],
    ["tools", /fewer tools/],
    ["pins", /Lift pins/],
  ] as const)("says what to do about %s when that takes up most of the space", (part, way) => {
    const parts = { system: 100, tools: 100, pins: 100, newest: 100, overhead: 900, [part]: 700 };
    const { hint } = new BudgetInfeasibleError(1_000, parts);
    expect(hint).toMatch(way);
    expect(hint).toContain("by 900 tokens");
  });

  it("says where the budget comes from, and why nothing was folded", () => {
    const parts = { system: 600, tools: 300, pins: 50, newest: 200, overhead: 7 };
    const said = (request: ConstructorParameters<typeof BudgetInfeasibleError>[2]) =>
      new BudgetInfeasibleError(1_000, parts, request);
    const cap = { maxInputTokens: 1_500, outputReserveTokens: 400, safetyBufferTokens: 100 };
    expect(said({ cap }).message).toContain("1500 less 400 for the answer and 100 for safety");
    expect(said({ cap: { ...cap, outputReserveTokens: 0 } }).message).toContain("1500 less 100 for safety");
    expect(said({ cap: { ...cap, safetyBufferTokens: 0 } }).message).toContain("1500 less 400 for the answer.");
    expect(said({ cap: { maxInputTokens: 1_000, outputReserveTokens: 0 } }).message).not.toContain("less");
    expect(said({ cap, outcome: "refused" }).details).toMatchObject({ ...cap, outcome: "refused" });
    const unfolded = said({ unfolded: "folding is switched off", hint: "Switch it on." });
    expect(unfolded.message).toContain("not folded because folding is switched off");
    expect(unfolded.message).toContain("messages 200");
    expect(unfolded.message).not.toContain("newest");
    expect(unfolded.hint).toBe("Switch it on.");
  });
});

describe("what is said of a failure", () => {
  it.each<[string, unknown, string]>([
    [
      "one of ours",
      new ThreadfoldError("PLAN_NOT_FOUND", "There is no plan 7."),
      "PLAN_NOT_FOUND: There is no plan 7.",
    ],
    ["one of others", new TypeError("secret"), "TypeError"],
    ["one of a driver with a code", Object.assign(new Error("secret"), { code: "ECONNREFUSED" }), "Error ECONNREFUSED"],
    ["a code of other letters", Object.assign(new Error("x"), { code: "user 7" }), "Error"],
    ["a code that goes on", Object.assign(new Error("x"), { code: "E_1 secret" }), "Error"],
    ["a code that begins otherwise", Object.assign(new Error("x"), { code: "secret E_1" }), "Error"],
    ["a long code", Object.assign(new Error("x"), { code: "E".repeat(41) }), "Error"],
    ["a number", Object.assign(new Error("x"), { code: 7 }), "Error"],
    ["no error at all", "secret", "something that is not an error was thrown"],
  ])("quotes nothing that may hold content: %s", (_what, thrown, words) => {
    expect(problemOf(thrown)).toBe(words);
  });
});
