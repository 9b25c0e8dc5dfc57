import { ThreadfoldError } from "../errors/threadfold-error.ts";
import { freezeDeep } from "../json/json-value.ts";
import * as z from "../json/schema.ts";

/**
 * What is known of how a provider counts: it reports about `slope` times what our counter says, and `offset` more, which is
 * what we do not see, such as its own system text. Plain JSON, and never changed: a report makes a new one.
 */
export interface TokenEstimate {
  /** Tokens of the provider for one of our counter. */
  readonly slope: number;
  /** Tokens that every request takes beyond what our counter sees. */
  readonly offset: number;
  /** How many reports were heeded. While it is 0, figures are the counter's own. */
  readonly reports: number;
  /** What the slope is taken to be as long as nothing speaks against it. */
  readonly expectedSlope: number;
  /** Sums over the reports, the older ones with less weight. */
  readonly sums: ReportSums;
}

/** Sums of a least-squares fit of shares: each report weighs by one over the square of its figure. */
interface ReportSums {
  readonly weight: number;
  readonly counted: number;
  readonly countedSquared: number;
  readonly reported: number;
  readonly product: number;
}

/** One report of a provider, with what our counter said of the very same request. */
export interface TokenReport {
  /** Tokens by our counter. */
  readonly counted: number;
  /** Prompt tokens by the provider, cached ones included. */
  readonly reported: number;
}

/** What was learned of models' counters, by the model's name: plain JSON, to be kept for a whole installation. */
export type Calibration = Readonly<Record<string, TokenEstimate>>;

/** A slope never leaves this range, whatever is reported. Four characters a token is more than twice too little for base64. */
export const SLOPE_RANGE = { least: 0.5, most: 4 } as const;
/** Nor does what is not seen: the longest system texts and tools that agents send by themselves are below it. */
export const MAX_OFFSET = 64_000;
/** No window is larger: what exceeds it is no count of tokens. */
const MOST_TOKENS = 1e9;
/** A report weighs this much less with each one that comes after it. */
const MEMORY = 0.92;
/** After so many reports one that is further off than this share of what was expected counts as if it were that far off. */
const TRUSTED_REPORTS = 3;
const MOST_SURPRISE = 0.3;
/** What is believed without a report, as variances of shares: the slope within a fifth or so, the offset around 30 000. */
const BELIEF = 0.005;
const BELIEVED_OFFSET = 30_000;
/** What was learned in another session weighs as much as this many reports of one's own. */
const HANDED_ON_WEIGHT = 4;

const NO_SUMS: ReportSums = Object.freeze({ weight: 0, counted: 0, countedSquared: 0, reported: 0, product: 0 });

/** The estimate before any report. @param expectedSlope what the slope is for this counter and provider as far as is known. */
export const unreported = (expectedSlope = 1): TokenEstimate =>
  Object.freeze({ slope: 1, offset: 0, reports: 0, expectedSlope, sums: NO_SUMS });

/**
 * The estimate after a report. Zero, broken and impossible figures teach nothing and return the same value; a single one that
 * does not fit those before it moves little.
 */
export function afterReported(estimate: TokenEstimate, { counted, reported }: TokenReport): TokenEstimate {
  if (!isPossible(counted, reported)) return estimate;
  const { reports, expectedSlope, sums } = estimate;
  const expected = estimate.slope * counted + estimate.offset;
  const heeded =
    reports < TRUSTED_REPORTS
      ? reported
      : Math.min(Math.max(reported, expected * (1 - MOST_SURPRISE)), expected * (1 + MOST_SURPRISE));
  const next = withReport(sums, counted, heeded);
  return Object.freeze({ ...fit(next, expectedSlope), reports: reports + 1, expectedSlope, sums: next });
}

/** What another session learned of a model, to begin with: what this one is told soon counts for more. */
export function handedOn(estimate: TokenEstimate): TokenEstimate {
  const share = Math.min(1, HANDED_ON_WEIGHT / Math.max(1, estimate.reports));
  const { weight, counted, countedSquared, reported, product } = estimate.sums;
  const sums = {
    weight: weight * share,
    counted: counted * share,
    countedSquared: countedSquared * share,
    reported: reported * share,
    product: product * share,
  };
  return Object.freeze({ ...estimate, reports: Math.min(estimate.reports, HANDED_ON_WEIGHT), sums });
}

/** A share of a request, such as one message, in the provider's tokens. */
export const scaledTokens = ({ slope }: TokenEstimate, counted: number): number => Math.round(slope * counted);

/** A whole request in the provider's tokens. */
export const requestTokens = ({ slope, offset }: TokenEstimate, counted: number): number =>
  Math.round(slope * counted + offset);

const figure = z.number().nonnegative();

/** A stored estimate. */
const tokenEstimateSchema = z.strictObject({
  slope: z.number().gte(SLOPE_RANGE.least).lte(SLOPE_RANGE.most),
  offset: figure.lte(MAX_OFFSET),
  reports: z.int().nonnegative(),
  expectedSlope: z.number().gte(SLOPE_RANGE.least).lte(SLOPE_RANGE.most),
  sums: z.strictObject({
    weight: figure,
    counted: figure,
    countedSquared: figure,
    reported: figure,
    product: figure,
  }),
});

/**
 * Reads a stored calibration.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` when it is not one; the message names the model.
 */
export function parseCalibration(value: unknown): Calibration {
  const parsed = z.record(z.string(), tokenEstimateSchema).safeParse(value);
  if (parsed.success) return freezeDeep(parsed.data);
  const issue = parsed.error.issues[0];
  const name = ["calibration", ...(issue?.path ?? [])].join(".");
  throw new ThreadfoldError("INVALID_CONFIG", `${name}: ${issue?.message}.`, { details: { name } });
}

const isPossible = (counted: number, reported: number): boolean =>
  counted >= 1 &&
  counted <= MOST_TOKENS &&
  reported >= 1 &&
  reported >= SLOPE_RANGE.least * counted &&
  reported <= SLOPE_RANGE.most * counted + MAX_OFFSET;

function withReport(sums: ReportSums, counted: number, reported: number): ReportSums {
  const weight = 1 / reported ** 2;
  return {
    weight: MEMORY * sums.weight + weight,
    counted: MEMORY * sums.counted + weight * counted,
    countedSquared: MEMORY * sums.countedSquared + weight * counted ** 2,
    reported: MEMORY * sums.reported + weight * reported,
    product: MEMORY * sums.product + weight * counted * reported,
  };
}

/** The line that fits the reports best, close to what is believed where they leave it open. */
function fit(sums: ReportSums, expectedSlope: number): Pick<TokenEstimate, "slope" | "offset"> {
  const slopeBelief = BELIEF / expectedSlope ** 2;
  const countedSquared = sums.countedSquared + slopeBelief;
  const product = sums.product + slopeBelief * expectedSlope;
  const weight = sums.weight + BELIEF / BELIEVED_OFFSET ** 2;
  const determinant = countedSquared * weight - sums.counted ** 2;
  const offset = (countedSquared * sums.reported - sums.counted * product) / determinant;
  const bounded = Math.min(Math.max(0, offset), MAX_OFFSET);
  const slope = (product - bounded * sums.counted) / countedSquared;
  return { slope: Math.min(Math.max(slope, SLOPE_RANGE.least), SLOPE_RANGE.most), offset: bounded };
}
