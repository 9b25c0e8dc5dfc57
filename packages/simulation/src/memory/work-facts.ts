import { type JsonValue, type Message, type Part, type ToolCallPart, toolResultText } from "@threadfold/core";
import type { SessionNeeds } from "../needs/session-needs.ts";
import { pieceText } from "../policy/prompt-policy.ts";
import type { RecordedSession } from "../recording/recorded-session.ts";
import { passagesOf, type SessionWords, wordsOf } from "./passages.ts";

/**
 * What a colleague who takes over must know: what a user asked, what the agent said it had found or done, each line of
 * a handoff in the log, what was changed in which file, the outcome of a command, and what a name that a later call
 * uses belongs to.
 */
export type FactKind = "ask" | "report" | "handoff" | "edit" | "run" | "need";

export const FACT_KINDS: readonly FactKind[] = ["ask", "report", "handoff", "edit", "run", "need"];

/** Words of which this many must appear together. */
interface WordGroup {
  readonly words: readonly string[];
  readonly enough: number;
}

/** Something that was said or done, as words that distinguish it from everything else in the session. */
export interface WorkFact {
  readonly kind: FactKind;
  /** Ordinals of the messages in which it was said or done: two for a call and its result. */
  readonly ordinals: readonly number[];
  /**
   * Ordinal of the message from which it is no longer asked for: a later run of the same command, or the next handoff.
   */
  readonly until: number;
  /** All of these must be met within one passage. */
  readonly groups: readonly WordGroup[];
  /** Sentences of which one that appears word for word shows more than its words do; only for reports. */
  readonly sentences: readonly string[];
}

/** Number of rarest words that represent a text, and the share of them that must appear together. */
const TELLING_WORDS = 8;
const TELLING_SHARE = 0.5;
/** A text with fewer words cannot be distinguished from others. */
const FEWEST_WORDS = 4;
/** A request is at the beginning of a message; what follows is often pasted. */
const REQUEST_CHARACTERS = 500;
/** Shorter sentences ("Done.", "That's much better.") are said often. */
const SHORTEST_SENTENCE = 40;
const CHANGED_NAMES = 4;
const RUN_WORDS = 4;
const AROUND_NAME = 6;
const AROUND_ENOUGH = 2;

/** Returns what was said and done in a session; {@link needFacts} adds what its calls need. */
export function workFacts(session: RecordedSession, words: SessionWords): readonly WorkFact[] {
  return [requests, reports, handoffs, edits, runs].flatMap((factsOf) => [...factsOf(session, words)]);
}

const fact = (kind: FactKind, ordinals: readonly number[], groups: readonly WordGroup[]): WorkFact => ({
  kind,
  ordinals,
  until: Number.POSITIVE_INFINITY,
  groups,
  sentences: [],
});

const shareOf = (words: readonly string[], share: number): WordGroup => ({
  words,
  enough: Math.ceil(words.length * share),
});

function* requests({ messages }: RecordedSession, words: SessionWords): Generator<WorkFact> {
  for (const message of messages) {
    if (message.role !== "user" || message.origin !== undefined) continue;
    const telling = tellingWords(pieceText(message).slice(0, REQUEST_CHARACTERS), words);
    if (telling !== null) yield fact("ask", [message.ordinal], [telling]);
  }
}

function* reports({ messages }: RecordedSession, words: SessionWords): Generator<WorkFact> {
  for (const message of messages) {
    if (message.role !== "assistant") continue;
    const sentences = statementsOf(message.parts.flatMap(saidIn).join("\n"));
    const telling = tellingWords(sentences.join("\n"), words);
    if (telling !== null) yield { ...fact("report", [message.ordinal], [telling]), sentences };
  }
}

/** Calls with which agents say that they are done, and the field with their words. */
const SAID_BY_CALL: Readonly<Record<string, string>> = {
  attempt_completion: "result",
  finish: "message",
  task_done: "message",
  final_answer: "answer",
};

/** What an agent says in a part of a message. */
function saidIn(part: Part): readonly string[] {
  if (part.type === "text") return [part.text];
  if (part.type !== "tool-call" || !Object.hasOwn(SAID_BY_CALL, part.toolName)) return [];
  const { input } = part;
  const words = typeof input === "object" && input !== null ? Object.entries(input) : [];
  return words.flatMap(([name, value]) =>
    name === SAID_BY_CALL[part.toolName] && typeof value === "string" ? [value] : [],
  );
}

/** A later handoff repeats what earlier ones said, so only the newest one is asked for. */
function* handoffs({ messages }: RecordedSession, words: SessionWords): Generator<WorkFact> {
  const all = messages.filter(({ origin }) => origin === "compaction");
  for (const [index, message] of all.entries()) {
    const until = all[index + 1]?.ordinal ?? Number.POSITIVE_INFINITY;
    for (const line of pieceText(message).split("\n")) {
      const telling = words.rarest(line, TELLING_WORDS);
      if (telling.length < FEWEST_WORDS) continue;
      yield { ...fact("handoff", [message.ordinal], [shareOf(telling, TELLING_SHARE)]), until };
    }
  }
}

