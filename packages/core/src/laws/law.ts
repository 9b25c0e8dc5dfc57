import { patience } from "./runs.ts";

/**
 * One property that every member of a family must have: every store, every format, every strategy. A family's function
 * takes a member and returns its laws, which need no further input; `Input` is for laws that have yet to be applied to
 * inputs (see `forAll`).
 */
export interface Law<Input = void> {
  /** The law as a sentence, starting with the ids of the scenarios that it proves, if any. */
  readonly name: string;
  /** Returns how the law is broken, or null when it is kept. Throwing also counts as breaking it. */
  readonly broken: (input: Input) => Promise<string | null> | string | null;
  /** Its relative cost: a law with cost n is tried on n times fewer inputs. 1 by default. */
  readonly cost?: number;
}

/** A broken law, and how it is broken. */
export interface BrokenLaw {
  readonly name: string;
  readonly problem: string;
}

/** The two functions that laws need of a test framework: vitest, jest or node:test. */
export interface TestFramework {
  readonly describe: (name: string, body: () => void) => unknown;
  /** The last argument is the test's timeout in milliseconds. node:test has no such parameter and ignores it. */
  readonly it: (name: string, body: () => Promise<void>, timeoutMs: number) => unknown;
}

/** How long a law may take before it counts as hanging; `patience` makes it at least a quarter of an hour. */
const LAW_MS = 60_000;

/**
 * Defines one test per law, in a suite with a title.
 *
 * ```ts import { describe, it } from "vitest"; keepLaws("a store in memory", storeLaws({ name: "memory", open: async ()
 * => createMemoryStore() }), { describe, it }); ```
 */
export function keepLaws(title: string, laws: readonly Law[], { describe, it }: TestFramework): void {
  if (laws.length === 0) throw new Error(`${title}: there is no law to keep`);
  describe(title, () => {
    for (const { name, broken } of laws) it(name, () => expectKept(broken), patience(LAW_MS));
  });
}

async function expectKept(broken: Law["broken"]): Promise<void> {
  const problem = await broken();
  if (problem !== null) throw new Error(problem);
}

/** Tries laws without a test framework, and returns those that are broken, in order: none if all are kept. */
export async function brokenLaws(laws: readonly Law[]): Promise<readonly BrokenLaw[]> {
  const found: BrokenLaw[] = [];
  for (const { name, broken } of laws) {
    const problem = await problemOf(broken);
    if (problem !== null) found.push({ name, problem });
  }
  return found;
}

async function problemOf(broken: Law["broken"]): Promise<string | null> {
  try {
    return await broken();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * Combines several laws into one, for inputs that cost more to make than to check. It reports which law is broken, and
 * has the cost of the most expensive one.
 */
export function together<Input>(name: string, laws: readonly Law<Input>[]): Law<Input> {
  return {
    name,
    cost: Math.max(1, ...laws.map(({ cost = 1 }) => cost)),
    broken: async (input) => {
      for (const law of laws) {
        const problem = await law.broken(input);
        if (problem !== null) return `${law.name}: ${problem}`;
      }
      return null;
    },
  };
}
