import { type AgentThread, type Message, visibleText } from "@threadfold/core";
import { recordedSession, type SessionNeeds, sessionNeeds } from "@threadfold/simulation";
import type { RequestTables } from "../requests/request-tables.ts";
import { callBlocks } from "../rows/call-row.ts";

/** Something that a call named in its arguments, that a message said, and that was nowhere in the call's request. */
export interface LateNeed {
  /** Ordinal of the message. */
  readonly message: number;
  readonly call: number;
  readonly text: string;
}

/** The data that is searched. */
export interface NeedSources {
  readonly thread: AgentThread;
  readonly tables: Pick<RequestTables, "calls" | "blocks" | "texts">;
  /** Checks whether the newest request does not show a message unchanged. */
  isGone(ordinal: number): boolean;
}

/**
 * Finds what calls used of messages that were missing from their request: the same needs that `threadfold simulate`
 * counts, but in the requests that were really made. Every text is read once.
 */
export function lateNeeds({ thread, tables, isGone }: NeedSources): readonly LateNeed[] {
  const session = recordedSession(
    { threadId: thread.id, format: "", system: [], messages: [...thread.messages] },
    thread.id,
  );
  const needs = sessionNeeds(session);
  const sources = needSources(thread, needs, isGone);
  const prompts = new PromptPatterns(thread, tables, needs);
  const found: LateNeed[] = [];
  for (const { index, answer } of session.calls) {
    const ordinal = ordinalOf(answer[0], thread);
    const call = callBefore(tables.calls.columns.messages, ordinal);
    if (call < 0) continue;
    prompts.moveTo(call);
    for (const { pattern } of needs.byCall[index] ?? []) {
      if (prompts.shows(pattern)) continue;
      const text = needs.patterns[pattern] as string;
      for (const message of sources.get(pattern) ?? []) if (message < ordinal) found.push({ message, call, text });
    }
  }
  return found;
}

const ordinalOf = (message: Message | undefined, thread: AgentThread): number =>
  (message === undefined ? undefined : thread.message(message.id)?.ordinal) ?? -1;

/** Returns, for each pattern, the folded messages that contain it. */
function needSources(
  thread: AgentThread,
  { byCall, scanner }: SessionNeeds,
  isGone: NeedSources["isGone"],
): ReadonlyMap<number, readonly number[]> {
  const wanted = new Set(byCall.flatMap((needs) => needs.map(({ pattern }) => pattern)));
  const sources = new Map<number, number[]>();
  for (const message of thread.messages) {
    if (!isGone(message.ordinal)) continue;
    for (const pattern of scanner.scan(visibleText(message))) {
      if (!wanted.has(pattern)) continue;
      const ordinals = sources.get(pattern);
      if (ordinals === undefined) sources.set(pattern, [message.ordinal]);
      else ordinals.push(message.ordinal);
    }
  }
  return sources;
}

/** Returns the newest call whose request was made when the thread had at most this many messages; -1 for none. */
function callBefore(messages: readonly number[], ordinal: number): number {
  let [low, high] = [0, messages.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((messages[middle] as number) <= ordinal) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/**
 * Tracks which patterns are in a call's request, from one call to a later one. A block is read when it first appears.
 */
class PromptPatterns {
  readonly #thread: AgentThread;
  readonly #tables: NeedSources["tables"];
  readonly #scanner: SessionNeeds["scanner"];
  readonly #counts: Int32Array;
  readonly #found = new Map<number, readonly number[]>();
  #call = -1;
  #blocks: readonly number[] = [];

  constructor(thread: AgentThread, tables: NeedSources["tables"], { scanner, patterns }: SessionNeeds) {
    this.#thread = thread;
    this.#tables = tables;
    this.#scanner = scanner;
    this.#counts = new Int32Array(patterns.length);
  }

  shows(pattern: number): boolean {
    return (this.#counts[pattern] as number) > 0;
  }

  moveTo(call: number): void {
    if (call === this.#call) return;
    const { calls, blocks } = this.#tables;
    const now = callBlocks({ calls: calls.columns, blocks: blocks.columns }, call);
    let shared = 0;
    while (shared < now.length && now[shared] === this.#blocks[shared]) shared++;
    this.#count(this.#blocks.slice(shared), -1);
    this.#count(now.slice(shared), 1);
    this.#blocks = now;
    this.#call = call;
  }

  #count(blocks: readonly number[], step: 1 | -1): void {
    for (const block of blocks)
      for (const pattern of this.#patternsOf(block)) this.#counts[pattern] = (this.#counts[pattern] as number) + step;
  }

  #patternsOf(block: number): readonly number[] {
    const known = this.#found.get(block);
    if (known !== undefined) return known;
    const found = this.#scanner.scan(this.#textOf(block));
    this.#found.set(block, found);
    return found;
  }

  #textOf(block: number): string {
    const { blocks, texts } = this.#tables;
    const text = texts[blocks.cell(block, "text")];
    if (text !== undefined) return text;
    const message = this.#thread.messageAt(blocks.cell(block, "from"));
    return message === undefined ? "" : visibleText(message);
  }
}
