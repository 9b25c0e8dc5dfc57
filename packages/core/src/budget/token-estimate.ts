import { ThreadfoldError } from "../errors/threadfold-error.ts";
import { freezeDeep } from "../json/json-value.ts";
import * as z from "../json/schema.ts";

/**
 * How a provider's count relates to our counter's: about `slope` times as many tokens, plus `offset` for what we do not
 * see, such as the provider's own system text. Plain JSON and immutable: each report makes a new estimate.
 */
export interface TokenEstimate {
  /** Provider tokens per token of our counter. */
  readonly slope: number;
  /** Tokens that every request takes beyond what our counter sees. */
  readonly offset: number;
  /** The number of reports taken into account. While it is 0, figures are the counter's own. */
  readonly reports: number;
  /** The slope assumed until reports show otherwise. */
  readonly expectedSlope: number;
  /** Sums over the reports, the older ones with less weight. */
  readonly sums: ReportSums;
}

/** Sums of a least-squares fit of relative errors: the weight of a report is one over the square of its figure. */
interface ReportSums {
  readonly weight: number;
  readonly counted: number;
  readonly countedSquared: number;
  readonly reported: number;
  readonly product: number;
}

/** A provider's count of one request, next to our counter's count of the same request. */
export interface TokenReport {
  /** Tokens by our counter. */
  readonly counted: number;
  /** Prompt tokens by the provider, cached ones included. */
  readonly reported: number;
}

/** What was learned about how models count, by model name: plain JSON, to be kept for a whole installation. */
export type Calibration = Readonly<Record<string, TokenEstimate>>;

/** The range of a slope, whatever is reported. Four characters per token undercounts base64 by more than half. */
export const SLOPE_RANGE = { least: 0.5, most: 4 } as const;
/** The largest offset, in tokens: the longest system texts and tools that agents add on their own are below it. */
export const MAX_OFFSET = 64_000;
/** No window is larger: anything above it is not a count of tokens. */
const MOST_TOKENS = 1e9;
/** The weight of a report is multiplied by this factor with each later report. */
const MEMORY = 0.92;
/** After this many reports, later ones are clamped to within `MOST_SURPRISE`, a share, of the expected figure. */
const TRUSTED_REPORTS = 3;
const MOST_SURPRISE = 0.3;
/** Weight of the prior, on the scale of relative errors: slope within a fifth or so, offset within about 30,000. */
const BELIEF = 0.005;
const BELIEVED_OFFSET = 30_000;
/** An estimate from another session counts as this many reports of the session's own. */
const HANDED_ON_WEIGHT = 4;

const NO_SUMS: ReportSums = Object.freeze({ weight: 0, counted: 0, countedSquared: 0, reported: 0, product: 0 });

/** Returns the estimate before any report. @param expectedSlope the best known slope for this counter and provider. */
export const unreported = (expectedSlope = 1): TokenEstimate =>
  Object.freeze({ slope: 1, offset: 0, reports: 0, expectedSlope, sums: NO_SUMS });

/**
 * Returns the estimate after a report. Zero, broken and impossible figures are ignored and return the same value; a
 * single outlier changes little.
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

/** Returns another session's estimate as a starting point that this session's own reports soon outweigh. */
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

/** Returns the provider tokens of a part of a request, such as one message. */
export const scaledTokens = ({ slope }: TokenEstimate, counted: number): number => Math.round(slope * counted);

/** Returns the provider tokens of a whole request. */
export const requestTokens = ({ slope, offset }: TokenEstimate, counted: number): number =>
  Math.round(slope * counted + offset);

const figure = z.number().nonnegative();

/** Accepts a stored estimate. */
const tokenEstimateSchema = z.lazy(() =>
  z.strictObject({
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
  }),
);

/**
 * Reads a stored calibration.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` when the value is not a calibration; the message names the model.
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

/** Returns the line that fits the reports best, staying close to the prior if they do not determine it. */
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
