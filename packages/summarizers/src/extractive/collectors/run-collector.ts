import { type ErrorItem, fileName, LongMap, type SummaryChange, type ToolOutcome } from "@threadfold/core";
import { statementKey } from "../../text/excerpt.ts";
import { type CallReading, onlyNarrates } from "../reading/call-reading.ts";
import { repeatedEnds } from "../reading/result-frame.ts";
import { type ResultReading, toolError } from "../reading/result-reading.ts";
import { coversRun, isSameRun, notableCommand, runKey } from "../reading/shell-command.ts";
import type { Place, Speech } from "../reading/speech.ts";
import { lookRun, notableRun, type Run, runOutcome } from "./run-outcome.ts";
import type { Candidate, Harvest, HarvestContext, SpanCollector, SpanPaths } from "./span-collector.ts";

/** An error, from the run that first showed it to the run that no longer does. */
interface Trouble {
  readonly subject: string;
  readonly error: string;
  readonly places: Place[];
  resolution: string | null;
}

const GAVE_WAY = "replaced by the next error";
const SUCCEEDED = "succeeded later";
/** For a file that was not there when it was read. */
const LOOKED_FOR = "only looked for";
/** For an error that no later turn showed again: it went away somehow, even if no run says how. */
const NOT_SEEN_AGAIN = "not seen again in later turns";
const MAX_SUBJECT = 100;
const MAX_FIXES = 3;
/** Finds the commands that matter with their last outcome, and the errors that they showed with their resolution. */
export class RunCollector implements SpanCollector {
  readonly #paths: SpanPaths;
  /** The newest outcome of each command. */
  readonly #runs = new Map<string, Run>();
  /** What commands in the background have printed so far, and by which names it is read. */
  readonly #ongoing = new Map<CallReading, Pick<ResultReading, "text" | "sessions">>();
  readonly #open = new Map<string, Trouble>();
  readonly #troubles: Trouble[] = [];
  /** Subjects that ran without an error, in this span. */
  readonly #passed = new LongMap<Place>();
  /** The newest spellings of the commands in this span, by what is the same in all spellings of a run. */
  readonly #spellings = new Map<string, readonly string[]>();
  /** The runs of tests that passed, by command, in this span. */
  readonly #green = new Map<string, Place>();
  /** Files that were read and not found, by name without folders, with their subjects. */
  readonly #missed = new Map<string, string>();
  /** Names of the files that calls used without an error. */
  readonly #found = new LongMap<true>();
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
    if (failed) return;
    for (const { path, action } of call.files) if (action !== "read") this.#changes.push(path);
    // What is moved is deleted in one place and created in another.
    if (call.files.some(({ action }) => action === "created")) return;
    for (const { path, action } of call.files) if (action === "deleted") this.#giveUp(fileName(path));
  }

  /** Closes what was open of runs of a script that is deleted: nothing runs it again. */
  #giveUp(script: string): void {
    for (const [subject, trouble] of this.#open) {
      const words = commandIn(subject).split(" ");
      if (!words.some((word) => fileName(word) === script)) continue;
      trouble.resolution = `${script} was deleted`;
      this.#open.delete(subject);
    }
  }

  #takeCommand(call: CallReading, read: ResultReading): void {
    const { script } = call;
    if (script === null || call.command === null || (onlyNarrates(call) && !read.failed)) return;
    const result = this.#withEarlierReads(call, read);
    const command = notableCommand(script);
    const run = command === null ? lookRun(call, script, result) : notableRun(call, script, command, result);
    this.#runs.delete(run.command);
    this.#runs.set(run.command, run);
    if (command === null) return;
    const subject = quoted(command);
    this.#respell(command, subject);
    if (!run.passed) this.#green.delete(command);
    if (run.error !== null) return this.#trouble(subject, run.error, run.place);
    if (run.passed) this.#settleParts(command, run.place);
    this.#settle(subject, run.place);
    this.#changes = [];
  }

  /** Keeps what is open of the same run under its newest spelling, and forgets what became of it under another one. */
  #respell(command: string, subject: string): void {
    const key = runKey(command);
    const known = this.#spellings.get(key) ?? [];
    for (const other of known) {
      if (other === command || !isSameRun(other, command)) continue;
      if (this.#runs.get(other)?.failed) this.#runs.delete(other);
      this.#green.delete(other);
      const trouble = this.#open.get(quoted(other));
      if (trouble === undefined) continue;
      this.#open.delete(quoted(other));
      this.#open.set(subject, trouble);
    }
    this.#spellings.set(key, [...known.filter((other) => !isSameRun(other, command)), command]);
  }

  /** The newest spelling in this span of a run that an earlier fold told of. */
  #spellingOf(command: string): string | undefined {
    return this.#spellings.get(runKey(command))?.find((other) => isSameRun(other, command));
  }

  /** Settles what failed in runs of some of the tests, once all of them passed. */
  #settleParts(command: string, place: Place): void {
    this.#green.set(command, place);
    for (const subject of [...this.#open.keys()]) {
      const part = commandIn(subject);
      if (part === command || !coversRun(command, part)) continue;
      this.#settle(subject, place);
      this.#runs.delete(part);
    }
  }

  /** A result with what the same command printed before it, for a command in the background. */
  #withEarlierReads(call: CallReading, result: ResultReading): ResultReading {
    const before = this.#ongoing.get(call);
    const isWhole = before === undefined || before.text === "" || result.text.startsWith(before.text);
    const text = isWhole ? result.text : `${before.text}\n${result.text}`.trimEnd();
    const sessions = before?.sessions ?? result.sessions;
    if (before !== undefined || result.state === "running") this.#ongoing.set(call, { text, sessions });
    return { ...result, text, sessions };
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
    this.#found.set(fileName(path), true);
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

  harvest({ messages: { length }, previous }: HarvestContext): Harvest {
    const before = new Map((previous?.errors ?? []).map((item) => [item.error, item]));
    const frames = repeatedEnds([...this.#runs.values()].map(({ last }) => last));
    const ran = new Map((previous?.toolOutcomes ?? []).map(({ keyFields, id }) => [keyFields["command"], id]));
    for (const subject of this.#missed.values()) {
      const trouble = this.#open.get(subject);
      if (trouble !== undefined) trouble.resolution = LOOKED_FOR;
    }
    const found = onePerError(this.#troubles.filter(isTelling)).map((trouble) => {
      const candidate = errorOf(trouble, length);
      const earlier = before.get(candidate.item.error);
      before.delete(candidate.item.error);
      return earlier === undefined ? candidate : { ...candidate, supersedes: earlier.id };
    });
    const left = [...before.values()];
    const red = (previous?.toolOutcomes ?? []).filter((item) => this.#isOutdated(item));
    const over = left.filter((item) => this.#wentWell(item) || this.#gaveWay(item));
    return {
      changes: [
        ...red.map(({ id }) => resolved("toolOutcomes", id, "ran since, or as a part of all tests, which passed")),
        ...over.map((item) => resolved("errors", item.id, this.#gaveWay(item) ? GAVE_WAY : SUCCEEDED)),
      ],
      candidates: [
        ...[...this.#runs.values()].map((run) => runOutcome(run, { length, ran, frames, paths: this.#paths })),
        ...found,
        ...left.filter((item) => !over.includes(item)).flatMap((item) => this.#resolvedSince(item)),
      ],
    };
  }

  /**
   * An error of an earlier fold that is resolved here: its subject succeeded, or a later turn did not show it again.
   */
  #resolvedSince(item: ErrorItem): readonly Candidate[] {
    if (item.resolution !== null) return [];
    const passed = this.#passedOf(item.error) ?? this.#greenOf(item);
    const place = passed ?? this.#turn;
    const key = statementKey(item.error);
    const isSeen = (): boolean => this.#troubles.some(({ error }) => key.includes(statementKey(error)));
    if (place === null || (passed === undefined && isSeen())) return [];
    const { id, ...rest } = item;
    const sources = [...new Set([...item.sources, place.messageId])];
    const resolution = passed === undefined ? NOT_SEEN_AGAIN : SUCCEEDED;
    return [{ section: "errors", item: { ...rest, resolution, sources }, worth: 1, supersedes: id }];
  }

  /** True for a failed call of an earlier fold, other than a command, that went well since or whose file was found. */
  #wentWell({ error, resolution }: ErrorItem): boolean {
    if ((resolution !== null && resolution !== LOOKED_FOR) || error.startsWith("`")) return false;
    const missing = MISSING.exec(error)?.[1];
    return (missing !== undefined && this.#found.has(fileName(missing))) || this.#passedOf(error) !== undefined;
  }

  /** True for an unresolved error of a run that shows another error now. */
  #gaveWay({ error, resolution }: ErrorItem): boolean {
    const newest = this.#spellingOf(commandIn(error));
    return resolution === null && newest !== undefined && this.#open.has(quoted(newest));
  }

  /** Where the subject of an error of an earlier fold went well, which is what it says before a colon. */
  #passedOf(error: string): Place | undefined {
    const spelled = this.#spellingOf(commandIn(error));
    if (spelled !== undefined) return this.#passed.get(quoted(spelled));
    const places = [...error.matchAll(/: /g)].map(({ index }) => this.#passed.get(error.slice(0, index)));
    return places.find((place) => place !== undefined);
  }

  /** Where all tests passed some of which an error of an earlier fold is about. */
  #greenOf({ error }: ErrorItem): Place | undefined {
    return [...this.#green].find(([command]) => coversRun(command, commandIn(error)))?.[1];
  }

  /** True for a failed run that an earlier fold told of, when it ran since in other words, or all tests passed since. */
  #isOutdated({ outcome, declared, keyFields }: ToolOutcome): boolean {
    const part = String(keyFields["command"] ?? "");
    if (outcome !== "failure" || declared || this.#runs.has(part)) return false;
    const ranSince = part !== "" && this.#spellingOf(part) !== undefined;
    return ranSince || [...this.#green.keys()].some((command) => coversRun(command, part));
  }
}

const quoted = (command: string): string => `\`${command.slice(0, MAX_SUBJECT).toWellFormed()}\``;

/** The command in backticks that an error begins with, or an empty text. */
const commandIn = (error: string): string => /^`([^`]*)`/.exec(error)?.[1] ?? "";

/** The file in the error of a call that did not find it. */
const MISSING = /^\S+ (\S+): .{0,200}\b(?:does not exist|no such file|file not found)/i;

const resolved = (section: "errors" | "toolOutcomes", itemId: string, reason: string) =>
  ({ op: "resolve", section, itemId, reason }) satisfies SummaryChange;

const subjectOf = ({ toolName, files }: CallReading): string => [toolName, files[0]?.path].filter(Boolean).join(" ");

/** False for errors that went away without a change or were followed by the next error. */
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
  const worth =
    (last.position + 1) / length +
    (resolution === null || resolution === LOOKED_FOR ? 0.5 : 1) +
    Math.min(1, places.length / 4);
  return { section: "errors", item: { error: `${subject}: ${error}`, resolution, sources }, worth };
}
