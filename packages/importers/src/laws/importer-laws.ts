import {
  AgentThread,
  digestOf,
  type MessageInput,
  messageInputSchema,
  ThreadfoldError,
  type ToolCallId,
} from "@threadfold/core";
import { brokenLaws, type Law } from "@threadfold/core/laws";
import type { ImportOptions } from "../importing/read-session.ts";
import { importSession } from "../importing/sessions.ts";
import type { SourcePointer } from "../reading/source-records.ts";
import type { ImportedSession, ImportFormat } from "../session/imported-session.ts";
import type { SessionImporter } from "../session/session-importer.ts";

/** A log to test an importer with. */
export interface ImporterSample {
  readonly bytes: Uint8Array;
  /** The format of the log. */
  readonly format: ImportFormat;
  /** Importers that are not part of this package. */
  readonly importers?: readonly SessionImporter[];
}

/** Rules that every imported session must follow. Each check returns one text per violation. */
const SESSION_CHECKS: Readonly<Record<string, (session: ImportedSession) => readonly string[]>> = {
  "message ids are unique": duplicateIds,
  "every message matches its schema": schemaBreaches,
  "a thread accepts the messages": threadRefusals,
  "every record is accounted for": unaccountedRecords,
  "every message points into the source": danglingPointers,
  "compactions name messages of the session": danglingCompactions,
};

/**
 * Returns the laws of an importer for an undamaged log of its format: the format is detected, and not in a log of no
 * known tool; two imports are equal, results carry the name of their tool, and {@link sessionLaws} hold.
 */
export function importerLaws({ bytes, format, importers = [] }: ImporterSample): readonly Law[] {
  let reading: Promise<ImportedSession> | undefined;
  const detected = () => (reading ??= importSession(bytes, { importers }));
  const sessionChecks = Object.entries(SESSION_CHECKS).map(
    ([name, check]): Law => ({ name, broken: async () => inOneText(check(await detected())) }),
  );
  return [
    ...sessionChecks,
    {
      name: "results carry the name of the tool that was called",
      broken: async () => inOneText(wrongToolNames(await detected())),
    },
    {
      name: "the format is detected",
      broken: async () => {
        const { format: found } = await detected();
        return found === format ? null : `${format} was detected as ${found}`;
      },
    },
    {
      name: "a log of no known tool is not taken for one of this format",
      broken: () => takenForOwn(importers),
    },
    {
      name: "equal bytes give an equal session",
      broken: async () => {
        const again = await importSession(Uint8Array.from(bytes), { format, importers });
        const isEqual = digestOf(contentOf(await detected())) === digestOf(contentOf(again));
        return isEqual ? null : "the second import differs from the first";
      },
    },
  ];
}

/** A log in which an importer finds nothing of its own tool. */
const NOBODYS = jsonLines([{ nobodys: 1, what: "was said" }, { nobodys: 2 }, { nobodys: 3, what: "was answered" }]);

/** Custom importers go first: one that is sure of every log keeps all others from being asked. */
async function takenForOwn(importers: readonly SessionImporter[]): Promise<string | null> {
  try {
    return `it was detected as ${(await importSession(NOBODYS, { importers })).format}`;
  } catch (error) {
    const code = ThreadfoldError.isInstance(error) ? error.code : String(error);
    return code === "UNKNOWN_FORMAT" ? null : `reading it ended in ${code}, not in UNKNOWN_FORMAT`;
  }
}

/** Returns the laws that hold for every session, including the remains of a damaged log. */
export const sessionLaws = (session: ImportedSession): readonly Law[] =>
  Object.entries(SESSION_CHECKS).map(([name, check]) => ({ name, broken: () => inOneText(check(session)) }));

const inOneText = (breaches: readonly string[]): string | null => (breaches.length === 0 ? null : breaches.join("\n"));

/** Everything in a session except the source text. */
function contentOf({ source: { text: _text, ...source }, ...session }: ImportedSession): unknown {
  return { ...session, source };
}

function duplicateIds({ messages }: ImportedSession): readonly string[] {
  const seen = new Set<string>();
  return messages.flatMap(({ id }) => (seen.size === seen.add(id).size ? [id] : []));
}

function schemaBreaches({ messages }: ImportedSession): readonly string[] {
  return messages.flatMap((message) => {
    const { error } = messageInputSchema.safeParse(message);
    return error === undefined
      ? []
      : [`${message.id}: ${error.issues[0]?.path.join(".")}: ${error.issues[0]?.message}`];
  });
}

function threadRefusals({ threadId, messages }: ImportedSession): readonly string[] {
  try {
    const thread = AgentThread.empty(threadId).append(messages);
    digestOf([...thread.messages]);
    return thread.length === messages.length ? [] : [`the thread has ${thread.length} of ${messages.length} messages`];
  } catch (error) {
    return [String(error)];
  }
}

function unaccountedRecords({ messages, malformed, nonPrompt, source }: ImportedSession): readonly string[] {
  const accounted = new Set<string>();
  for (const message of messages) {
    const { lines, paths, ...pointer } = pointerOf(message);
    accounted.add(keyOf(pointer));
    for (const line of lines ?? []) accounted.add(keyOf({ line }));
    for (const path of paths ?? []) accounted.add(keyOf({ line: pointer.line, path }));
  }
  for (const record of malformed) accounted.add(keyOf(record));
  for (const { lines, paths } of nonPrompt) {
    for (const [index, line] of lines.entries()) accounted.add(keyOf({ line, path: paths?.[index] || undefined }));
  }
  return accounted.size === source.records ? [] : [`${accounted.size} of ${source.records} records are accounted for`];
}

