import type { Place } from "./legality-rule.ts";

/** A call or a result in a payload. */
export interface WireReference {
  readonly id: string;
  readonly place: Place;
  /** The tool's name, if the format has it on calls and on results. */
  readonly name?: string | undefined;
}

/**
 * A payload as pairing sees it, for any provider: the calls of one assistant turn, consecutive results, or anything
 * else that is said. Results answer the calls of the step directly before them.
 */
export type WireStep =
  | { readonly kind: "calls"; readonly references: readonly WireReference[] }
  | { readonly kind: "results"; readonly references: readonly WireReference[] }
  | { readonly kind: "speech" };

/** The scenarios about pairing. */
export type PairingScenario = "W1" | "W2" | "W3" | "W4" | "W5" | "W6" | "W7" | "W8";

/** One mistake in how calls and results are paired. */
export interface PairingFinding {
  readonly scenario: PairingScenario;
  readonly reference: WireReference;
}

/**
 * Reports every call without its result in place and every result without its call in place, each with its scenario.
 */
export function findPairingProblems(steps: readonly WireStep[]): readonly PairingFinding[] {
  return new PairingCheck(steps).findings();
}

interface Misplaced {
  readonly reference: WireReference;
  /** The step that contains the result. */
  readonly step: number;
  /** The step with the open call that it answers. */
  readonly caller: number;
}

class PairingCheck {
  readonly #steps: readonly WireStep[];
  readonly #open = new Map<string, { readonly step: number; readonly reference: WireReference }[]>();
  readonly #answered = new Set<string>();
  readonly #unplaced: { readonly reference: WireReference; readonly step: number }[] = [];
  readonly #findings: PairingFinding[] = [];

  constructor(steps: readonly WireStep[]) {
    this.#steps = steps;
  }

  findings(): readonly PairingFinding[] {
    this.#steps.forEach((step, index) => this.#pairInPlace(step, index));
    if (this.#open.size === 0 && this.#unplaced.length === 0) return this.#findings;
    this.#reportMisplaced(this.#unplaced.flatMap((result) => this.#claimOpenCall(result)));
    this.#reportUnanswered();
    return this.#findings;
  }

  #pairInPlace(step: WireStep, index: number): void {
    if (step.kind === "speech" || isRegular(step, this.#steps, index)) return this.#noteAnswered(step);
    const calls = step.kind === "calls" ? step.references : [];
    const next = this.#steps[index + 1];
    const here = new Set(next?.kind === "results" ? next.references.map(({ id }) => id) : []);
    for (const reference of calls) {
      if (here.has(reference.id)) this.#answered.add(reference.id);
      else this.#openCall(reference, index);
    }
    if (step.kind === "results") this.#placeResults(step.references, index);
  }

  #noteAnswered(step: WireStep): void {
    if (step.kind === "calls") for (const { id } of step.references) this.#answered.add(id);
  }

  #openCall(reference: WireReference, step: number): void {
    const open = this.#open.get(reference.id);
    if (open === undefined) this.#open.set(reference.id, [{ step, reference }]);
    else open.push({ step, reference });
  }

  #placeResults(results: readonly WireReference[], index: number): void {
    const before = this.#steps[index - 1];
    const called = new Set(before?.kind === "calls" ? before.references.map(({ id }) => id) : []);
    for (const reference of results) if (!called.delete(reference.id)) this.#unplaced.push({ reference, step: index });
  }

  #claimOpenCall({
    reference,
    step,
  }: {
    readonly reference: WireReference;
    readonly step: number;
  }): readonly Misplaced[] {
    const open = this.#open.get(reference.id);
    const caller = open?.pop();
    if (caller !== undefined) {
      if (open?.length === 0) this.#open.delete(reference.id);
      return [{ reference, step, caller: caller.step }];
    }
    this.#findings.push({ scenario: this.#answered.has(reference.id) ? "W5" : "W2", reference });
    this.#answered.add(reference.id);
    return [];
  }

  #reportUnanswered(): void {
    for (const { step, reference } of [...this.#open.values()].flat()) {
      const next = this.#steps[step + 1];
      const calls = this.#steps[step];
      const ids = new Set(next?.kind === "results" ? next.references.map(({ id }) => id) : []);
      const partly = calls?.kind === "calls" && calls.references.some(({ id }) => ids.has(id));
      this.#findings.push({ scenario: partly ? "W7" : "W1", reference });
    }
  }

  #reportMisplaced(misplaced: readonly Misplaced[]): void {
    const callsBefore = runningCalls(this.#steps);
    const answers = new Set(misplaced.map(({ caller, step }) => `${caller} ${step - 1}`));
    for (const { reference, caller, step } of misplaced) {
      // The call before this result is answered by a result that follows this one's call.
      const isSwapped = answers.has(`${step - 1} ${caller}`);
      const callsBetween = (callsBefore[step] as number) - (callsBefore[caller + 1] as number);
      const apart = caller > step ? "W8" : callsBetween > 0 ? "W4" : "W3";
      this.#findings.push({ scenario: isSwapped ? "W6" : apart, reference });
    }
  }
}

/** Returns, for each index, how many assistant turns come before it. */
function runningCalls(steps: readonly WireStep[]): readonly number[] {
  let count = 0;
  return [...steps.map(({ kind }) => (kind === "calls" ? count++ : count)), count];
}

/** Checks whether a step of calls and the adjacent step of results answer each other one to one and in order. */
function isRegular(step: Exclude<WireStep, { kind: "speech" }>, steps: readonly WireStep[], index: number): boolean {
  const partner = step.kind === "calls" ? steps[index + 1] : steps[index - 1];
  if (partner === undefined || partner.kind === "speech" || partner.kind === step.kind)
    return step.references.length === 0;
  const { references } = partner;
  return (
    references.length === step.references.length &&
    references.every(({ id }, place) => id === step.references[place]?.id)
  );
}
