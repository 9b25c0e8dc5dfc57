import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { call, text } from "../laws/messages.ts";
import { countingTokenizer } from "../laws/samples.ts";
import type { Part } from "../model/part.ts";
import { scaledTokenizer } from "./scaled-tokenizer.ts";
import {
  afterReported,
  handedOn,
  MAX_OFFSET,
  parseCalibration,
  requestTokens,
  SLOPE_RANGE,
  scaledTokens,
  type TokenEstimate,
  type TokenReport,
  unreported,
} from "./token-estimate.ts";

const after = (reports: readonly TokenReport[], from = unreported()): TokenEstimate =>
  reports.reduce(afterReported, from);
const anyFigure = fc.oneof(
  fc.integer({ min: -10, max: 1_000_000 }),
  fc.constantFrom(0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e300, 0.5),
);
/** A thread that grows call by call, as a provider counts it. */
const growing = (slope: number, offset: number, steps: readonly number[]): readonly TokenReport[] => {
  let counted = 0;
  return steps.map((step) => {
    counted += step;
    return { counted, reported: Math.round(slope * counted + offset) };
  });
};
const steps = fc.array(fc.integer({ min: 100, max: 4_000 }), { minLength: 1, maxLength: 60 });
const truths = fc.record({
  slope: fc.double({ min: 1, max: 1.7, noNaN: true }),
  offset: fc.integer({ min: 0, max: 45_000 }),
});