/**
 * Returns the rarest words of the most distinctive passage of a text, so that the text itself passes; null when no
 * passage is distinctive enough.
 */
function tellingWords(text: string, words: SessionWords): WordGroup | null {
  let best: { readonly telling: readonly string[]; readonly weight: number } | null = null;
  for (const passage of passagesOf(text)) {
    const telling = words.rarest(passage, TELLING_WORDS);
    const weight = telling.reduce((sum, word) => sum + 1 / words.count(word), 0);
    if (telling.length >= FEWEST_WORDS && (best === null || weight > best.weight)) best = { telling, weight };
  }
  return best === null ? null : shareOf(best.telling, TELLING_SHARE);
}

/** Matches announcements that something will be looked at, without naming it: nobody who takes over needs them. */
const ANNOUNCES =
  /^(?:(?:now|first|next|then|ok(?:ay)?|good|great|so)[,.!]?\s+)*(?:let me|let['’]s|i['’]ll|i will|(?:i|we) (?:(?:also|first|still) )?(?:need to|should) (?:check|examine|explore|find|look|make sure|reproduce|run|see|test|try|understand|verify)|now (?:add|check|create|fix|run|test|try|update|verify))\b[^`\d/_]*$/i;
/**
 * Matches the words that introduce a list or a call, without a name ("Here's what I found:", "Now add the methods at
 * the end:").
 */
const LEADS_IN = /^[^`\d/_]*:$/;

/**
 * Returns what a message states: its sentences except those that are too short to be distinctive ("Good, I see."), or
 * that only announce or introduce something. A message without any reports nothing that was found or done.
 */
const statementsOf = (text: string): readonly string[] =>
  [...new Set(text.split(/(?<=[.!?:])\s+|\n+/).map((sentence) => sentence.trim()))].filter(
    (sentence) => sentence.length >= SHORTEST_SENTENCE && !ANNOUNCES.test(sentence) && !LEADS_IN.test(sentence),
  );

/**
 * Input fields of a call that contain the content of a file after the call (and below, before it). They are listed here
 * separately from the code under test, so that the measurement does not depend on how that code reads them.
 */
const AFTER = [
  "new_string",
  "new_str",
  "new_text",
  "newText",
  "newString",
  "content",
  "file_text",
  "patch",
  "diff",
  "new_source",
];
const BEFORE = ["old_string", "old_str", "old_text", "oldText", "oldString"];
const PATHS = ["file_path", "path", "filePath", "filename", "notebook_path", "target_file"];
const NAME = /[A-Za-z_$][\w$]{3,}/g;

function* edits(session: RecordedSession, words: SessionWords): Generator<WorkFact> {
  for (const { message, call } of callsOf(session)) {
    for (const { path, after, before } of changesIn(call.input)) {
      const file = wordsOf(path.split(/[\\/]/).at(-1) ?? path);
      const old = new Set([...(before.match(NAME) ?? []), ...(path.match(NAME) ?? [])]);
      const names = (after.match(NAME) ?? []).filter((name) => !old.has(name)).join(" ");
      const telling = words.rarest(names, CHANGED_NAMES);
      if (file.length === 0 || telling.length === 0) continue;
      yield fact("edit", [message.ordinal], [shareOf(file, 1), shareOf(telling, 0.5)]);
    }
  }
}

interface FileChange {
  readonly path: string;
  readonly after: string;
  readonly before: string;
}

/**
 * Returns the file changes in a call's input: of one file by fields, of several by a list of them, or by the text of a
 * patch.
 */
function changesIn(input: JsonValue): readonly FileChange[] {
  const patch = typeof input === "string" ? input : patchIn(input);
  if (patch !== undefined) return patchedFiles(patch);
  if (typeof input !== "object" || input === null || Array.isArray(input)) return [];
  const path = textOf(input, PATHS);
  const edited = Object.values(input).filter(Array.isArray).flat();
  const parts = [input, ...edited] as readonly JsonValue[];
  const after = parts.map((part) => textOf(part, AFTER) ?? "").join("\n");
  if (path === undefined || after.trim() === "") return [];
  return [{ path, after, before: parts.map((part) => textOf(part, BEFORE) ?? "").join("\n") }];
}

const PATCH = "*** Begin Patch";

function patchIn(input: JsonValue): string | undefined {
  if (typeof input !== "object" || input === null) return undefined;
  const texts = Object.values(input).flat();
  return texts.find((text): text is string => typeof text === "string" && text.includes(PATCH));
}

function patchedFiles(patch: string): readonly FileChange[] {
  return patch
    .split(/^\*\*\* (?:Update|Add) File: /m)
    .slice(1)
    .map((section) => {
      const [path = "", ...lines] = section.split("\n");
      const of = (sign: string) => lines.filter((line) => line.startsWith(sign)).join("\n");
      return { path: path.trim(), after: of("+"), before: of("-") };
    });
}

