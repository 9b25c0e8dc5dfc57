import type { ErrorItem, JsonObject } from "@threadfold/core";
import { excerpt, statementKey } from "../../text/excerpt.ts";
import { type CallReading, shortFields } from "../reading/call-reading.ts";
import {
  countedResult,
  errorLine,
  fewCharacters,
  isSilent,
  lastLines,
  listedNames,
  outputLines,
  type ResultReading,
} from "../reading/result-reading.ts";
import { notableCommand, printsNewestFirst, saysBySilence } from "../reading/shell-command.ts";
import type { Place, Speech } from "../reading/speech.ts";
import type { SpanPaths } from "./file-collector.ts";
import type { Candidate, Harvest, HarvestContext, SpanCollector } from "./span-collector.ts";

/** The newest outcome of one command. */
interface Run {
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
  /** True when the output is empty. */
  readonly isSilent: boolean;
  readonly exitCode: number | null;
  readonly failed: boolean;
  readonly error: string | null;
  readonly place: Place;
  /** True for a command that only looked: it changed and checked nothing. */
  readonly looks: boolean;
}

/** An error, from the run that first showed it to the run that no longer does. */
interface Trouble {
  readonly subject: string;
  readonly error: string;
  readonly places: Place[];
  resolution: string | null;
}

const GAVE_WAY = "replaced by the next error";
const SUCCEEDED = "succeeded later";
/** For an error that no later turn showed again: it went away somehow, even if no run says how. */
const NOT_SEEN_AGAIN = "not seen again in later turns";
const MAX_SUBJECT = 100;
const MAX_FIXES = 3;
/** Length of the error with an outcome; the whole line is listed with the errors. */
const MAX_OUTCOME_ERROR = 120;
const MAX_FAILURE = 160;
const MAX_LOOK = 110;
const MAX_LAST = 100;
/** Length of each of two lines that represent an output. */
const MAX_END = 60;
/** Length of the names of a listing, which follow their number. */
const MAX_LISTED = 80;
const FRAME_TIMES = 3;
/** The label that harnesses put before an error message of a command, which may recur. */
const SAYS_ERROR = /^\s*\[(?:error|stderr)\]/i;

/** Finds the commands that matter with their last outcome, and the errors that they showed with their resolution. */
export class RunCollector implements SpanCollector {
  readonly #paths: SpanPaths;
  readonly #runs = new Map<string, Run>();
  readonly #open = new Map<string, Trouble>();
  readonly #troubles: Trouble[] = [];
  /** Subjects that ran without an error, in this span. */
  readonly #passed = new Map<string, Place>();
  /** Files changed since the last notable run. */
  #changes: string[] = [];
  /** The newest message of the span with which a user began a turn. */
  #turn: Place | null = null;

  constructor(paths: SpanPaths) {
    this.#paths = paths;
  }

  userSpeech({ place }: Speech): void {
    this.#turn = place;
  }

  result(result: ResultReading): void {
    const { call, failed } = result;
    if (call === null) return;
    if (call.kind === "shell") this.#takeCommand(call, result);
    else if (failed) this.#takeFailure(call, result);
    else this.#settle(subjectOf(call), result.place);
    if (!failed) for (const { path, action } of call.files) if (action !== "read") this.#changes.push(path);
  }

