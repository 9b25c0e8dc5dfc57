import { type Part, type ProviderAwareTokenizer, type Steps, ThreadfoldError } from "@threadfold/core";

/** A factor never leaves this range, whatever is reported (S36). */
export const MIN_FACTOR = 0.5;
export const MAX_FACTOR = 2;
/** One observation moves a factor by at most this share of it (S36). */
export const MAX_STEP = 0.1;
/** Reported over counted tokens outside this range is a broken report, or a prompt that is mostly not in the thread. */
const OUTLIER_BELOW = 0.25;
const OUTLIER_ABOVE = 4;
/** Factors move on this grid, so that noise below it leaves a counter and its figures as they are. */
const GRID = 100;

/** What one model's reports have taught so far. */
export interface LearnedFactor {
  /** Reported tokens per counted token, in hundredths. */
  readonly factor: number;
  /** How many reports were heeded. */
  readonly observations: number;
}

/** Learned factors by model name: plain JSON, to be kept with the thread or for a whole installation. */
export type Calibration = Readonly<Record<string, LearnedFactor>>;

/** One report of a provider together with what the uncalibrated counter said of the very same request. */
export interface UsageObservation {
  readonly model: string;
  /** Tokens of the request by the base counter, without any factor. */
  readonly countedTokens: number;
  /** Prompt tokens that the provider reported for it, cached ones included. */
  readonly reportedTokens: number;
}

/** Nothing learned yet. */
export const NO_CALIBRATION: Calibration = Object.freeze({});

const UNLEARNED: LearnedFactor = Object.freeze({ factor: 1, observations: 0 });

/** What has been learned of a model; a factor of 1 when nothing was. */
export function learnedFactor(calibration: Calibration, model: string): LearnedFactor {
  return Object.hasOwn(calibration, model) ? (calibration[model] as LearnedFactor) : UNLEARNED;
}

/**
 * Learns from one report: the model's factor moves towards reported over counted tokens, by a bounded step and within
 * bounds. Zero, negative, unfinished and outlying figures teach nothing and return the same value (S36).
 */
export function observeUsage(calibration: Calibration, observation: UsageObservation): Calibration {
  const { model, countedTokens, reportedTokens } = observation;
  const target = reportedTokens / countedTokens;
  if (!(countedTokens > 0) || !(target >= OUTLIER_BELOW && target <= OUTLIER_ABOVE)) return calibration;
  const { factor, observations } = learnedFactor(calibration, model);
  const learned = Object.freeze({ factor: stepTowards(factor, target), observations: observations + 1 });
  return Object.freeze({ ...calibration, [model]: learned });
}

function stepTowards(factor: number, target: number): number {
  const wanted = Math.min(MAX_FACTOR, Math.max(MIN_FACTOR, target));
  const step = Math.min(factor * MAX_STEP, Math.max(-factor * MAX_STEP, wanted - factor));
  // Cut towards the old factor, so that the grid never makes a step longer than allowed.
  return (Math.round(factor * GRID) + Math.trunc(Number((step * GRID).toFixed(6)))) / GRID;
}

/**
 * Reads a stored calibration.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` when it is not one; the message names the model.
 */
export function parseCalibration(value: unknown): Calibration {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw refuse("a calibration is an object by model name");
  const entries = Object.entries(value).map(([model, learned]): [string, LearnedFactor] => {
    const { factor, observations } = (learned ?? {}) as Partial<LearnedFactor>;
    if (typeof factor !== "number" || !(factor >= MIN_FACTOR && factor <= MAX_FACTOR)) {
      throw refuse(`the factor of ${JSON.stringify(model)} is not between ${MIN_FACTOR} and ${MAX_FACTOR}`);
    }
    if (!Number.isSafeInteger(observations) || (observations as number) < 0) {
      throw refuse(`the observations of ${JSON.stringify(model)} are not a count`);
    }
    return [model, Object.freeze({ factor, observations: observations as number })];
  });
  return Object.freeze(Object.fromEntries(entries));
}

const refuse = (problem: string): ThreadfoldError =>
  new ThreadfoldError("INVALID_CONFIG", `The calibration is invalid: ${problem}.`);

/**
 * A counter whose figures are the base counter's times what was learned of a model. It is a value like its base: later
 * reports make a new calibration and so a new counter. The factor stands in the id, for instance `heuristic×1.12`, so
 * equal ids mean equal figures.
 */
export function calibratedTokenizer(
  base: ProviderAwareTokenizer,
  calibration: Calibration,
  model: string,
): ProviderAwareTokenizer {
  const { factor } = learnedFactor(calibration, model);
  const scale = (tokens: number): number => Math.round(tokens * factor);
  const countPartInSteps = base.countPartInSteps?.bind(base);
  const counter: ProviderAwareTokenizer = {
    id: `${base.id}×${factor.toFixed(2)}`,
    countTokens: (text) => scale(base.countTokens(text)),
    countPart: (part) => scale(base.countPart(part)),
    messageOverhead: (role) => scale(base.messageOverhead(role)),
    countMessage: ({ role, parts }) =>
      parts.reduce((sum, part) => sum + counter.countPart(part), counter.messageOverhead(role)),
    countToolSchemas: (tools) => scale(base.countToolSchemas(tools)),
    countRequest: ({ system, messages, tools }) =>
      messages.reduce(
        (sum, message) => sum + counter.countMessage(message),
        scale(base.countRequest({ system, messages: [], tools: [] })) + counter.countToolSchemas(tools),
      ),
    ...(countPartInSteps !== undefined && {
      *countPartInSteps(part: Part): Steps<number> {
        return scale(yield* countPartInSteps(part));
      },
    }),
  };
  return Object.freeze(counter);
}