describe("the estimate of the provider's tokens", () => {
  it("is the counter's own figure before the first report", () => {
    expect(requestTokens(unreported(1.3), 12_345)).toBe(12_345);
    expect(scaledTokens(unreported(1.3), 77)).toBe(77);
  });

  it("separates slope and hidden tokens: 1.45 and 9 000 tokens, not a factor of 1.9", () => {
    const estimate = after(
      growing(
        1.45,
        9_000,
        Array.from({ length: 20 }, () => 2_000),
      ),
    );
    expect(estimate.slope).toBeCloseTo(1.45, 1);
    expect(Math.abs(estimate.offset - 9_000)).toBeLessThan(600);
  });

  it("stays at most 5 % below the next report of a linear provider, from the first report on", () => {
    fc.assert(
      fc.property(truths, steps, ({ slope, offset }, grown) => {
        const reports = growing(slope, offset, grown);
        let estimate = unreported(1.3);
        for (const [index, { counted, reported }] of reports.entries()) {
          const last = reports[index - 1];
          // As the session has it: what came since the newest report, on top of that report.
          if (last !== undefined)
            expect(last.reported + estimate.slope * (counted - last.counted)).toBeGreaterThan(0.7 * reported);
          estimate = afterReported(estimate, { counted, reported });
          expect(requestTokens(estimate, counted)).toBeGreaterThan(0.95 * reported);
          expect(requestTokens(estimate, counted)).toBeLessThan(1.05 * reported);
        }
      }),
      { numRuns: 200 },
    );
  });

  it.each<[string, number, number]>([
    ["nothing counted", 0, 5_000],
    ["nothing reported", 5_000, 0],
    ["a negative figure", 5_000, -1],
    ["not a number", Number.NaN, 5_000],
    ["infinity", 5_000, Number.POSITIVE_INFINITY],
    ["more than hidden text can explain", 1_000, 69_000],
    ["less than half the count", 5_000, 2_400],
  ])("learns nothing from %s", (_, counted, reported) => {
    const estimate = unreported();
    expect(afterReported(estimate, { counted, reported })).toBe(estimate);
  });

  it.each<[string, number, number]>([
    ["the smallest request", 1, 1],
    ["the largest window", 1e9, 1e9],
    ["half the count", 5_000, 2_500],
    ["four times the count plus the largest hidden text", 1_000, 68_000],
  ])("learns from %s", (_, counted, reported) => {
    const first = afterReported(unreported(), { counted, reported });
    expect(first.reports).toBe(1);
    expect(afterReported(first, { counted, reported }).reports).toBe(2);
  });

  it("splits the first report into the expected slope and hidden tokens", () => {
    const plain = afterReported(unreported(1.3), { counted: 10_000, reported: 13_000 });
    expect(plain.slope).toBeCloseTo(1.3, 10);
    expect(plain.offset).toBeCloseTo(0, 5);
    const hidden = afterReported(unreported(1.3), { counted: 1_000, reported: 21_300 });
    expect(hidden.slope).toBeCloseTo(1.3, 1);
    expect(hidden.offset).toBeGreaterThan(19_000);
    expect(hidden.offset).toBeLessThanOrEqual(20_000);
    expect(hidden.expectedSlope).toBe(1.3);
  });

  it("scales a message by the slope, and a request by the slope plus the hidden tokens", () => {
    const estimate = { ...unreported(), slope: 1.5, offset: 9_000.4 };
    expect(scaledTokens(estimate, 1_001)).toBe(1_502);
    expect(requestTokens(estimate, 1_001)).toBe(10_502);
    expect(scaledTokens(estimate, 0)).toBe(0);
    expect(requestTokens(estimate, 0)).toBe(9_000);
  });

  it("limits a report's deviation to three tenths from the fourth report on", () => {
    const report = { counted: 10_000, reported: 20_000 };
    const [two, three] = [after([report, report], unreported(2)), after([report, report, report], unreported(2))];
    const next = (from: TokenEstimate, reported: number) => afterReported(from, { counted: 10_000, reported }).slope;
    expect(next(three, 39_000)).toBeCloseTo(next(three, 26_000), 10);
    expect(next(three, 6_000)).toBeCloseTo(next(three, 14_000), 10);
    expect(next(three, 25_900)).toBeLessThan(next(three, 26_000));
    expect(next(three, 14_100)).toBeGreaterThan(next(three, 14_000));
    expect(requestTokens(afterReported(two, { counted: 10_000, reported: 6_000 }), 10_000)).toBeLessThan(
      requestTokens(afterReported(two, { counted: 10_000, reported: 14_000 }), 10_000),
    );
  });

  it("S36 stays within its bounds, whatever is reported", () => {
    fc.assert(
      fc.property(fc.array(fc.record({ counted: anyFigure, reported: anyFigure }), { maxLength: 40 }), (reports) => {
        const { slope, offset } = after(reports);
        expect(slope).toBeGreaterThanOrEqual(SLOPE_RANGE.least);
        expect(slope).toBeLessThanOrEqual(SLOPE_RANGE.most);
        expect(offset).toBeGreaterThanOrEqual(0);
        expect(offset).toBeLessThanOrEqual(MAX_OFFSET);
      }),
      { numRuns: 300 },
    );
  });

  it("moves little for one outlier, and follows consistent reports", () => {
    const calm = after(
      growing(
        1.2,
        0,
        Array.from({ length: 20 }, () => 2_000),
      ),
    );
    const startled = afterReported(calm, { counted: 40_000, reported: 140_000 });
    expect(requestTokens(startled, 40_000) / requestTokens(calm, 40_000)).toBeLessThan(1.1);
    const moved = after(
      Array.from({ length: 30 }, () => ({ counted: 40_000, reported: 80_000 })),
      calm,
    );
    expect(requestTokens(moved, 40_000)).toBeGreaterThan(72_000);
  });

  it("is handed on with the weight of a few reports", () => {
    const learned = after(
      growing(
        2,
        0,
        Array.from({ length: 50 }, () => 1_000),
      ),
    );
    const next = handedOn(learned);
    expect(requestTokens(next, 10_000)).toBe(requestTokens(learned, 10_000));
    const other = growing(
      1,
      0,
      Array.from({ length: 6 }, () => 5_000),
    );
    expect(after(other, next).slope).toBeLessThan(after(other, learned).slope);
  });

  it("is handed on with at most four reports", () => {
    const many = after(Array.from({ length: 8 }, () => ({ counted: 10_000, reported: 20_000 })));
    const half = handedOn(many);
    expect(half.reports).toBe(4);
    for (const name of ["weight", "counted", "countedSquared", "reported", "product"] as const)
      expect(half.sums[name]).toBeCloseTo(many.sums[name] / 2, 12);
    expect([half.slope, half.offset]).toEqual([many.slope, many.offset]);
    for (const few of [unreported(1.3), after([{ counted: 10_000, reported: 20_000 }]), half])
      expect(handedOn(few)).toEqual(few);
  });

  it("is immutable", () => {
    const first = afterReported(unreported(), { counted: 10_000, reported: 20_000 });
    for (const estimate of [unreported(), first, handedOn(first)]) expect(Object.isFrozen(estimate)).toBe(true);
  });

  it("is plain JSON", () => {
    const estimate = after(growing(1.3, 500, [1_000, 2_000]));
    expect(JSON.parse(JSON.stringify(estimate))).toEqual(estimate);
  });
});

