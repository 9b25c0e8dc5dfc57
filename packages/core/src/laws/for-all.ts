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
 * Returns the same laws, applied to generated inputs: all to the same ones, because an input often costs more to make
 * than to check; so a law must leave its input as it is. The first law that is asked for has all of them tried. A broken
 * law reports what is wrong, a small input that breaks it, and the seed and path that reproduce that input.
 *
 * @param times the number of inputs that a law is tried on, divided by its cost.
 */
export function forAll<Input>(inputs: fc.Arbitrary<Input>, laws: readonly Law<Input>[], times: number): readonly Law[] {
  const trials = laws.map((law) => ({ law, tried: runs(Math.max(1, Math.round(times / (law.cost ?? 1)))) }));
  let tried: Promise<Tried<Input>> | undefined;
  const first = (): Promise<Tried<Input>> => (tried ??= triedTogether(inputs, trials));
  return trials.map((trial) => ({
    name: trial.law.name,
    broken: async () => (laws.length === 1 ? counterexample(inputs, trial) : brokenIn(await first(), inputs, trial)),
  }));
}

/** A law, and the number of inputs that it is tried on. */
interface Trial<Input> {
  readonly law: Law<Input>;
  readonly tried: { readonly numRuns: number };
}

/** What came of trying laws on the same inputs. */
interface Tried<Input> {
  readonly seed: number;
  /** How each broken law was broken first. */
  readonly failures: ReadonlyMap<Law<Input>, unknown>;
}

/** Tries each law until it is broken, so that a broken one hides none of the others. */
async function triedTogether<Input>(
  inputs: fc.Arbitrary<Input>,
  trials: readonly Trial<Input>[],
): Promise<Tried<Input>> {
  const failures = new Map<Law<Input>, unknown>();
  let number = 0;
  const property = fc.asyncProperty(inputs, async (input) => {
    for (const { law, tried } of trials)
      if (number < tried.numRuns && !failures.has(law))
        await mustHold(law, input).catch((error: unknown) => failures.set(law, error));
    number++;
  });
  const details = await fc.check(property, { numRuns: Math.max(...trials.map(({ tried }) => tried.numRuns)) });
  // Laws break nothing here: it ended before all inputs were tried, and no law is kept that was not tried.
  const report = await fc.asyncDefaultReportMessage(details);
  if (report !== undefined) throw new Error(report);
  return { seed: details.seed, failures };
}

async function mustHold<Input>({ broken }: Law<Input>, input: Input): Promise<void> {
  const problem = await broken(input);
  if (problem !== null) throw new Error(problem);
}

/** Tries a law that was broken again, alone and on the same inputs, for the smallest that breaks it. */
async function brokenIn<Input>(
  { seed, failures }: Tried<Input>,
  inputs: fc.Arbitrary<Input>,
  trial: Trial<Input>,
): Promise<string | null> {
  if (!failures.has(trial.law)) return null;
  const found = await counterexample(inputs, trial, seed);
  const failure = failures.get(trial.law);
  // An input that a law passes over breaks nothing; a law that holds only the second time does not hold.
  if (found !== null || fc.PreconditionFailure.isFailure(failure)) return found;
  return `${saidBy(failure)}\nIt was broken once, and not again on the same inputs { seed: ${seed} }.`;
}

/** The number of smaller inputs tried once one breaks a law: enough for a readable one, few enough if each is slow. */
const SMALLER_INPUTS = 200;

async function counterexample<Input>(
  inputs: fc.Arbitrary<Input>,
  { law, tried }: Trial<Input>,
  seed?: number,
): Promise<string | null> {
  let left = Number.POSITIVE_INFINITY;
  const property = fc.asyncProperty(inputs, async (input) => {
    if (left-- <= 0) return;
    try {
      await mustHold(law, input);
    } catch (error) {
      left = Math.min(left, SMALLER_INPUTS);
      throw error;
    }
  });
  const details = await fc.check(property, {
    ...{ ...tried, includeErrorInReport: true },
    ...(seed !== undefined && { seed }),
  });
  const report = await fc.asyncDefaultReportMessage(details);
  return report === undefined ? null : `${saidBy(details.errorInstance)}\n${report}`;
}

/** What a law says about the smallest input, or what was thrown. The report alone says it last, after the input. */
function saidBy(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.name === "Error" || error.name === "AssertionError" ? error.message : `${error.name}: ${error.message}`;
}
