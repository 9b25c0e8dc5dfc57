import fc from "fast-check";
import type { Law } from "./law.ts";
import { runs } from "./runs.ts";

/** What laws are tried on, and how often. Each family has inputs of its own that it takes where none are named. */
export interface Trials<Input> {
  /** Where inputs come from: generated ones, recorded ones (`fc.constantFrom`), a single one (`fc.constant`). */
  readonly inputs?: fc.Arbitrary<Input>;
  /** How many inputs each law is tried on; more in a full test run (see `runs`). */
  readonly times?: number;
}

/**
 * The same laws, tried on generated inputs. One that is broken says so with a small input that breaks it, and with the seed
 * and path that make this input again.
 *
 * @param times how many inputs a law is tried on; a dear one on as many less as it costs more.
 */
export function forAll<Input>(inputs: fc.Arbitrary<Input>, laws: readonly Law<Input>[], times: number): readonly Law[] {
  return laws.map((law) => ({ name: law.name, broken: () => counterexample(inputs, law, times) }));
}

/** How many smaller inputs are tried once one breaks a law: enough to read it by, and few where each takes long. */
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
  return (await fc.asyncDefaultReportMessage(details)) ?? null;
}