  #takeCommand(call: CallReading, result: ResultReading): void {
    if (call.command === null) return;
    const command = notableCommand(call.command);
    if (command === null) return this.#takeLook(call, call.command, result);
    const { text, exitCode, failed, place } = result;
    const error = failed
      ? (errorLine(text, false) ?? `exit code ${exitCode ?? "unknown"}`)
      : exitCode === 0
        ? null
        : errorLine(text, true);
    const run: Run = {
      command,
      toolName: call.toolName,
      result: countedResult(text),
      last: lastLines(text),
      printed: null,
      isSilent: isSilent(text),
      exitCode,
      failed: failed || error !== null,
      error,
      place,
      looks: false,
    };
    this.#keep(run);
    const subject = `\`${command.slice(0, MAX_SUBJECT).toWellFormed()}\``;
    if (error === null) this.#settle(subject, place);
    else this.#trouble(subject, error, place);
    this.#changes = error === null ? [] : this.#changes;
  }

  /** Records a command that only looks: its outcome is kept while there is room, and its failure is no lesson. */
  #takeLook({ toolName }: CallReading, line: string, { text, envelope, exitCode, failed, place }: ResultReading): void {
    const command = line.replaceAll("`", "'");
    const error = failed ? errorLine(text, false) : null;
    // In a JSON body a number may be a code or a duration, and lines are values.
    const isJson = envelope.content.type === "json";
    const whole = listedNames(text, MAX_LISTED) ?? (isJson ? null : fewCharacters(text));
    const lines = isJson ? null : outputLines(text);
    const newest = printsNewestFirst(line) ? lines?.first : undefined;
    const result = error === null ? countedResult(text) : null;
    this.#keep({
      command,
      toolName,
      result,
      last: whole === null ? lastLines(text) : [whole],
      printed: whole === null && lines !== null ? { ...lines, first: newest } : null,
      isSilent: isSilent(text),
      exitCode,
      failed,
      error,
      place,
      looks: true,
    });
  }

  #keep(run: Run): void {
    this.#runs.delete(run.command);
    this.#runs.set(run.command, run);
  }

  /**
   * Records a failed call of another tool, which counts as long as no call with the same subject succeeded after it.
   */
  #takeFailure(call: CallReading, { text, place }: ResultReading): void {
    const error = errorLine(text, false) ?? excerpt(text, MAX_FAILURE);
    if (error !== "") this.#trouble(subjectOf(call), error, place);
  }

  #trouble(subject: string, error: string, place: Place): void {
    const known = this.#open.get(subject);
    if (known !== undefined && statementKey(known.error) === statementKey(error)) return void known.places.push(place);
    const trouble: Trouble = { subject, error, places: [place], resolution: null };
    if (known !== undefined) known.resolution = GAVE_WAY;
    this.#open.set(subject, trouble);
    this.#troubles.push(trouble);
    this.#changes = [];
  }

  #settle(subject: string, place: Place): void {
    this.#passed.set(subject, place);
    const trouble = this.#open.get(subject);
    if (trouble === undefined) return;
    const fixes = [...new Set(this.#changes)].slice(-MAX_FIXES);
    trouble.resolution = fixes.length === 0 ? SUCCEEDED : `succeeded after changes to ${fixes.join(", ")}`;
    trouble.places.push(place);
    this.#open.delete(subject);
  }

  harvest({ messages, previous }: HarvestContext): Harvest {
    const length = messages.length;
    const before = new Map((previous?.errors ?? []).map((item) => [item.error, item]));
    const frames = repeated([...this.#runs.values()].map(({ last }) => last));
    const ran = new Map((previous?.toolOutcomes ?? []).map(({ keyFields, id }) => [keyFields["command"], id]));
    const found = onePerError(this.#troubles.filter(isTelling)).map((trouble) => {
      const candidate = errorOf(trouble, length);
      const earlier = before.get(candidate.item.error);
      before.delete(candidate.item.error);
      return earlier === undefined ? candidate : { ...candidate, supersedes: earlier.id };
    });
    return {
      candidates: [
        ...[...this.#runs.values()].map((run) => this.#outcome(run, length, ran, frames)),
        ...found,
        ...[...before.values()].flatMap((item) => this.#resolvedSince(item)),
      ],
    };
  }

  #outcome(run: Run, length: number, ran: ReadonlyMap<unknown, string>, frames: ReadonlySet<string>): Candidate {
    const came = run.result ?? this.#printed(run, frames);
    const command = run.looks ? this.#paths.line(run.command, MAX_LOOK) : run.command;
    const keyFields: JsonObject = {
      command,
      ...(run.exitCode !== null && { exitCode: run.exitCode }),
      ...(came !== null && { result: came }),
    };
    const told = (run.looks ? 0 : 1) + (run.result === null ? 0 : 1) + (run.failed ? 0.5 : 0);
    const earlier = ran.get(command);
    return {
      section: "toolOutcomes",
      item: {
        toolName: run.toolName,
        outcome: run.failed ? "failure" : "success",
        keyFields,
        errorMessage: run.error === null ? null : this.#paths.line(run.error, MAX_OUTCOME_ERROR),
        sources: [run.place.messageId],
      },
      worth: (run.place.position + 1) / length + told,
      ...(earlier !== undefined && { supersedes: earlier }),
    };
  }

  /** The output of a run in one line: the number of lines and its own last line, or what its silence means. */
  #printed(run: Run, frames: ReadonlySet<string>): string | null {
    if (run.error !== null) return silence(run);
    const last = run.last.find((line) => !frames.has(line));
    const count = (run.printed?.count ?? 0) - run.last.filter((line) => frames.has(line)).length;
    const counted = count > 1 ? `${count} lines` : null;
    if (last === undefined) return silence(run) ?? counted;
    const first = run.printed?.first ?? last;
    if (first === last) return `${counted === null ? "" : `${counted}: … `}${this.#paths.line(last, MAX_LAST)}`;
    const ends = `${this.#paths.line(first, MAX_END)} … ${this.#paths.line(last, MAX_END)}`;
    return counted === null ? ends : `${counted}: ${ends}`;
  }

  /**
   * An error of an earlier fold that is resolved here: its subject succeeded, or a later turn did not show it again.
   */
  #resolvedSince(item: ErrorItem): readonly Candidate[] {
    if (item.resolution !== null) return [];
    const passed = [...this.#passed].find(([subject]) => item.error.startsWith(`${subject}: `))?.[1];
    const place = passed ?? this.#turn;
    if (place === null || (passed === undefined && this.#isSeen(item.error))) return [];
    const { id, ...rest } = item;
    const sources = [...new Set([...item.sources, place.messageId])];
    const resolution = passed === undefined ? NOT_SEEN_AGAIN : SUCCEEDED;
    return [{ section: "errors", item: { ...rest, resolution, sources }, worth: 1, supersedes: id }];
  }

  #isSeen(error: string): boolean {
    const key = statementKey(error);
    return this.#troubles.some((trouble) => key.includes(statementKey(trouble.error)));
  }
}

/** What it means that a command printed nothing; null for one that was killed or went wrong. */
const silence = ({ isSilent, command, failed, exitCode }: Run): string | null =>
  isSilent && (!failed || exitCode === 1) ? saysBySilence(command) : null;

const subjectOf = ({ toolName, files }: CallReading): string => [toolName, files[0]?.path].filter(Boolean).join(" ");

/**
 * The last lines that many commands have in common, after other output. They are written by a shell or harness and say
 * nothing about the command.
 */
function repeated(ends: readonly (readonly string[])[]): ReadonlySet<string> {
  const byLast = Map.groupBy(ends, ([last = ""]) => last);
  const isFrame = ([last, alike]: [string, readonly (readonly string[])[]]): boolean =>
    alike.length >= FRAME_TIMES && alike.some(({ length }) => length > 1) && !SAYS_ERROR.test(last);
  return new Set([...byLast].filter(isFrame).map(([last]) => last));
}

/** Leaves out errors that went away without a change, and errors that were followed by the next error. */
const isTelling = ({ resolution }: Trouble): boolean =>
  resolution === null || (resolution !== SUCCEEDED && resolution !== GAVE_WAY);

/** Several commands may show the same error; a resolved trouble is the most informative, then the newest. */
function onePerError(troubles: readonly Trouble[]): readonly Trouble[] {
  const best = new Map<string, Trouble>();
  for (const trouble of troubles) {
    const key = statementKey(trouble.error);
    if (best.get(key)?.resolution == null) best.set(key, trouble);
  }
  return [...best.values()];
}

function errorOf({ subject, error, places, resolution }: Trouble, length: number): Candidate & { section: "errors" } {
  const last = places.at(-1) as Place;
  const sources = [...new Set([places[0] as Place, last].map((place) => place.messageId))];
  const worth = (last.position + 1) / length + (resolution === null ? 0.5 : 1) + Math.min(1, places.length / 4);
  return { section: "errors", item: { error: `${subject}: ${error}`, resolution, sources }, worth };
}

const DECLARED_WORTH = 3;

/**
 * Finds the outcomes of tools that neither touch files nor run commands: orders, look-ups, calls to services. Key
 * fields that a tool declared survive every fold; for other tools, the short arguments show what was done.
 */
export class OutcomeCollector implements SpanCollector {
  readonly #outcomes: { readonly result: ResultReading; readonly keyFields: JsonObject }[] = [];

  result(result: ResultReading): void {
    const { envelope, call } = result;
    if (envelope.keyFields !== undefined) this.#outcomes.push({ result, keyFields: envelope.keyFields });
    else if (call?.kind === "other" || call?.kind === "agent") {
      const keyFields = shortFields(call.input);
      if (Object.keys(keyFields).length > 0) this.#outcomes.push({ result, keyFields });
    }
  }

  harvest({ messages }: HarvestContext): Harvest {
    return {
      candidates: this.#outcomes.map(({ result, keyFields }) => outcomeCandidate(result, keyFields, messages.length)),
    };
  }
}

function outcomeCandidate(
  { envelope, failed, text, place }: ResultReading,
  keyFields: JsonObject,
  length: number,
): Candidate {
  const declared = envelope.keyFields === undefined ? 0 : DECLARED_WORTH;
  return {
    section: "toolOutcomes",
    item: {
      toolName: envelope.toolName,
      outcome: failed && envelope.outcome === "success" ? "failure" : envelope.outcome,
      keyFields,
      errorMessage: failed ? errorLine(text, false) : null,
      sources: [place.messageId],
    },
    worth: declared + (place.position + 1) / length,
  };
}