function danglingPointers({ messages, source }: ImportedSession): readonly string[] {
  const lines = source.text.split("\n");
  return messages.flatMap((message) => {
    const pointer = pointerOf(message);
    const all = [pointer.line, ...(pointer.lines ?? [])];
    return all.every((line) => lines[line - 1]?.trim()) ? [] : [`${message.id} points to line ${all.join(", ")}`];
  });
}

function wrongToolNames({ messages }: ImportedSession): readonly string[] {
  const names = new Map<ToolCallId, string>();
  const wrong: string[] = [];
  for (const { id, parts } of messages) {
    for (const part of parts) {
      if (part.type === "tool-call") names.set(part.callId, part.toolName);
      if (part.type !== "tool-result") continue;
      const called = names.get(part.result.callId);
      if (called !== undefined && called !== part.result.toolName)
        wrong.push(`${id}: ${part.result.toolName} answers ${called}`);
    }
  }
  return wrong;
}

function danglingCompactions({ messages, compactions }: ImportedSession): readonly string[] {
  const places = new Map<string, number>(messages.map(({ id }, index) => [id, index]));
  return compactions.flatMap(({ messageId, firstKeptMessageId }) => {
    const place = places.get(messageId);
    if (place === undefined) return [`there is no message ${messageId}`];
    if (firstKeptMessageId === undefined) return [];
    const kept = places.get(firstKeptMessageId);
    return kept !== undefined && kept < place ? [] : [`${firstKeptMessageId} is not a message before ${messageId}`];
  });
}

/** The origin of a message: one record, several lines, or several places in one line. */
type MessageSource = SourcePointer & { readonly lines?: readonly number[]; readonly paths?: readonly string[] };

const pointerOf = ({ metadata }: MessageInput): MessageSource => metadata?.source as unknown as MessageSource;

const keyOf = ({ line, path }: { readonly line: number; readonly path?: string | undefined }): string =>
  `${line} ${path ?? ""}`;

/** Realistic ways to damage a log: writers that crashed, concatenated files, editors, bad disks. */
const DAMAGES: Readonly<Record<string, (text: string) => string>> = {
  "cut off after a third": (text) => text.slice(0, Math.floor(text.length / 3)),
  "cut off near the end": (text) => text.slice(0, -20),
  "started in the middle": (text) => text.slice(Math.floor(text.length / 2)),
  "one line lost": (text) => withLines(text, (lines, middle) => lines.toSpliced(middle, 1)),
  "two lines run together": (text) =>
    withLines(text, (lines, middle) => lines.toSpliced(middle, 2, `${lines[middle] ?? ""}${lines[middle + 1] ?? ""}`)),
  "one line twice": (text) => withLines(text, (lines, middle) => lines.toSpliced(middle, 0, lines[middle] ?? "")),
  "lines shuffled": (text) => withLines(text, (lines) => lines.toReversed()),
  "records of other kinds in between": (text) =>
    withLines(text, (lines) => lines.flatMap((line) => [line, '{"type":7}', "[1]", "null"])),
  "carriage returns": (text) => text.replaceAll("\n", "\r\n"),
  "every role is unknown": (text) => text.replaceAll('"role"', '"rôle"'),
  "every id is the same": (text) => text.replaceAll(/"(id|uuid)":\s*"[^"]{1,64}"/g, '"$1":"same"'),
  "a lone surrogate in every text": (text) => text.replaceAll('"text":"', '"text":"\\ud800'),
};

/**
 * Returns the laws of an importer for damaged logs, one for each kind of damage: the import must end either in a
 * session that satisfies {@link sessionLaws} or in a typed error. Any other error is a violation, and so is losing
 * something silently.
 */
export function damageLaws({ bytes, format, importers = [] }: ImporterSample): readonly Law[] {
  const text = new TextDecoder().decode(bytes);
  return Object.entries(DAMAGES).map(([damage, inflict]) => ({
    name: `a damaged log results in a session that obeys the laws or in a typed error: ${damage}`,
    broken: async () => {
      const remains = new TextEncoder().encode(inflict(text));
      for (const asked of ["auto", format] as const) {
        const problem = await brokenByReading(remains, { format: asked, importers });
        if (problem !== null) return problem;
      }
      return null;
    },
  }));
}

async function brokenByReading(bytes: Uint8Array, options: ImportOptions): Promise<string | null> {
  try {
    const broken = await brokenLaws(sessionLaws(await importSession(bytes, options)));
    return inOneText(broken.map(({ name, problem }) => `${name}: ${problem}`));
  } catch (error) {
    return ThreadfoldError.isInstance(error) ? null : `an import fails with a typed error or not at all: ${error}`;
  }
}

function withLines(text: string, change: (lines: readonly string[], middle: number) => readonly string[]): string {
  const lines = text.split("\n");
  return change(lines, Math.floor(lines.length / 2)).join("\n");
}

/**
 * Returns a log with one JSON record per line. Strings are written verbatim, so that a log can have lines that are not
 * JSON.
 */
export function jsonLines(records: readonly unknown[]): Uint8Array {
  const lines = records.map((record) => (typeof record === "string" ? record : JSON.stringify(record)));
  return new TextEncoder().encode(`${lines.join("\n")}\n`);
}

/** Returns a log that is a single JSON document. */
export const jsonDocument = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
