import { ThreadfoldError } from "@threadfold/core";

/**
 * Masks that need no pattern. `times` covers ISO 8601 dates and times and those of HTTP and mail headers; each becomes
 * `<time>`. `ids` covers the ids of thread, messages, calls and pins, UUIDs, ULIDs and the ids that providers generate.
 * `digests` covers hexadecimal digests of 40 or more digits; add it when they change from run to run.
 */
export const BUILT_IN_MASKS = ["times", "ids", "digests"] as const;
export type BuiltInMask = (typeof BUILT_IN_MASKS)[number];

/** A custom mask: matches become `<name-1>`, `<name-2>` and so on, and equal texts get equal numbers. */
export interface PatternMask {
  /** Lower-case words joined by hyphens. */
  readonly name: string;
  readonly pattern: RegExp;
}

export type Mask = BuiltInMask | PatternMask;

/** The masks that apply unless the options set others. */
export const DEFAULT_MASKS: readonly Mask[] = Object.freeze(["times", "ids"] as const);

/** A pattern, and the name of the placeholder that replaces its matches. */
export interface MaskRule {
  readonly name: string;
  readonly pattern: RegExp;
  /** False if equal values are a coincidence: two events may fall into one millisecond today and into two tomorrow. */
  readonly numbered: boolean;
}

const DAY = String.raw`\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])`;
const ZONE = String.raw`(?:Z|[+-]\d{2}:?\d{2})`;
const MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)";
/** The lookarounds skip a date in the name of a model or file, where it is not a time. */
const ISO = new RegExp(String.raw`(?<![\w-])${DAY}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?${ZONE}?)?(?![\w-])`, "g");
const HEADER = new RegExp(
  String.raw`\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{1,2} ${MONTH} \d{4} \d{2}:\d{2}:\d{2} (?:GMT|UTC|[+-]\d{4})`,
  "g",
);
const UUID = /\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/gi;
const ULID = /\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b/g;
/** Ids that providers generate, by prefix; a digit after it tells an id from a word such as `call_everything`. */
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
 * Returns the rules of the masks, in order.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` when a built-in mask does not exist, a custom mask has a malformed name or
 * no pattern, or a pattern matches the empty text.
 */
export function maskRules(masks: readonly Mask[]): readonly MaskRule[] {
  return masks.flatMap((mask) => (typeof mask === "string" ? builtIn(mask) : [ownRule(mask)]));
}

function builtIn(name: string): readonly MaskRule[] {
  if (Object.hasOwn(RULES, name)) return RULES[name as BuiltInMask];
  throw new ThreadfoldError("INVALID_CONFIG", `There is no mask ${JSON.stringify(name)}.`, {
    hint: `Known masks: ${BUILT_IN_MASKS.join(", ")}; or pass your own as { name, pattern }.`,
    details: { mask: name, known: BUILT_IN_MASKS },
  });
}

function ownRule(mask: PatternMask): MaskRule {
  const { name, pattern } = mask ?? {};
  if (typeof name !== "string" || !/^[a-z]+(?:-[a-z]+)*$/.test(name) || !(pattern instanceof RegExp)) {
    throw new ThreadfoldError("INVALID_CONFIG", "A custom mask has a name and a pattern.", {
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
