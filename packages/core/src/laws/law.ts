import { patience } from "./runs.ts";

/**
 * One promise that every part of a family keeps: every store, every format, every strategy. A family's function takes a
 * part and gives its laws, which nothing has to be handed to any more; `Input` is there for laws that are still to be
 * tried on something (see `forAll`).
 */
export interface Law<Input = void> {
  /** The sentence, beginning with the ids of scenarios where it proves some. */
  readonly name: string;
  /** Says how the law is broken, or null where it is kept. What it throws breaks the law as well. */
  readonly broken: (input: Input) => Promise<string | null> | string | null;
  /** How many times as much as its neighbours it costs to try: it is tried as much less often. 1 by default. */
  readonly cost?: number;
}

/** A law that is broken, and how. */
export interface BrokenLaw {
  readonly name: string;
  readonly problem: string;
}

/** The two functions of a test framework that laws need: vitest's, jest's or those of node:test. */
export interface TestFramework {
  readonly describe: (name: string, body: () => void) => unknown;
  /** The last argument is how long the test may take, in milliseconds. node:test has no such limit and passes over it. */
  readonly it: (name: string, body: () => Promise<void>, timeoutMs: number) => unknown;
}

/** How long a law may take before it counts as one that never ends; `patience` makes it a quarter of an hour at least. */
const LAW_MS = 60_000;

/**
 * Makes a test of each law, in a suite of that title.
 *
 * ```ts
 * import { describe, it } from "vitest";
 * keepLaws("a store in memory", storeLaws({ name: "memory", open: async () => createMemoryStore() }), { describe, it });
 * ```
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

/** The laws that are broken, in their order, without a test framework: empty for a part that keeps them all. */
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
 * Several laws as one, for inputs that cost more than what is tried on them: it says which law is broken, and costs as
 * much as the dearest of them.
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