function textOf(value: JsonValue, fields: readonly string[]): string | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const record = value as Readonly<Record<string, JsonValue | undefined>>;
  for (const field of fields) {
    const found = record[field];
    if (typeof found === "string" && found !== "") return found;
  }
  return undefined;
}

const COMMANDS = ["command", "cmd", "script"];
const FAILURE = /\b(?:error|fail(?:ed|ure|s)?|exception|not found|denied|panic|traceback|cannot|unable)\b/i;
const COUNT = /\b\d+ (?:passed|failed|tests?|errors?|warnings?|files?)\b|\bexit(?:ed)?(?: code| with)?[: ]+\d+/i;

function* runs(session: RecordedSession, words: SessionWords): Generator<WorkFact> {
  const results = resultsOf(session);
  /** Index of the latest run of each command among all runs. */
  const latest = new Map<string, number>();
  const all: WorkFact[] = [];
  for (const { message, call } of callsOf(session)) {
    const command = commandOf(call.input);
    const result = results.get(call.callId);
    if (command === undefined || result === undefined) continue;
    const asked = words.rarest(command.slice(0, 200), RUN_WORDS);
    const came = words.rarest(outcomeLine(result.text), RUN_WORDS);
    if (asked.length === 0 || came.length === 0) continue;
    const former = latest.get(command);
    if (former !== undefined) all[former] = { ...(all[former] as WorkFact), until: result.ordinal };
    latest.set(command, all.length);
    all.push(fact("run", [message.ordinal, result.ordinal], [shareOf(asked, 0.5), shareOf(came, 0.5)]));
  }
  yield* all;
}

function commandOf(input: JsonValue): string | undefined {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return undefined;
  const list = (input as Readonly<Record<string, JsonValue | undefined>>)["command"];
  const text = Array.isArray(list)
    ? list.filter((word) => typeof word === "string").join(" ")
    : textOf(input, COMMANDS);
  return text?.trim() === "" ? undefined : text?.trim();
}

/** Returns the line of a result that shows its outcome: its first failure, else its last count, else its last line. */
function outcomeLine(text: string): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const line = lines.find((one) => FAILURE.test(one)) ?? lines.findLast((one) => COUNT.test(one)) ?? lines.at(-1) ?? "";
  return line.slice(0, REQUEST_CHARACTERS);
}

function* callsOf({
  messages,
}: RecordedSession): Generator<{ readonly message: Message; readonly call: ToolCallPart }> {
  for (const message of messages)
    for (const part of message.parts) if (part.type === "tool-call") yield { message, call: part };
}

function resultsOf({
  messages,
}: RecordedSession): ReadonlyMap<string, { readonly text: string; readonly ordinal: number }> {
  const results = new Map<string, { readonly text: string; readonly ordinal: number }>();
  for (const { parts, ordinal } of messages)
    for (const part of parts)
      if (part.type === "tool-result")
        results.set(part.result.callId, { text: toolResultText(part.result.content), ordinal });
  return results;
}

/**
 * Returns, for each call, the names that it uses and that were last seen long ago, each with words that appeared around
 * it where it was last given.
 */
export function needFacts(
  { messages, calls }: RecordedSession,
  { byCall, patterns }: SessionNeeds,
  words: SessionWords,
): readonly (readonly WorkFact[])[] {
  const texts = messages.map(pieceText);
  return calls.map(({ index, answer }) => {
    const end = (answer[0] as Message).ordinal;
    return (byCall[index] ?? []).flatMap(({ pattern, cold }): readonly WorkFact[] => {
      const name = patterns[pattern] as string;
      const source = cold ? lastGiven(messages, texts, name, end) : undefined;
      if (source === undefined) return [];
      const named = new Set(wordsOf(name));
      const around = words
        .rarest(lineAround(texts[source] as string, name), AROUND_NAME + named.size)
        .filter((word) => !named.has(word))
        .slice(0, AROUND_NAME);
      if (named.size === 0 || around.length < AROUND_ENOUGH) return [];
      const groups = [shareOf([...named], 1), { words: around, enough: AROUND_ENOUGH }];
      return [fact("need", [source], groups)];
    });
  });
}

function lastGiven(
  messages: readonly Message[],
  texts: readonly string[],
  name: string,
  end: number,
): number | undefined {
  for (let ordinal = end - 1; ordinal >= 0; ordinal--) {
    const { role, origin } = messages[ordinal] as Message;
    if (role !== "assistant" && origin !== "compaction" && (texts[ordinal] as string).includes(name)) return ordinal;
  }
  return undefined;
}

/** Returns the line that contains a name, cut to a passage around it. */
function lineAround(text: string, name: string): string {
  const at = text.indexOf(name);
  const start = Math.max(text.lastIndexOf("\n", at) + 1, at - REQUEST_CHARACTERS / 2);
  const end = text.indexOf("\n", at);
  return text.slice(start, Math.min(end === -1 ? text.length : end, at + REQUEST_CHARACTERS / 2));
}
