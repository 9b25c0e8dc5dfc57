import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  type AgentThread,
  asMessageId,
  asThreadId,
  asToolCallId,
  type ChatMessage,
  type MessageInput,
  type Part,
  type Role,
  type ThreadfoldStore,
  visibleText,
} from "@threadfold/core";
import { pinnedClock } from "@threadfold/core/laws";
import { type ImportedSession, importSessionFile } from "@threadfold/importers";
import { type FormatId, formatById } from "@threadfold/renderer";
import { ContextSession, type SessionOptions } from "@threadfold/session";
import { createMemoryStore } from "@threadfold/stores";
import { type CompactionPreset, ladderPreset, opencodePreset, threadfoldPreset } from "@threadfold/strategies";

/** The project's own recorded session. */
export const EXAMPLE_SESSION = fileURLToPath(
  new URL("../../../../examples/sessions/a-day-on-threadfold.jsonl", import.meta.url),
);

/** The time at which the tests run. */
export const NOON = Date.UTC(2026, 2, 3, 12);

/** A recorded session in its own store, folded. */
export interface FoldedSession {
  readonly imported: ImportedSession;
  readonly store: ThreadfoldStore;
  readonly session: ContextSession;
}

/**
 * Imports a recorded session into memory and folds it, to 30 000 tokens unless `config` says otherwise.
 *
 * @param length imports only this many of its first messages.
 */
export async function foldedSession(
  file: string = EXAMPLE_SESSION,
  { config, ...options }: Partial<SessionOptions> = {},
  length?: number,
): Promise<FoldedSession> {
  const imported = await importSessionFile(file);
  const store = options.store ?? createMemoryStore({ clock: pinnedClock(NOON) });
  const session = await ContextSession.open({
    threadId: imported.threadId,
    clock: pinnedClock(NOON),
    ...options,
    store,
    // The preset that externalizes first, because these tests read what was externalized.
    preset: options.preset ?? ladderPreset,
    config: { maxInputTokens: 30_000, outputReserveTokens: 2_000, ...config },
  });
  await session.append(imported.messages.slice(0, length));
  await session.compact({ force: true });
  return { imported, store, session };
}

const createdAt = new Date(NOON).toISOString();

/** A session in the given format, on an empty thread in memory. */
export const sessionIn = (format: FormatId, options: Partial<SessionOptions> = {}): Promise<ContextSession> => {
  const clock = pinnedClock(NOON);
  const store = createMemoryStore({ clock });
  return ContextSession.open({ threadId: asThreadId("work"), clock, store, format: formatById(format), ...options });
};

/** A session that has done this many steps of work, of about 700 tokens each. */
export async function workedSession(format: FormatId, steps: number, options: Partial<SessionOptions> = {}) {
  const session = await sessionIn(format, options);
  await session.append([
    said("Do the work. Never touch the vault."),
    ...Array.from({ length: steps }, (_, step) => work(step)).flat(),
  ]);
  return session;
}

const said = (text: string): MessageInput => ({
  id: asMessageId("begin"),
  role: "user",
  createdAt,
  parts: [{ type: "text", text }],
});

function work(step: number): readonly MessageInput[] {
  const callId = asToolCallId(`work_${step}`);
  const call = { type: "tool-call" as const, callId, toolName: "run", input: { command: `make step-${step}` } };
  const content = { type: "text" as const, text: `step ${step}: ${"output ".repeat(400)}` };
  const result = { callId, toolName: "run", outcome: "success" as const, content };
  return [
    { id: asMessageId(`call-${step}`), role: "assistant", createdAt, parts: [call] },
    { id: asMessageId(`result-${step}`), role: "tool", createdAt, parts: [{ type: "tool-result", result }] },
  ];
}

const data = process.env["THREADFOLD_DATA"] ?? fileURLToPath(new URL("../../../../../shared/data", import.meta.url));

/** A session to fold and to export as another tool's file. */
interface SessionFileCase {
  readonly name: string;
  readonly file: string;
  readonly preset: CompactionPreset;
  readonly maxInputTokens: number;
}

/** The project's own session, plus the recorded ones if available: logs of several versions and tools. */
export function sessionFileCases(): readonly SessionFileCase[] {
  const cases: readonly [file: string, preset: CompactionPreset, maxInputTokens: number][] = [
    [EXAMPLE_SESSION, threadfoldPreset, 30_000],
    [EXAMPLE_SESSION, opencodePreset, 60_000],
    [EXAMPLE_SESSION, threadfoldPreset, 400_000],
    [`${data}/pi/session.jsonl.gz`, threadfoldPreset, 40_000],
    [`${data}/pi/large-session.jsonl.gz`, threadfoldPreset, 60_000],
    [`${data}/pi/derived-v3/session.v3.jsonl.gz`, threadfoldPreset, 20_000],
    [`${data}/claude-code/entire-cli/9b-04c3d92e38-4.jsonl.gz`, threadfoldPreset, 40_000],
  ];
  return cases
    .filter(([file]) => existsSync(file))
    .map(([file, preset, maxInputTokens]) => {
      const name = `${file.split("/").slice(-2).join("/")}, ${preset.name}, ${maxInputTokens}`;
      return { name, file, preset, maxInputTokens };
    });
}

/** A message as a model reads it. */
interface ReadMessage {
  readonly role: Role;
  readonly parts: readonly Part[];
}

/** What a tool with a single compaction must show of a plan's window: texts in its summary, and messages after it. */
interface ExpectedWindow {
  readonly inSummary: readonly string[];
  readonly behind: readonly ReadMessage[];
}

/**
 * Computes from a window what another tool's file must show. Turns that only a request needs are left out, and what the
 * tool itself summarized earlier is in the new summary.
 */
export function expectedWindow(window: readonly ChatMessage[], thread: AgentThread): ExpectedWindow {
  const shown = window.filter(({ synthetic }) => synthetic !== "continuation" && synthetic !== "missing-result");
  const fold = shown.findLastIndex(({ synthetic, sources }) => synthetic !== undefined && sources.length > 1);
  const isFormer = ([id]: ChatMessage["sources"]) => id !== undefined && thread.message(id)?.origin === "compaction";
  const summary = shown.filter(({ sources }, index) => index <= fold || sources.length === 0 || isFormer(sources));
  const behind = shown.filter((message) => !summary.includes(message));
  return { inSummary: summary.map(({ parts }) => visibleText({ parts })), behind: behind.map(read) };
}

const read = ({ role, parts }: ChatMessage): ReadMessage => ({ role, parts });

/**
 * Removes messages and texts without content: a request has no blank text, and no empty message for a call that was cut
 * off.
 */
export const saying = (messages: readonly ReadMessage[]): readonly ReadMessage[] =>
  messages
    .map(({ role, parts }) => ({
      role,
      parts: parts.filter((part) => part.type !== "text" || part.text.trim() !== ""),
    }))
    .filter(({ parts }) => parts.length > 0);
