import { COMMON_FILES } from "../render/golden-files.ts";
import type { GoldenDivergence } from "../trace/golden-divergence.ts";
import { parseTrace } from "../trace/prompt-trace.ts";
import { type GoldenComparison, type GoldenDifference, isCi, UPDATE_VARIABLE } from "./compare-golden-prompt.ts";

/** How to tell a person to accept a prompt. */
export interface AcceptHint {
  /**
   * The command that writes golden prompts. By default the update variable in front of a placeholder for the command.
   */
  readonly command?: string;
  readonly environment?: NodeJS.ProcessEnv;
}

/** Characters of a line that are shown, and how many of them come before the first difference. */
const SHOWN = 160;
const LEAD = 40;

/**
 * Describes a comparison for people: where the prompt diverges from the golden one, its cost, and which files differ.
 */
export function describeComparison(comparison: GoldenComparison, hint: AcceptHint = {}): string {
  const { kind, folder, differences } = comparison;
  switch (kind) {
    case "equal":
      return `The prompt is the golden prompt in ${folder}.`;
    case "written":
      return `The golden prompt was written to ${folder}.`;
    case "updated":
      return [`The golden prompt in ${folder} was updated.`, ...annotation(comparison)].join("\n");
    case "missing":
      return [`There is no golden prompt in ${folder}.`, ...howToAccept("write", hint)].join("\n");
    case "different":
      return [
        `The prompt differs from the golden prompt in ${folder}:`,
        ...annotation(comparison),
        ...differences.map(describeDifference),
        ...howToAccept("accept", hint),
      ].join("\n");
  }
}

/** Describes where a prompt diverged and what that costs, as a list of lines. */
export function describeDivergence({ text, keptTokens, lostTokens, price }: GoldenDivergence): readonly string[] {
  const cost = `costs ${lostTokens} of ${keptTokens + lostTokens} cached tokens`;
  if (price === null) return [text, `${cost}.`];
  const { id, read, write } = price;
  return [
    text,
    `${cost}: writing as many again costs as much as ${write} tokens, reading them as much as ${read} (${id}).`,
  ];
}

/** Returns lines on where the prompt diverges from the golden one and what that costs. */
export const annotation = (comparison: GoldenComparison): readonly string[] => [
  ...whereItDiverges(comparison),
  ...changedOptions(comparison),
];

function whereItDiverges({ divergence, differences, kept }: GoldenComparison): readonly string[] {
  if (divergence !== null) return describeDivergence(divergence);
  const changed = (name: string): boolean => differences.some(({ kind, file }) => kind === "changed" && file === name);
  const trace = kept.get(COMMON_FILES.trace);
  if (trace === undefined || !changed(COMMON_FILES.page)) return [];
  if (parseTrace(trace) === null)
    return [`Where the prompt diverges is unknown: ${COMMON_FILES.trace} ${damage(trace)}.`];
  return ["every message of the golden prompt is still there, in its place: nothing cached is lost."];
}

/** A reviewer asks first whether somebody changed the policy, or the same policy now makes another prompt. */
function changedOptions({ differences }: GoldenComparison): readonly string[] {
  const options = differences.find(({ file }) => file === COMMON_FILES.options);
  if (options?.kind !== "changed" || options.before === null || options.after === null) return [];
  const [before, after] = [options.before, options.after].map((line) => line.trim().replace(/,$/, ""));
  return [`made with other options: ${before} became ${after}.`];
}

const damage = (text: string): string =>
  /^<{7} /m.test(text) ? "has an unresolved merge conflict" : "is not what was written there";

function describeDifference(difference: GoldenDifference): string {
  switch (difference.kind) {
    case "missing":
      return `  ${difference.file} is missing`;
    case "obsolete":
      return `  ${difference.file} is obsolete: the prompt no longer has it`;
    case "changed": {
      const { file, line, before, after } = difference;
      const start = Math.max(0, sharedLength(before ?? "", after ?? "") - LEAD);
      const rows = [`    - ${shown(before, start)}`, `    + ${shown(after, start)}`];
      return [`  ${file} changed, first on line ${line}:`, ...rows].join("\n");
    }
  }
}

function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

function shown(line: string | null, start: number): string {
  if (line === null) return "(end of file)";
  const end = start + SHOWN;
  const text = line.slice(start, end).toWellFormed().trim();
  return `${start > 0 ? "…" : ""}${text}${end < line.length ? "…" : ""}`;
}

function howToAccept(verb: "write" | "accept", { command, environment = process.env }: AcceptHint): readonly string[] {
  const run = command ?? `${UPDATE_VARIABLE}=1 <your test command>`;
  const where = isCi(environment)
    ? " on your own machine and commit the files; nothing is written where CI is set"
    : "";
  return [`To ${verb} it, run \`${run}\`${where}.`];
}
