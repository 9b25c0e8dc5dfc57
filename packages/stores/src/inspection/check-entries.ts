import {
  canonicalJson,
  nextThreadLink,
  parseJson,
  placeMessage,
  sha256,
  THREAD_CHAIN_START,
  type ThreadEntry,
  threadEntrySchema,
} from "@threadfold/core";
import type { Problem } from "./store-finding.ts";
import type { StoredEntry } from "./stored-rows.ts";

/** What is known of a log once it was checked. */
export interface CheckedLog {
  readonly problem: Problem;
  /** The thread's digest at version n, from 0. It ends before the first bad entry. */
  readonly links: readonly string[];
  /** At which version each message came in. */
  readonly arrivals: ReadonlyMap<string, number>;
}

/** What an entry row has to say beside its body. */
type Header = Pick<StoredEntry, "version" | "kind" | "messageId" | "pinId" | "messages" | "turn" | "step">;

const START: Header = { version: 0, kind: "", messageId: null, pinId: null, messages: 0, turn: 0, step: 0 };

/**
 * Follows a log from its start: bodies, digests, links and headers.
 *
 * @param isErased true when bodies are gone by right; their digests and links still have to hold.
 */
export async function checkEntries(rows: AsyncIterable<StoredEntry>, isErased = false): Promise<CheckedLog> {
  const links = [THREAD_CHAIN_START];
  const arrivals = new Map<string, number>();
  let before = START;
  for await (const row of rows) {
    const problem =
      chainProblem(row, before, links.at(-1) as string, isErased) ??
      headerProblem(row, before) ??
      repetition(row, arrivals);
    if (problem !== null) return { problem: { at: before.version + 1, problem }, links, arrivals };
    links.push(row.link);
    if (row.messageId !== null) arrivals.set(row.messageId, row.version);
    before = row;
  }
  return { problem: null, links, arrivals };
}

function chainProblem(row: StoredEntry, before: Header, link: string, isErased: boolean): string | null {
  if (row.version !== before.version + 1) return "it is missing";
  if (row.body === null && !isErased) return "its body is gone";
  if (row.body !== null && sha256(row.body) !== row.digest) return "its body does not match its digest";
  return nextThreadLink(link, row.digest) === row.link ? null : "it does not link to the entry before";
}

function headerProblem(row: StoredEntry, before: Header): string | null {
  if (row.body === null) return null;
  const entry = parseEntry(row.body);
  if (entry === null) return "its body is no entry";
  const expected = headerAfter(before, entry);
  const wrong = (Object.keys(expected) as (keyof Header)[]).find((name) => row[name] !== expected[name]);
  return wrong === undefined ? null : `its header and its body disagree on ${wrong}`;
}

function repetition({ messageId }: StoredEntry, arrivals: ReadonlyMap<string, number>): string | null {
  const earlier = messageId === null ? undefined : arrivals.get(messageId);
  return earlier === undefined ? null : `its message is entry ${earlier} already`;
}

function parseEntry(body: string): ThreadEntry | null {
  try {
    const parsed = parseJson(body);
    return threadEntrySchema.safeParse(parsed).success && canonicalJson(parsed) === body
      ? (parsed as ThreadEntry)
      : null;
  } catch {
    return null;
  }
}

function headerAfter({ version, messages, turn, step }: Header, entry: ThreadEntry): Header {
  const next = { version: version + 1, kind: entry.type, messageId: null, pinId: null, messages, turn, step };
  switch (entry.type) {
    case "message": {
      const place = placeMessage({ turn, step }, entry.message);
      return { ...next, ...place, messageId: entry.message.id, messages: messages + 1 };
    }
    case "pin":
      return { ...next, pinId: entry.pin.id };
    case "pin-lifted":
      return { ...next, pinId: entry.pinId };
  }
}
