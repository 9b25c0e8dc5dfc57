import { excerpt, oneLine } from "../../text/excerpt.ts";

/** What the output of a run of tests says, whichever runner printed it. */
export interface TestReport {
  /** Its counts, such as `2 failed, 12 passed`, with packages or environments where the runner names them. */
  readonly result: string;
  /** True if a test, a file or an environment failed. */
  readonly isRed: boolean;
  /** The names of the first failed tests and how many more there are, with the first reason; null without a name. */
  readonly failed: string | null;
}

/** How one runner reports. All expressions match whole lines or their beginnings. */
interface Runner {
  /**
   * A line with counts: as numbers in groups that are named like the counts, as groups that match once for each test,
   * or, without such groups, in the runner's own words.
   */
  readonly summary: RegExp;
  /** The last line with counts is about the whole run, and those before it are about parts. */
  readonly isWhole?: true;
  /** The number of files that failed, or that did not even start. */
  readonly files?: RegExp;
  /** Where the names of failed tests stand, in the first group, and their class in the second; the first expression that finds any counts. */
  readonly failed: readonly RegExp[];
  /** Where the reason stands that the first test failed for. */
  readonly reason: readonly RegExp[];
}

const PYTEST: Runner = {
  summary: /^=*\s?(?:no tests ran|(?:\d+ [a-z]+(?: [a-z]+)?(?:, )?)+) in \d[\d.]*s\b/gm,
  failed: [/^(?:FAILED|ERROR|SUBFAILED\S*) (\S+?\.py(?:::.+?)?)(?: - .*)?$/gm, /^(\S+\.py::.+?) (?:FAILED|ERROR)\b/gm],
  reason: [/^E {2,}(?:File ".*\n(?:E {4,}.*\n)*E {3})?(\S.*)$/m, /^(?:FAILED|ERROR) \S.*? - (\S.*)$/m],
};
const UNITTEST: Runner = {
  summary: /^Ran (?<tests>\d{1,7}) tests? in [^\n]{1,40}\n\s*(?<verdict>(?:OK|FAILED)\b(?: \([^)\n]{0,80}\))?)/gm,
  isWhole: true,
  failed: [/^(?:FAIL|ERROR): (\w\S*) \((?:unittest\.loader\.[^)\n]+|([\w.]+))/gm],
  reason: [/^([A-Za-z_][\w.]{0,80}(?:Error|Exception|Failure|Warning|Exit)\b.*)$/m],
};
const JEST: Runner = {
  summary: /^ *Tests: +\d+ [a-z].*$/gm,
  files: /^Test Suites: +(\d+) failed/gm,
  failed: [
    /^ {2}● (?!Console$|Test suite failed|Validation |Deprecation |Cannot log)(\S.*)$/gm,
    /^ *FAILED {2,}(\S.*?)(?: {2,40}\S{1,20})?$/gm,
    /^FAIL (\S+)/gm,
  ],
  reason: [/^ {2}● .+\n\n {4}(\S.*)$/m],
};
const VITEST: Runner = {
  summary: /^(?:\S{1,80}:\s)? *(?:Tests|Errors) {2,}(?:\d.*|no tests)$/gm,
  files: /^(?:\S{1,80}:\s)? *Test Files {2,}(\d+) failed/gm,
  failed: [/^(?:\S{1,80}:\s)? *FAIL {2}(\S.*?)(?: \[ \S+ \])?$/gm, /^ +[×✗] (.+?)(?: \d+m?s)?$/gm],
  reason: [/^(\w*(?:Error|Exception)\b.*)$/m],
};
const MOCHA: Runner = {
  summary: /^ *\d+ (?:passing|failing|pending)\b.*$/gm,
  failed: [/^ {2}\d+\) ([^\n]+(?:\n {7,}[^\n]+){0,6}?):$/gm],
  reason: [/^ {2}\d+\) [^\n]+(?:\n {7,}[^\n]+){0,6}?:\n+ *(\S.*)$/m],
};
const PLAYWRIGHT: Runner = {
  summary: /^ {2}\d+ (?:passed|failed|flaky|skipped|interrupted)(?: \([\d.]+m?s\))?$/gm,
  failed: [/^ {2,4}\d+\) (\[?\S.*?)(?: ─+)?$/gm],
  reason: [/^ +(\w*Error\b.*)$/m],
};
const RSPEC: Runner = {
  summary: /^\d+ examples?, \d+ failures?.*$/gm,
  failed: [/^ {2}\d+\) (\S.*)$/gm, /^rspec \S+ # (.+)$/gm],
  reason: [/Failure\/Error: (\S.*)$/m],
};
const MINITEST: Runner = {
  summary: /^\d+ (?:runs|tests), \d+ assertions, \d+ failures, \d+ errors.*$/gm,
  failed: [/^(?: *\d+\) )?(?:Failure|Error):\n(\S+?)(?: \[.*\])?:?$/gm],
  reason: [/^(?: *\d+\) )?(?:Failure|Error):\n.+\n(\S.*)$/m],
};
const PHPUNIT: Runner = {
  summary: /^(?:OK \((?<total>\d+) tests?, \d+ assertions?\)|Tests: \d+, Assertions: \d+.*$)/gm,
  failed: [/^\d+\) (\S+::.+)$/gm],
  reason: [/^\d+\) \S+::.+\n(\S.*)$/m],
};
const DOTNET: Runner = {
  summary: /^ *(?:(?:Failed|Passed|Skipped)! +- Failed: +\d+,|Test summary: total: ).*$/gm,
  failed: [/^ *Failed (\S.*?) \[[^\]\n]+\]$/gm, /^\[xUnit\.net [\d:.]+\] +(\S.*) \[FAIL\]$/gm],
  reason: [/^ *Error Message:\n *(\S.*)$/m],
};
const GRADLE: Runner = {
  summary: /^\d+ tests? completed(?:, \d+ \w+)*$/gm,
  failed: [/^(?!> Task )(\S.* > .+) FAILED$/gm],
  reason: [/^(?!> Task ).+ > .+ FAILED\n +(\S.*)$/m],
};
const MAVEN: Runner = {
  summary: /^(?:\[\w+\] )?Tests run: \d+, Failures: \d+, Errors: \d+, Skipped: \d+ *$/gm,
  failed: [/^(?:\[ERROR\] +)?(\w\S*?) +(?:-- )?Time elapsed: .*<<< (?:FAILURE|ERROR)!/gm, /^\[ERROR\] {3}(\S+?):\d+/gm],
  reason: [/^\[ERROR\] {3}\S+:\d+ (?:» )?(\S.*)$/m],
};
const CTEST: Runner = {
  summary: /^\d+% tests passed, (?<failed>\d+) tests? failed out of (?<total>\d+)/gm,
  failed: [/^[^\S\n]+\d+ - (\S+) \(/gm],
  reason: [/^(\S+:\d+: .+)$/m],
};
const GOOGLETEST: Runner = {
  summary: /^\[ {2}PASSED {2}\] (?<passed>\d+) tests?|^\[ {2}FAILED {2}\] (?<failed>\d+) tests?,/gm,
  failed: [/^\[ {2}FAILED {2}\] (?!\d+ tests?)([^\s,]+)/gm],
  reason: [/^(\S+:\d+: Failure)$/m],
};
/** Bats and ExUnit end alike. */
const COUNTED_TESTS: Runner = {
  summary: /^(?:\d+ (?:doctests?|properties|tests?), )+\d+ failures?.*$/gm,
  failed: [/^ [✗x] (.+?)(?: \[\d+\])?$/gm, /^ {2}\d+\) (?:test )?(\S.*)$/gm],
  reason: [/^ [✗x] .+\n\s+(\S.*)$/m, /^ {2}\d+\) .+\n.+\n\s+(\S.*)$/m],
};
const NODE: Runner = {
  summary:
    /^[#ℹ] (?:tests (?<total>\d+)|pass (?<passed>\d+)|fail (?<failed>\d+)|cancelled (?<error>\d+)|(?:skipped|todo) (?<skipped>\d+))$/gm,
  failed: [
    /^test at .+\n✖ (.+?) \([\d.]+ms\)/gm,
    /^ *✖ (.+?) \([\d.]+ms\)$/gm,
    /^ *not ok \d+ - (.+)\n *---\n.*\n *type: 'test'$/gm,
  ],
  reason: [/^test at .+\n✖ .+\n\s+(\S.*)$/m, /^ +error: (?:\|-\n\s+)?(\S.*)$/m],
};
const TAP: Runner = {
  summary: /^(?:(?<failed>not ok)|(?<passed>ok)) \d+\b(?!.*# (?:skip|todo))/gim,
  failed: [/^not ok \d+ (?:- )?(?!.*# (?:skip|todo))(\S[^#\n]*)/gim],
  reason: [/^ *# +(?!Failed test)(\S.*)$/m],
};
const PROVE: Runner = {
  summary: /^(?:Failed (?<failed>\d+)\/\d+ subtests|Files=\d+, Tests=(?<total>\d+),)/gm,
  failed: [/^ *# +Failed test '(.+)'$/gm],
  reason: TAP.reason,
};
const DENO: Runner = {
  summary: /^(?:ok|FAILED) \| \d+ passed.*$/gm,
  failed: [/^(\S.*?) => \S+:\d+:\d+$/gm],
  reason: [/^error: (\S.*)$/m],
};
const BUN: Runner = {
  summary: /^ *\d+ (?:pass|fail|skip|todo)$/gm,
  failed: [/^(?:\(fail\)|✗) (\S.*?)(?: \[[\d.]+m?s\])?$/gm],
  reason: [/^error: (\S.*)$/m],
};
const XCTEST: Runner = {
  summary:
    /^[^\S\n]*Executed (?<total>\d+) tests?, with (?:(?<skipped>\d+) tests? skipped and )?(?<failed>\d+) failures?/gm,
  isWhole: true,
  failed: [/^Test Case '-?\[?([^\]'\n]+)\]?' failed/gm],
  reason: [/: error: \S.*? : (\S.*)$/m],
};
const SWIFT_TESTING: Runner = {
  summary: /^(?:. Test run with (?<total>\d+) tests?\b|[✘] (?<failed>Test) (?!run\b).+? failed after)/gm,
  failed: [/^[✘] Test (?!run\b)(\S.*?) failed after/gm],
  reason: [/ recorded an issue at \S+: (\S.*)$/m],
};
const PANICKED = [/panicked at [^\n']+:\n(\S.*)$/m, /panicked at '(.+?)', \S+$/m, /^note: (test did not panic.*)$/m];
const CARGO: Runner = {
  summary: /^test result: .*$/gm,
  failed: [/^test (\S.*?)(?: - should panic)? \.\.\. FAILED$/gm, /^---- (\S.*?) stdout ----$/gm],
  reason: PANICKED,
};
const NEXTEST: Runner = {
  summary: /^ *Summary \[.*$/gm,
  failed: [/^ *(?:FAIL|SIGABRT|SIGSEGV|TIMEOUT) \[[^\]\n]*\] (?:\([^)\n]*\) )?(\S.*)$/gm],
  reason: PANICKED,
};
const GO: Runner = {
  summary: /^--- (?:(?<passed>PASS)|(?<failed>FAIL)|(?<skipped>SKIP)): /gm,
  failed: [/^ *--- FAIL: (\S+)/gm],
  reason: [
    /^ *--- FAIL: .+\n\s+(\S+\.go:\d+: .+)$/m,
    /^[^\S\n]+(\S+\.go:\d+: .+)\n(?:.*\n)?[^\S\n]*--- FAIL/m,
    /^(panic: .+)$/m,
    /^[^\S\n]+(\w+_test\.go:\d+: .+)$/m,
  ],
};
const RUNNERS = [
  ...[PYTEST, UNITTEST, JEST, VITEST, MOCHA, PLAYWRIGHT, RSPEC, MINITEST, PHPUNIT, DOTNET, GRADLE, MAVEN, CTEST],
  ...[GOOGLETEST, COUNTED_TESTS, NODE, TAP, PROVE, DENO, BUN, XCTEST, SWIFT_TESTING, CARGO, NEXTEST, GO],
];

/** Packages of Go and environments of tox and nox, of which each has its own verdict. */
const PARTS =
  /^(?:(?<result>FAIL|ok) *\t(?<package>\S+)(?:[ \t]+(?<note>[^\n]{1,40}))?| {2}(?<env>[\w.-]+): (?<verdict>OK|FAIL)\b.*|nox > \* (?<session>\S+): (?<end>success|failed)\b.*)$/gm;

/** The words that runners use for each count, in the order in which counts are told. */
const COUNTS = {
  failed: "failed failing failures failure fail",
  error: "errors error",
  passed: "passed passing pass succeeded",
  skipped: "skipped skips skip pending ignored excluded disabled todo",
  warning: "warnings warning",
  total: "total tests test doctests doctest properties examples example runs",
} as const;
type Count = keyof typeof COUNTS;
const COUNT_OF: ReadonlyMap<string, Count> = new Map(
  (Object.entries(COUNTS) as [Count, string][]).flatMap(([count, words]) =>
    words.split(" ").map((word): [string, Count] => [word, count]),
  ),
);
/** A figure with its word, in either order. */
const FIGURE = /(?<![\w.(])(\d{1,7}) ([a-z]+)|\b([a-z]+)(?: run)?: +(\d{1,7})(?!\d| [a-z])/gi;

/** How much of the end of an output is read, in UTF-16 code units. */
const READ = 60_000;
const ANSI = /\u001b\[[0-9;]*[A-Za-z]/g;
/** A longer line, in UTF-16 code units, is data. */
const LONG_LINES = /^.{2001,}$/gm;
const MAX_RESULT = 160;
const MAX_NAME = 90;
const NAMES = 3;
const MAX_PARTS = 2;
const MAX_REASON = 160;

/** Returns what a run of tests came to by its output; null if no known runner sums up in it. */
export function testReport(text: string): TestReport | null {
  const read = text.slice(-READ).replace(ANSI, "").replaceAll("\r", "").replace(LONG_LINES, "");
  const found = RUNNERS.map((runner) => ({ runner, lines: [...read.matchAll(runner.summary)] }))
    .filter(({ lines }) => lines.length > 0)
    // Node and prove print TAP as well, with counts of their own below.
    .filter(
      ({ runner }, _, all) => runner !== TAP || !all.some(({ runner: other }) => other === NODE || other === PROVE),
    );
  const parts = partsIn(read);
  if (found.length === 0 && parts.told.length === 0) return null;
  const counts = new Map<Count, number>();
  for (const { runner, lines } of found) addCounts(counts, runner.isWhole ? lines.slice(-1) : lines);
  const files = found.reduce((sum, { runner }) => sum + failedFiles(runner, read), 0);
  const failures = (counts.get("failed") ?? 0) + (counts.get("error") ?? 0) + failuresInVerdicts(found);
  const isRed = parts.isRed || failures + files > 0;
  const told = [...countsTold(found, counts, files), ...parts.told].join(", ");
  if (told === "") return null;
  return {
    result: told.slice(0, MAX_RESULT).toWellFormed(),
    isRed,
    failed: isRed ? failedTold(found, read, failures) : null,
  };
}

type Found = readonly { readonly runner: Runner; readonly lines: readonly RegExpExecArray[] }[];

function addCounts(counts: Map<Count, number>, lines: readonly RegExpExecArray[]): void {
  const own = new Map<Count, number>();
  const add = (count: Count | undefined, figure: number): void => {
    if (count !== undefined) own.set(count, (own.get(count) ?? 0) + figure);
  };
  for (const { 0: line, groups } of lines) {
    if (groups?.["verdict"] !== undefined) continue;
    const named = Object.entries(groups ?? {}).filter(([, figure]) => figure !== undefined);
    for (const [count, figure] of named) add(count as Count, Number(/^\d+$/.test(figure as string) ? figure : 1));
    if (named.length > 0) continue;
    for (const [, figure, word, label, value] of line.matchAll(FIGURE))
      add(COUNT_OF.get((word ?? label ?? "").toLowerCase()), Number(figure ?? value));
  }
  const known = ["failed", "error", "skipped"] as const;
  const rest = (own.get("total") ?? 0) - known.reduce((sum, count) => sum + (own.get(count) ?? 0), 0);
  if (!own.has("passed") && rest > 0) own.set("passed", rest);
  for (const [count, figure] of own) counts.set(count, (counts.get(count) ?? 0) + figure);
}

function countsTold(found: Found, counts: ReadonlyMap<Count, number>, files: number): readonly string[] {
  const verdicts = found.flatMap(({ lines }) => lines.slice(-1)).flatMap(({ groups }) => verdictOf(groups));
  const filesTold = files > 0 && !counts.get("failed") ? [`${files} ${files === 1 ? "file" : "files"} failed`] : [];
  const figures = (["failed", "error", "passed", "skipped", "warning"] as const).flatMap((count) => {
    const figure = counts.get(count) ?? 0;
    const plural = figure > 1 && (count === "error" || count === "warning") ? "s" : "";
    return figure === 0 ? [] : [`${figure} ${count}${plural}`];
  });
  const told = [...filesTold, ...verdicts, ...figures];
  return told.length > 0 || !found.some(({ runner }) => runner === PYTEST || runner === VITEST)
    ? told
    : ["no tests ran"];
}

/** The failures and errors that `unittest` counts in brackets. */
const failuresInVerdicts = (found: Found): number =>
  found
    .flatMap(({ lines }) => [...(lines.at(-1)?.groups?.["verdict"] ?? "").matchAll(/(?:failures|errors)=(\d+)/g)])
    .reduce((sum, [, figure]) => sum + Number(figure), 0);

const verdictOf = (groups: RegExpExecArray["groups"]): readonly string[] =>
  groups?.["verdict"] === undefined
    ? []
    : [`${groups["tests"]} ${groups["tests"] === "1" ? "test" : "tests"}: ${groups["verdict"]}`];

const failedFiles = ({ files }: Runner, text: string): number =>
  files === undefined ? 0 : [...text.matchAll(files)].reduce((sum, [, figure]) => sum + Number(figure), 0);

/** The packages or environments that failed, by name, and those that passed: one by name, several by number. */
function partsIn(text: string): { readonly told: readonly string[]; readonly isRed: boolean } {
  const all = [...text.matchAll(PARTS)].map(({ groups = {} }) => groups);
  const failed = all.filter(({ result, verdict, end }) =>
    [result, verdict, end].some((said) => /^fail/i.test(said ?? "")),
  );
  const passed = all.filter((part) => !failed.includes(part));
  const more = failed.length - MAX_PARTS;
  return {
    told: [
      ...failed.slice(0, MAX_PARTS).map(failedPart),
      ...(more > 0 ? [`${more} more failed`] : []),
      ...(passed.length > 1 && passed[0]?.["package"] !== undefined
        ? [`${passed.length} packages ok`]
        : passed.slice(0, NAMES).map((part) => passedPart(part, failed.length > 0))),
    ],
    isRed: failed.length > 0,
  };
}

type Part = Readonly<Record<string, string | undefined>>;

const failedPart = ({ package: name, note = "", env, session }: Part): string =>
  name === undefined ? `${env ?? session} failed` : `FAIL ${name}${note.startsWith("[") ? ` ${note}` : ""}`;

function passedPart({ package: name, note = "", env, session }: Part, isOneOfMany: boolean): string {
  if (name === undefined) return `${env ?? session} ok`;
  return isOneOfMany ? "1 package ok" : oneLine(`ok ${name} ${note}`);
}

/** @param failures the number of failures by the counts; an output may name fewer of them. */
function failedTold(found: Found, text: string, failures: number): string | null {
  const all = new Set(found.flatMap(({ runner }) => namesIn(runner, text)));
  // A test of Go fails with each part of it; the parts say more.
  const names = [...all].filter((name) => ![...all].some((other) => other.startsWith(`${name}/`)));
  if (names.length === 0) return null;
  const shown = names.slice(0, NAMES).map((name) => excerpt(name, MAX_NAME));
  const left = Math.max(names.length, failures) - shown.length;
  const more = left > 0 ? ` and ${left} more` : "";
  const reason = found.flatMap(({ runner }) => reasonIn(runner, text))[0];
  return `${shown.join(", ")}${more}${reason === undefined ? "" : `: ${excerpt(reason, MAX_REASON)}`}`;
}

function namesIn({ failed }: Runner, text: string): readonly string[] {
  for (const form of failed) {
    const names = [...text.matchAll(form)].map(([, name = "", owner]) => oneLine(ownedName(name, owner)));
    if (names.length > 0) return names;
  }
  return [];
}

/** The whole name of a test whose class or module stands beside it, with or without the test's own name. */
const ownedName = (name: string, owner: string | undefined): string =>
  owner === undefined || owner.endsWith(`.${name}`) ? (owner ?? name) : `${owner}.${name}`;

function reasonIn({ reason }: Runner, text: string): readonly string[] {
  for (const form of reason) {
    const found = form.exec(text)?.[1];
    if (found !== undefined) return [found];
  }
  return [];
}
