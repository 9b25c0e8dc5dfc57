import fc from "fast-check";
import type { Law } from "./law.ts";
import { runs } from "./runs.ts";

/** The inputs that laws are tried on, and how many. Each family has default inputs. */
export interface Trials<Input> {
  /** The source of inputs: generated, recorded (`fc.constantFrom`) or a single one (`fc.constant`). */
  readonly inputs?: fc.Arbitrary<Input>;
  /** The number of inputs that each law is tried on; more in a full test run (see `runs`). */
  readonly times?: number;
}

/**
 * Returns the same laws, applied to generated inputs. A broken law reports what is wrong, a small input that breaks it,
 * and the seed and path that reproduce that input.
 *
 * @param times the number of inputs that a law is tried on, divided by its cost.
 */
export function forAll<Input>(inputs: fc.Arbitrary<Input>, laws: readonly Law<Input>[], times: number): readonly Law[] {
  return laws.map((law) => ({ name: law.name, broken: () => counterexample(inputs, law, times) }));
}

/** The number of smaller inputs tried once one breaks a law: enough for a readable one, few enough if each is slow. */
const SMALLER_INPUTS = 200;

async function counterexample<Input>(
  inputs: fc.Arbitrary<Input>,
  { broken, cost = 1 }: Law<Input>,
  times: number,
): Promise<string | null> {
  let left = Number.POSITIVE_INFINITY;
  const property = fc.asyncProperty(inputs, async (input) => {
    if (left-- <= 0) return;
    try {
      const problem = await broken(input);
      if (problem !== null) throw new Error(problem);
    } catch (error) {
      left = Math.min(left, SMALLER_INPUTS);
      throw error;
    }
  });
  const tried = runs(Math.max(1, Math.round(times / cost)));
  const details = await fc.check(property, { ...tried, includeErrorInReport: true });
  const report = await fc.asyncDefaultReportMessage(details);
  return report === undefined ? null : `${saidBy(details.errorInstance)}\n${report}`;
}

/** What a law says about the smallest input, or what was thrown. The report alone says it last, after the input. */
function saidBy(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.name === "Error" || error.name === "AssertionError" ? error.message : `${error.name}: ${error.message}`;
}
