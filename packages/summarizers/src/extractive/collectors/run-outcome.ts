import type { JsonObject } from "@threadfold/core";
import type { CallReading } from "../reading/call-reading.ts";
import {
  errorLine,
  fewCharacters,
  isSilent,
  lastLines,
  lastWords,
  outputLines,
  printedError,
  type ResultReading,
  withoutWarnings,
} from "../reading/result-reading.ts";
import { hidesExitCode, onlyShows, printsNewestFirst, saysBySilence } from "../reading/shell-command.ts";
import type { Place } from "../reading/speech.ts";
import { type TestReport, testReport } from "../reading/test-report.ts";
import type { Candidate, SpanPaths } from "./span-collector.ts";

/** The newest outcome of one command. */
export interface Run {
  readonly command: string;
  readonly toolName: string;
  /** The counts or verdict that it reports, as of a test run. */
  readonly result: string | null;
  /** Lines that may represent the output, best first: its last meaningful lines, or a single line for all of it. */
  readonly last: readonly string[];
  /**
   * For a look that is reported by its last line: the number of lines printed, and the first line if it is the newest.
   */
  readonly printed: { readonly count: number | null; readonly first: string | undefined } | null;
  /** What it means that nothing was printed; null if something was, or if silence means nothing. */
  readonly silence: string | null;
  readonly exitCode: number | null;
  readonly failed: boolean;
  readonly error: string | null;
  /** True for a run of tests in which none failed. */
  readonly passed: boolean;
  /** True if the error names tests that failed. */
  readonly namesTests: boolean;
  readonly place: Place;
  /** The lines of a command that only looked: it changed and checked nothing. Empty for other commands. */
  readonly looks: readonly string[];
  readonly state: ResultReading["state"];
  /** The name by which the output of a command that goes on is read; undefined for others. */
  readonly session: string | undefined;
}

/** Length of the error with an outcome; the whole line is listed with the errors. */
const MAX_OUTCOME_ERROR = 120;
/** Length of an error that names failed tests. */
const MAX_FAILED_TESTS = 300;
const MAX_LOOK = 110;
const MAX_LAST = 100;
/** Length of each of two lines that represent a script or an output. */
const MAX_END = 60;
const APART = " … ";
/** Length of the names of a listing, which follow their number. */
const MAX_LISTED = 80;
const ONLY_WARNINGS = "only warnings";

/**
 * Returns the outcome of a command that builds, tests or commits.
 *
 * @param command the part of the script that does so.
 */
export function notableRun(call: CallReading, script: string, command: string, result: ResultReading): Run {
  const report = testReport(result.text);
  const error = commandError(result, command, report, hidesExitCode(script));
  const shown = withoutWarnings(result.text);
  return {
    ...runOf(call, script, result, error),
    command,
    result: reportedResult(command, result.text, report) ?? warningsOnly(result.text, shown),
    last: lastLines(shown),
    printed: null,
    failed: result.failed || error !== null,
    passed: report !== null && !report.isRed && !result.failed && error === null && !NO_TESTS.test(report.result),
    namesTests: report?.failed != null,
    looks: [],
  };
}

/** Git's line about a new commit: the branch, its hash and the subject. */
const COMMITTED = /^\[[^\]\n]{1,120} [0-9a-f]{7,40}\] /m;

/**
 * Returns what went wrong with a command that builds, tests or commits; null if nothing did. If tests failed, names
 * them, even where no exit code shows it.
 *
 * @param isExitHidden true if the exit code is that of something else in the script.
 */
function commandError(
  { text, exitCode, failed }: ResultReading,
  command: string,
  report: TestReport | null,
  isExitHidden: boolean,
): string | null {
  if (report?.isRed) return testError(report, text);
  if (failed) return printedError(text) ?? lastWords(text) ?? `exit code ${exitCode ?? "unknown"}`;
  // Without an exit code, an error may stem from the lines of the script after the commit.
  const isDone =
    (exitCode === 0 && (!isExitHidden || report !== null)) ||
    (command.startsWith("git commit") && COMMITTED.test(text));
  return isDone ? null : errorLine(text, !GAVE_UP.test(text));
}

/** What make, ninja and npm say of their own, when what they ran failed. */
const GAVE_UP = /^(?:g?make(?:\[\d+\])?: \*{3} |ninja: build stopped|npm (?:ERR!|error) (?:code|Lifecycle)\b)/m;
/** Lines with which Go closes each package. */
const PACKAGE_END = /^(?:FAIL|ok)\b.*$/gm;

const testError = ({ failed, result }: TestReport, text: string): string =>
  failed ?? errorLine(text.replace(PACKAGE_END, ""), false) ?? result;

