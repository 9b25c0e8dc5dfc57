import type { LegalityViolation } from "@threadfold/core";
import { expect, it } from "vitest";
import type { ProviderFormat } from "../formats/provider-format.ts";

/** A payload that breaks one rule and no other, the first place where it does, and the same payload corrected. */
export interface RuleCase {
  /** Id of the rule in the format's table. */
  readonly rule: string;
  readonly name: string;
  readonly bad: unknown;
  /** A path into the payload. */
  readonly at: string;
  readonly good: unknown;
}

/** A payload that inevitably breaks other rules along with this one. */
export interface JointRuleCase extends Omit<RuleCase, "good"> {
  /** The same payload corrected, if that is possible. */
  readonly good?: unknown;
}

/** The payloads that a format's legality rules are tested with. */
export interface LegalityCases {
  readonly cases: readonly RuleCase[];
  readonly joint?: readonly JointRuleCase[];
  /** Payloads that have the right fields with the wrong contents. */
  readonly strange: readonly unknown[];
}

const NO_PAYLOADS: readonly unknown[] = [null, 1, "x", [], {}];

/** Declares the tests that every format's rule table must pass, inside the `describe` of the format. */
export function legalityTests(format: ProviderFormat, { cases, joint = [], strange }: LegalityCases): void {
  it.each(named(cases))("%s", (_name, { rule, bad, at, good }) => {
    const violations = format.check(bad);
    expect([...new Set(violations.map((violation) => violation.rule))]).toEqual([rule]);
    expect(violations[0]?.at).toBe(at);
    expectTold(violations);
    expect(format.check(good)).toEqual([]);
  });

  it.each(named(joint))("%s", (_name, { rule, bad, at, good }) => {
    const violations = format.check(bad);
    expect(violations.find((violation) => violation.rule === rule)?.at).toBe(at);
    expectTold(violations);
    if (good !== undefined) expect(format.check(good)).toEqual([]);
  });

  it("has a negative case for every rule of its table", () => {
    const tested = new Set([...cases, ...joint].map(({ rule }) => rule));
    expect(format.rules.rules.map(({ id }) => id).filter((id) => !tested.has(id))).toEqual([]);
  });

  it.each([...NO_PAYLOADS, ...strange].map((payload) => [payload]))("answers for any JSON: %j", (payload) => {
    expect(format.check(payload).length).toBeGreaterThan(0);
  });
}

/** Expects each violation to say in words what is wrong, and where. */
function expectTold(violations: readonly LegalityViolation[]): void {
  for (const { problem, at } of violations) {
    expect(problem).toMatch(/^\S+ \S/);
    expect(at).toMatch(/^\$/);
  }
}

const named = <Case extends JointRuleCase>(cases: readonly Case[]): readonly (readonly [string, Case])[] =>
  cases.map((one) => [`${one.rule} ${one.name}`, one]);
