import { type ErrorItem, fileName, type JsonObject } from "@threadfold/core";
import { statementKey } from "../../text/excerpt.ts";
import { type CallReading, shortFields } from "../reading/call-reading.ts";
import {
  commandError,
  fewCharacters,
  isSilent,
  lastLines,
  listedNames,
  outputLines,
  printedError,
  type ResultReading,
  repeatedEnds,
  toolError,
} from "../reading/result-reading.ts";
import { notableCommand, printsNewestFirst, reportedResult, saysBySilence } from "../reading/shell-command.ts";
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
  /** The lines of a command that only looked: it changed and checked nothing. Empty for other commands. */
  readonly looks: readonly string[];
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
const MAX_LOOK = 110;
const MAX_LAST = 100;
/** Length of each of two lines that represent a script or an output. */
const MAX_END = 60;
const APART = " … ";
/** Length of the names of a listing, which follow their number. */
const MAX_LISTED = 80;

/** Finds the commands that matter with their last outcome, and the errors that they showed with their resolution. */
export class RunCollector implements SpanCollector {
  readonly #paths: SpanPaths;
  readonly #runs = new Map<string, Run>();
  readonly #open = new Map<string, Trouble>();
  readonly #troubles: Trouble[] = [];
  /** Subjects that ran without an error, in this span. */
  readonly #passed = new Map<string, Place>();
  /** Files that were read and not found, by name without folders, with their subjects. */
  readonly #missed = new Map<string, string>();
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
    if (!failed) for (const { path } of call.files) this.#find(path);
    if (call.kind === "shell") this.#takeCommand(call, result);
    else if (failed) this.#takeFailure(call, result);
    else this.#settle(subjectOf(call), result.place);
    if (!failed) for (const { path, action } of call.files) if (action !== "read") this.#changes.push(path);
  }

  #takeCommand(call: CallReading, result: ResultReading): void {
    const { script, command: first } = call;
    if (script === null || first === null) return;
    const command = notableCommand(script);
    if (command === null) return this.#takeLook(call, script, result);
    const { text, exitCode, failed, place } = result;
    const error = commandError(result, command);
    this.#keep({
      command,
      toolName: call.toolName,
      result: reportedResult(command, text),
      last: lastLines(text),
      printed: null,
      isSilent: isSilent(text),
      exitCode,
      failed: failed || error !== null,
      error,
      place,
      looks: [],
    });
    const subject = `\`${command.slice(0, MAX_SUBJECT).toWellFormed()}\``;
    if (error !== null) return this.#trouble(subject, error, place);
    this.#settle(subject, place);
    this.#changes = [];
  }

  /** Records a command that only looks: its outcome is kept while there is room, and its failure is no lesson. */
  #takeLook({ toolName, command: first, lastLine }: CallReading, script: string, result: ResultReading): void {
    const { text, envelope, exitCode, failed, place } = result;
    const looks = [first, lastLine].flatMap((line) => line?.replaceAll("`", "'") ?? []);
    const command = looks.join(APART);
    const error = failed ? printedError(text) : null;
    // In a JSON body a number may be a code or a duration, and lines are values.
    const isJson = envelope.content.type === "json";
    const whole = listedNames(text, MAX_LISTED) ?? (isJson ? null : fewCharacters(text));
    const lines = isJson ? null : outputLines(text);
    const newest = printsNewestFirst(command) ? lines?.first : undefined;
    this.#keep({
      command,
      toolName,
      result: error === null ? reportedResult(script, text) : null,
      last: whole === null ? lastLines(text) : [whole],
      printed: whole === null && lines !== null ? { ...lines, first: newest } : null,
      isSilent: isSilent(text),
      exitCode,
      failed,
      error,
      place,
      looks,
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
    const error = toolError(text);
    if (error === "") return;
    this.#trouble(subjectOf(call), error, place);
    for (const { path, action } of call.files) if (action === "read") this.#missed.set(fileName(path), subjectOf(call));
  }

  /** Forgets that a file could not be read, as it was found after all, there or in another folder. */
  #find(path: string): void {
    const subject = this.#missed.get(fileName(path)) ?? "";
    const trouble = this.#open.get(subject);
    if (trouble !== undefined) trouble.resolution = SUCCEEDED;
    this.#open.delete(subject);
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
    const frames = repeatedEnds([...this.#runs.values()].map(({ last }) => last));
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
    const { looks } = run;
    const room = looks.length === 1 ? MAX_LOOK : MAX_END;
    const command = looks.length === 0 ? run.command : looks.map((line) => this.#paths.line(line, room)).join(APART);
    const keyFields: JsonObject = {
      command,
      ...(run.exitCode !== null && { exitCode: run.exitCode }),
      ...(came !== null && { result: came }),
    };
    const told = (looks.length > 0 ? 0 : 1) + (run.result === null ? 0 : 1) + (run.failed ? 0.5 : 0);
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
/** Names of tools that only note what the agent thinks. */
const THINKS = /(?:^|[^a-z]|sequential)(?:think|thought)/i;
const ANSWER = /^(?!(?:ok|done|success|true|null|\W{1,100})$)[^\n]{1,100}$/i;

/** The answer of a tool, if it is one short line that says something, such as a sum that was asked for. */
const answerOf = ({ text, failed }: ResultReading): JsonObject =>
  failed || !ANSWER.test(text.trim()) ? {} : { result: text.trim() };

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
      const keyFields = { ...answerOf(result), ...shortFields(call.input) };
      if (Object.keys(keyFields).length > 0 && !THINKS.test(call.toolName)) this.#outcomes.push({ result, keyFields });
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
      errorMessage: failed ? printedError(text) : null,
      sources: [place.messageId],
    },
    worth: declared + (place.position + 1) / length,
  };
}
