/** What can go wrong with one call. */
export type Fault = "rate-limit" | "server-error" | "overflow" | "max-output";

/** Says whether, and how, the first try of model call `index` fails. */
export type FaultPlan = (index: number) => Fault | undefined;

/** Faults at fixed places that meet neither each other's steps nor the turns' in lockstep: primes apart. */
export const USUAL_FAULTS: FaultPlan = (index) => {
  if (index % 97 === 13) return "rate-limit";
  if (index % 131 === 17) return "server-error";
  if (index % 173 === 40) return "overflow";
  if (index % 151 === 61) return "max-output";
  return undefined;
};

export const NO_FAULTS: FaultPlan = () => undefined;