/** Returns the outcome of a command that only looks: it is kept while there is room, and its failure is no lesson. */
export function lookRun(call: CallReading, script: string, result: ResultReading): Run {
  const { text, failed, isLined } = result;
  const looks = [call.command, call.lastLine].flatMap((line) => line?.replaceAll("`", "'") ?? []);
  const command = looks.join(APART);
  const error = failed ? printedError(text) : null;
  const shown = withoutWarnings(text);
  // In a JSON body a number may be a code or a duration, and lines are values.
  const whole = listedNames(shown, MAX_LISTED) ?? (isLined ? fewCharacters(shown) : null);
  const lines = isLined ? outputLines(shown) : null;
  const newest = printsNewestFirst(command) ? lines?.first : undefined;
  const reported = error === null ? reportedResult(script, text, testReport(text)) : null;
  return {
    ...runOf(call, script, result, error),
    command,
    result: reported ?? (error === null ? warningsOnly(text, shown) : null),
    last: whole === null ? lastLines(shown) : [whole],
    printed: whole === null && lines !== null ? { ...lines, first: newest } : null,
    looks,
  };
}

const warningsOnly = (text: string, shown: string): string | null =>
  shown.trim() === "" && text.trim() !== "" ? ONLY_WARNINGS : null;

function runOf({ toolName }: CallReading, script: string, result: ResultReading, error: string | null) {
  const { text, exitCode, failed, place, state, sessions } = result;
  // A command that was killed or went wrong may have printed nothing for that reason.
  const isTelling = isSilent(text) && state !== "running" && (!failed || exitCode === 1);
  return {
    toolName,
    silence: isTelling ? saysBySilence(script) : null,
    exitCode,
    failed,
    error,
    passed: false,
    namesTests: false,
    place,
    state,
    session: state === "running" ? sessions[0] : undefined,
  };
}

/** What a runner says when there was nothing to run. */
const NO_TESTS = /\bno tests?\b|\bno test files\b|(?<!\d)0 (?:passed|passing|tests?)\b/i;
/** What an outcome is told with. */
export interface OutcomeContext {
  /** The number of messages in the span. */
  readonly length: number;
  /** Ids of the outcomes of earlier folds, by command. */
  readonly ran: ReadonlyMap<unknown, string>;
  /** Last lines that a harness writes below outputs. */
  readonly frames: ReadonlySet<string>;
  readonly paths: SpanPaths;
}

/** Returns a run as an item of the summary. */
export function runOutcome(run: Run, { length, ran, frames, paths }: OutcomeContext): Candidate {
  const came = cameTo(run, run.result ?? printedLine(run, frames, paths));
  const { looks, exitCode, session } = run;
  const room = looks.length === 1 ? MAX_LOOK : MAX_END;
  const command = looks.length === 0 ? run.command : looks.map((line) => paths.line(line, room)).join(APART);
  const keyFields: JsonObject = {
    command,
    ...(exitCode !== null && { exitCode }),
    ...(session !== undefined && { session }),
    ...(came !== null && { result: came }),
  };
  const told = (looks.length > 0 ? 0 : 1) + (run.result === null ? 0 : 1) + (run.failed ? 0.5 : 0);
  const earlier = ran.get(command);
  const errorRoom = run.namesTests ? MAX_FAILED_TESTS : MAX_OUTCOME_ERROR;
  return {
    section: "toolOutcomes",
    item: {
      toolName: run.toolName,
      outcome: run.failed ? "failure" : "success",
      keyFields,
      errorMessage: run.error === null ? null : paths.line(run.error, errorRoom),
      sources: [run.place.messageId],
    },
    worth: (run.place.position + 1) / length + told,
    ...(earlier !== undefined && { supersedes: earlier }),
  };
}

function cameTo({ state }: Run, printed: string | null): string | null {
  if (state !== "running" && state !== "stopped") return printed;
  return [state === "running" ? "still running" : state, printed].filter((part) => part !== null).join(", ");
}

/** The output of a run in one line: the number of lines and its own last line, or what its silence means. */
function printedLine(run: Run, frames: ReadonlySet<string>, paths: SpanPaths): string | null {
  if (run.error !== null) return run.silence;
  const last = run.last.find((line) => !frames.has(line));
  const count = (run.printed?.count ?? 0) - run.last.filter((line) => frames.has(line)).length;
  const counted = count > 1 ? `${count} lines` : null;
  if (last === undefined) return run.silence ?? counted;
  const first = run.printed?.first ?? last;
  if (first === last) return `${counted === null ? "" : `${counted}: … `}${paths.line(last, MAX_LAST)}`;
  const ends = `${paths.line(first, MAX_END)} … ${paths.line(last, MAX_END)}`;
  return counted === null ? ends : `${counted}: ${ends}`;
}

