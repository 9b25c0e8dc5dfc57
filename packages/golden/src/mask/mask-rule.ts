import { ThreadfoldError } from "@threadfold/core";

/**
 * Masks that need no pattern. `times` are ISO 8601 dates and times and those of HTTP and mail headers; each becomes
 * `<time>`. `ids` are the ids of thread, messages, calls and pins, UUIDs, ULIDs and the ids that providers generate.
 * `digests` are hexadecimal digests of 40 and more digits; ask for them where they change from run to run.
 */
export const BUILT_IN_MASKS = ["times", "ids", "digests"] as const;
export type BuiltInMask = (typeof BUILT_IN_MASKS)[number];

/** A custom mask: what matches becomes `<name-1>`, `<name-2>` and so on, equal texts with equal numbers. */
export interface PatternMask {
  /** Lower-case letters, and hyphens between them. */
  readonly name: string;
  readonly pattern: RegExp;
}

export type Mask = BuiltInMask | PatternMask;

/** What is masked unless the options say otherwise. */
export const DEFAULT_MASKS: readonly Mask[] = Object.freeze(["times", "ids"] as const);

/** A pattern, and what stands in its place. */
export interface MaskRule {
  readonly name: string;
  readonly pattern: RegExp;
  /** False where equal values are a coincidence: two things may happen in one millisecond today and in two tomorrow. */
  readonly numbered: boolean;
}

const DAY = String.raw`\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])`;
const ZONE = String.raw`(?:Z|[+-]\d{2}:?\d{2})`;
const MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)";
/** A date may stand in the name of a model or file, where it is not a time. */
const ISO = new RegExp(String.raw`(?<![\w-])${DAY}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?${ZONE}?)?(?![\w-])`, "g");
const HEADER = new RegExp(
  String.raw`\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{1,2} ${MONTH} \d{4} \d{2}:\d{2}:\d{2} (?:GMT|UTC|[+-]\d{4})`,
  "g",
);
const UUID = /\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/gi;
const ULID = /\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b/g;
/** Prefixes of the ids that providers generate; a digit behind them tells an id from a word such as `call_everything`. */
const PROVIDER_ID =
  /\b(?:toolu|srvtoolu|call|msg|fc|rs|resp|req|chatcmpl|run|item|file|cmp)[_-](?=[A-Za-z_]*\d)[A-Za-z\d_]{12,}\b/g;
const DIGEST = /\b[\da-f]{40,128}\b/gi;

const RULES: Readonly<Record<BuiltInMask, readonly MaskRule[]>> = {
  times: [
    { name: "time", pattern: ISO, numbered: false },
    { name: "time", pattern: HEADER, numbered: false },
  ],
  ids: [
    { name: "id", pattern: UUID, numbered: true },
    { name: "id", pattern: ULID, numbered: true },
    { name: "id", pattern: PROVIDER_ID, numbered: true },
  ],
  digests: [{ name: "digest", pattern: DIGEST, numbered: true }],
};

/**
 * The rules of masks, in order.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` for a name that no built-in has, a malformed name, or a pattern that matches
 * the empty text.
 */
export function maskRules(masks: readonly Mask[]): readonly MaskRule[] {
  return masks.flatMap((mask) => (typeof mask === "string" ? builtIn(mask) : [ownRule(mask)]));
}

function builtIn(name: string): readonly MaskRule[] {
  if (Object.hasOwn(RULES, name)) return RULES[name as BuiltInMask];
  throw new ThreadfoldError("INVALID_CONFIG", `There is no mask ${JSON.stringify(name)}.`, {
    hint: `Known masks: ${BUILT_IN_MASKS.join(", ")}; or give one of your own as { name, pattern }.`,
    details: { mask: name, known: BUILT_IN_MASKS },
  });
}

function ownRule(mask: PatternMask): MaskRule {
  const { name, pattern } = mask ?? {};
  if (typeof name !== "string" || !/^[a-z]+(?:-[a-z]+)*$/.test(name) || !(pattern instanceof RegExp)) {
    throw new ThreadfoldError("INVALID_CONFIG", "A mask of one's own has a name and a pattern.", {
      hint: 'For instance { name: "port", pattern: /(?<=localhost:)\\d+/ }; names are lower-case letters and hyphens.',
      details: { mask: String(name) },
    });
  }
  const flags = [...new Set(`${pattern.flags.replace("y", "")}g`)].join("");
  const rule = { name, pattern: new RegExp(pattern.source, flags), numbered: true };
  if ("".replace(rule.pattern, "x") === "") return rule;
  throw new ThreadfoldError("INVALID_CONFIG", `The pattern of mask ${name} matches the empty text.`, {
    hint: "Make it match at least one character.",
    details: { mask: name, pattern: String(pattern) },
  });
}