describe("scaledTokenizer", () => {
  const base = countingTokenizer();
  const message = { role: "user", parts: [text("x".repeat(100)), call("c1", "read", { path: "a.ts" })] } as const;
  const tools = [{ name: "read", inputSchema: { type: "object" } }];

  it("counts each piece as the base tokenizer times the factor", () => {
    const twice = scaledTokenizer(base, 2);
    expect(twice.id).toBe(`${base.id}×2`);
    expect(twice.countTokens("12345")).toBe(4);
    expect(twice.countPart(message.parts[0])).toBe(50);
    expect(twice.messageOverhead("user")).toBe(2 * base.messageOverhead("user"));
    expect(twice.countMessage(message)).toBe(2 * base.countMessage(message));
    expect(twice.countToolSchemas(tools)).toBe(2 * base.countToolSchemas(tools));
    const request = { system: ["You are an agent."], messages: [message, message], tools };
    expect(twice.countRequest(request as never)).toBe(2 * base.countRequest(request as never));
    expect(scaledTokenizer(base, 1.5).countTokens("12345")).toBe(3);
  });

  it("is the base tokenizer for a factor of 1, and created once per factor", () => {
    expect(scaledTokenizer(base, 1)).toBe(base);
    const twice = scaledTokenizer(base, 2);
    expect(scaledTokenizer(base, 2)).toBe(twice);
    expect(scaledTokenizer(base, 3).id).toBe(`${base.id}×3`);
  });

  it("counts in steps if the base tokenizer does", () => {
    expect(scaledTokenizer(base, 2)).not.toHaveProperty("countPartInSteps");
    const stepping = {
      ...base,
      *countPartInSteps(part: Part) {
        yield;
        return base.countPart(part);
      },
    };
    const counting = scaledTokenizer(stepping, 2).countPartInSteps?.(message.parts[0]);
    expect([counting?.next(), counting?.next()]).toEqual([{ done: false }, { done: true, value: 50 }]);
  });
});

describe("a stored calibration", () => {
  it("is read at the bounds of its figures and refused beyond them", () => {
    const { sums } = unreported();
    for (const fields of [
      { slope: 0.5, offset: 64_000, expectedSlope: 4 },
      { slope: 4, expectedSlope: 0.5 },
    ])
      expect(parseCalibration({ m: { ...unreported(), ...fields } })["m"]).toMatchObject(fields);
    for (const [fields, name] of [
      [{ slope: 0.49 }, "slope"],
      [{ slope: 4.01 }, "slope"],
      [{ expectedSlope: 0.49 }, "expectedSlope"],
      [{ expectedSlope: 4.01 }, "expectedSlope"],
      [{ offset: -1 }, "offset"],
      [{ offset: 64_001 }, "offset"],
      [{ reports: -1 }, "reports"],
      [{ reports: 1.5 }, "reports"],
      [{ sums: { ...sums, weight: -1 } }, "sums.weight"],
      [{ sums: { ...sums, product: null } }, "sums.product"],
    ] as const)
      expect(() => parseCalibration({ m: { ...unreported(), ...fields } })).toThrow(
        expect.objectContaining({ code: "INVALID_CONFIG", details: { name: `calibration.m.${name}` } }),
      );
    for (const strange of [
      { ...unreported(), more: 1 },
      { ...unreported(), sums: { ...sums, more: 1 } },
    ])
      expect(() => parseCalibration({ m: strange })).toThrow(expect.objectContaining({ code: "INVALID_CONFIG" }));
  });

  it("is read back unchanged, and refused with the name of a wrong field", () => {
    const learned = { "claude-sonnet-5": after([{ counted: 1_000, reported: 1_300 }]) };
    expect(parseCalibration(JSON.parse(JSON.stringify(learned)))).toEqual(learned);
    expect(parseCalibration({})).toEqual({});
    for (const [value, name] of [
      [7, "calibration"],
      [{ m: 7 }, "calibration.m"],
      [{ m: { ...unreported(), slope: "1" } }, "calibration.m.slope"],
    ] as const)
      expect(() => parseCalibration(value)).toThrow(
        expect.objectContaining({
          code: "INVALID_CONFIG",
          details: { name },
          message: expect.stringMatching(new RegExp(`^${name}: `)),
        }),
      );
  });
});