const TEST_TAIL = 3_000;
/** A count of a test run, which is no time, no version and no part of a name. */
const COUNT =
  /(?<![\w:.,/-])(\d{1,3}(?:,\d{3})+|\d{1,7}) (passed|failed|failing|passing|skipped|errors?|failures?|pending|todo|xfailed|warnings?)\b(?![\w-]|\.\w)/g;
const LABELLED = /\b(Tests run|Failures|Errors|Skipped): ?(\d{1,7})/g;
/** A verdict without counts, the bad one before the good one. */
const VERDICTS = [
  /^(?:FAIL\s+\S+|FAIL$|BUILD FAILED)/m,
  /^(?:ok\s+\S+|PASS|BUILD SUCCESS(?:FUL)?|All checks passed!?)/m,
];

/** Git's count of changes, below the names of a `diff --stat` or after the subject of a commit. */
const CHANGED = /^ ?\d{1,6} files? changed(?:, \d{1,7} (?:insertion|deletion)s?\([+-]\)){0,2}$/gm;

/**
 * Returns what a command reports at its end: the counts of a test run, such as `1 failed, 12 passed`, a verdict, or
 * git's count of changes; null when there are none.
 *
 * @param report what a known runner of tests says in the output.
 */
const reportedResult = (command: string, text: string, report: TestReport | null): string | null =>
  onlyShows(command) ? changedResult(text) : (report?.result ?? countedResult(text));

function countedResult(text: string): string | null {
  const tail = text.slice(-TEST_TAIL);
  const counted = testCounts(tail) ?? VERDICTS.map((form) => form.exec(tail)?.[0]).find((verdict) => verdict);
  return counted?.trim().slice(0, 80).toWellFormed() ?? changedResult(text);
}

/** Returns git's count of changes in an output; null when there is none. */
const changedResult = (text: string): string | null =>
  `${text.slice(0, TEST_TAIL)}\n${text.slice(-TEST_TAIL)}`.match(CHANGED)?.at(-1)?.trim() ?? null;

function testCounts(tail: string): string | null {
  // The last count of a word holds, whether it is said of one or of many.
  const counts = new Map<string, string>();
  for (const [, figure, word = ""] of tail.matchAll(COUNT)) counts.set(word.replace(/s$/, ""), `${figure} ${word}`);
  if (counts.size > 0) return [...counts.values()].join(", ");
  const labelled = [...tail.matchAll(LABELLED)].map(
    ([, word, figure]) => `${(word as string).toLowerCase()} ${figure}`,
  );
  return labelled.length > 0 ? labelled.slice(-4).join(", ") : null;
}

/** A line of `ls -l`: its mode, and the name after links, owner, group, size and time. */
const LISTED =
  /^([-dlbcps])[-rwxsStT]{9}\S?[ \t]+\d+[ \t]+\S+[ \t]+\S+[ \t]+\S+[ \t]+\p{L}+[ \t]+\d+[ \t]+[\d:]+[ \t]+(\S.*)$/gmu;
const entry = (mode: string, name: string): string => (mode === "d" ? `${name}/` : name);

/** Returns an output with nothing but the names left of long listings (`ls -l`), each followed by a comma. */
export const withoutColumns = (text: string): string =>
  text.replace(LISTED, (_, mode: string, name: string) => `${entry(mode, name)},`);

const FEWEST_LISTED = 2;
/** In UTF-16 code units. A longer listing is reported by its last line, like other output. */
const LONGEST_LISTING = 64_000;

/**
 * Returns the names in a long listing of a folder (`ls -l`): the last ones if there is not room for all, but always at
 * least one; null for other output.
 *
 * @param room the room for the names, in UTF-16 code units.
 */
function listedNames(text: string, room: number): string | null {
  if (text.length > LONGEST_LISTING) return null;
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const listed = [...text.matchAll(LISTED)].map(([, mode = "", name = ""]) => entry(mode, name));
  const names = listed.filter((name) => name !== "./" && name !== "../");
  if (names.length < FEWEST_LISTED || listed.length < lines.length / 2) return null;
  let left = room;
  const from = names.findLastIndex((name) => (left -= name.length + 2) < 0) + 1;
  const shown = names.slice(Math.min(from, names.length - 1));
  return `${names.length} entries: ${shown.length < names.length ? "…, " : ""}${shown.join(", ")}`;
}
