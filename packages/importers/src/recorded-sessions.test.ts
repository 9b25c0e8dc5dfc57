import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import type { Message, MessageInput, Part } from "@threadfold/core";
import { AgentThread } from "@threadfold/core";
import { beforeAll, describe, expect, it } from "vitest";
import { importSessionFile } from "./import-session.ts";
import type { ImportedSession, ImportFormat } from "./imported-session.ts";
import { damageLaws } from "./laws/damage-laws.ts";
import { importerLaws } from "./laws/importer-laws.ts";

const data = process.env.THREADFOLD_DATA ?? fileURLToPath(new URL("../../../../shared/data", import.meta.url));
const isPresent = existsSync(data);

/** Said in the title of each group, so that a skipped one tells why. */
const NEED = "needs recorded sessions in THREADFOLD_DATA or ../shared/data";

const FOLDERS: readonly (readonly [string, ImportFormat])[] = [
  ["pi", "pi"],
  ["pi/derived-v3", "pi"],
  ["pi/small-fixtures", "pi"],
  ["claude-code/agentcmd", "claude-code"],
  ["claude-code/entire-cli", "claude-code"],
  ["trajectories/openai-chat", "openai-chat"],
  ["trajectories/anthropic-messages", "anthropic-messages"],
];

const files = FOLDERS.flatMap(([folder, format]) =>
  isPresent
    ? readdirSync(join(data, folder))
        .filter((name) => /\.jsonl?(\.gz)?$/.test(name))
        .map((name) => ({ path: `${folder}/${name}`, format }))
    : [],
);

const open = (path: string) => importSessionFile(join(data, path));
const partsOf = <Type extends Part["type"]>(messages: readonly MessageInput[], type: Type) =>
  messages.flatMap(({ parts }) => parts.filter((part): part is Extract<Part, { type: Type }> => part.type === type));

/** The line that a message points to, or 0. */
function lineOf(message: MessageInput | undefined): number {
  const source = message?.metadata?.source as { readonly line: number } | undefined;
  return source?.line ?? 0;
}

/** The rows of the tables that describe the recorded files: user messages, calls, results and compactions. */
function describedFigures(): ReadonlyMap<string, readonly number[]> {
  const figures = new Map<string, readonly number[]>();
  for (const folder of ["pi", "claude-code", "trajectories"]) {
    for (const row of readFileSync(join(data, folder, "SOURCE.md"), "utf8").split("\n")) {
      const [, name = "", ...cells] = row.split("|").map((cell) => cell.trim());
      if (/^\d+$/.test(cells[0] ?? "")) figures.set(`${folder}/${name}`, cells.slice(0, 4).map(Number));
    }
  }
  return figures;
}

/** Calls that no result answers. Ids are reused, so each result answers one call. */
function unanswered(messages: readonly MessageInput[]): number {
  const answers = new Map<string, number>();
  for (const { result } of partsOf(messages, "tool-result"))
    answers.set(result.callId, (answers.get(result.callId) ?? 0) + 1);
  const isAnswered = (callId: string) => {
    const left = answers.get(callId) ?? 0;
    answers.set(callId, left - 1);
    return left > 0;
  };
  return partsOf(messages, "tool-call").filter(({ callId }) => !isAnswered(callId)).length;
}

/** The real compactions of pi: entries from the first kept one to the compaction, and tokens before it. */
const KEPT_TAILS = [
  [66, 175_004],
  [77, 185_014],
  [107, 186_045],
];

describe.skipIf(!isPresent)(`every recorded session (${NEED})`, () => {
  const figures = isPresent ? describedFigures() : new Map<string, readonly number[]>();

  it.each(files)("$path keeps the laws and has the described figures", async ({ path, format }) => {
    const bytes = readFileSync(join(data, path));
    expect(await importerLaws({ bytes, format })).toEqual([]);
    const { messages, compactions } = await open(path);
    const users = messages.filter(({ role, origin }) => role === "user" && origin !== "compaction").length;
    const counted = [
      users,
      partsOf(messages, "tool-call").length,
      partsOf(messages, "tool-result").length,
      compactions.length,
    ];
    expect(counted).toEqual(figures.get(path));
  });

  it.each([
    "pi/session.jsonl.gz",
    "claude-code/agentcmd/full-session-two.jsonl",
    "claude-code/entire-cli/01-3118c3a750-0.jsonl.gz",
    "trajectories/openai-chat/iso-bench-vllm-core-0007.json.gz",
    "trajectories/anthropic-messages/iso-bench-vllm-core-0009.json",
  ])("%s survives damage", async (path) => {
    const raw = readFileSync(join(data, path));
    const bytes = raw[0] === 0x1f ? gunzipSync(raw) : raw;
    const { format } = files.find((file) => file.path === path) as (typeof files)[number];
    expect(await damageLaws({ bytes, format })).toEqual([]);
  });
});

describe.skipIf(!isPresent)(`quirks of pi sessions (${NEED})`, () => {
  let session: ImportedSession;
  beforeAll(async () => {
    session = await open("pi/session.jsonl.gz");
  });

  it("reports line 440 of session.jsonl, where two records run together, and skips it alone", () => {
    expect(session.malformed).toMatchObject([{ line: 440, problem: expect.stringContaining("position 939") }]);
    expect(session.messages.map(lineOf)).toEqual(expect.arrayContaining([439, 441]));
  });

  it("reads the derived version 3 of a session as the same messages", async () => {
    const derived = await open("pi/derived-v3/session.v3.jsonl.gz");
    const withoutPlace = ({ id: _id, metadata: _metadata, ...message }: MessageInput) => message;
    expect(derived.messages.map(withoutPlace)).toEqual(session.messages.map(withoutPlace));
    const kept = ({ messages, compactions: [compaction] }: ImportedSession) =>
      messages.findIndex(({ id }) => id === compaction?.firstKeptMessageId);
    expect(kept(derived)).toBe(kept(session));
    expect(kept(session)).toBeGreaterThan(0);
  });

  it("finds the kept tails and the sizes before each real compaction", async () => {
    const before = await open("pi/before-compaction.jsonl.gz");
    const tails = [before, session].flatMap(({ messages, compactions }) =>
      compactions.map(({ messageId, firstKeptMessageId, tokensBefore }) => {
        const line = (id: unknown) => lineOf(messages.find((message) => message.id === id));
        return [line(messageId) - line(firstKeptMessageId), tokensBefore];
      }),
    );
    expect(tails.toSorted(([first = 0], [second = 0]) => first - second)).toEqual(KEPT_TAILS);
  });

  it("leaves calls of aborted and failed turns unanswered: 18 in large-session, 16 of them in one turn, and 6 in before-compaction", async () => {
    const [large, before] = await Promise.all([
      open("pi/large-session.jsonl.gz"),
      open("pi/before-compaction.jsonl.gz"),
    ]);
    expect([unanswered(large.messages), unanswered(before.messages)]).toEqual([18, 6]);
    const failed = large.messages.filter(({ metadata }) => metadata?.stopReason === "error");
    expect(failed.map(({ parts }) => parts.filter(({ type }) => type === "tool-call").length)).toEqual([16]);
  });

  it("follows changes of the model inside a thread", async () => {
    const large = await open("pi/large-session.jsonl.gz");
    expect(new Set(large.messages.flatMap(({ model }) => model ?? []))).toEqual(
      new Set(["gpt-5.1-codex", "claude-sonnet-4-5"]),
    );
    expect(large.nonPrompt.find(({ kind }) => kind === "thinking_level_change")?.lines).toHaveLength(103);
  });

  it("starts no turn with commands that the user ran beside the conversation", () => {
    const commands = session.messages.filter(({ origin }) => origin === "harness");
    expect(commands.map(({ parts }) => parts[0])).toMatchObject([
      { type: "text", text: expect.stringContaining("Ran `npm run check`") },
    ]);
    expect(AgentThread.empty(session.threadId).append(session.messages).position.turn).toBe(43);
  });
});

describe.skipIf(!isPresent)(`quirks of Claude Code sessions (${NEED})`, () => {
  it("merges lines to responses and counts usage once for each", async () => {
    const session = await open("claude-code/entire-cli/01-3118c3a750-0.jsonl.gz");
    const assistants = session.messages.filter(({ role }) => role === "assistant");
    expect(assistants).toHaveLength(43);
    expect(assistants.filter(({ usage }) => usage !== undefined)).toHaveLength(43);
    expect(Math.max(...assistants.map(({ usage }) => usage?.inputTokens ?? 0))).toBe(76_273);
  });

  it("merges a response of seven lines with results and progress between them", async () => {
    const { messages } = await open("claude-code/entire-cli/9b-04c3d92e38-2.jsonl.gz");
    const merged = messages.find(({ metadata }) => metadata?.responseId === "msg_01HnLFuBSQv2FNgSSwdv7k2P");
    expect(merged?.metadata?.source).toEqual({ line: 6, lines: [6, 7, 10, 13, 16, 19, 22] });
    expect(merged?.parts.map(({ type }) => type)).toEqual(["text", ...new Array(6).fill("tool-call")]);
  });

  it("never imports the structured duplicates of results", async () => {
    const { messages, source } = await open("claude-code/entire-cli/b6-f735fbac66-0.jsonl.gz");
    expect(source.text).toContain('"toolUseResult"');
    expect(JSON.stringify(messages).length).toBeLessThan(source.text.length / 2);
  });

  it("keeps the three compactions of a session at their place, with their sizes", async () => {
    const { compactions, messages } = await open("claude-code/entire-cli/cd-95adddad32-0.jsonl.gz");
    expect(compactions.map(({ tokensBefore, trigger }) => [tokensBefore, trigger])).toEqual([
      [156_699, "auto"],
      [155_241, "auto"],
      [155_413, "auto"],
    ]);
    const summaries = messages.filter(({ origin }) => origin === "compaction");
    expect(summaries.map(({ id }) => id)).toEqual(compactions.map(({ messageId }) => messageId));
    for (const { parts } of summaries)
      expect(parts[0]).toMatchObject({ text: expect.stringMatching(/^This session is being continued/) });
  });

  it("takes no path for abandoned in sessions that were never rewound", async () => {
    for (const { path } of files.filter(({ format }) => format === "claude-code")) {
      expect((await open(path)).messages.filter(({ branch }) => branch !== undefined)).toEqual([]);
    }
  });

  it("leaves the three calls of full-session-three that have no result unanswered", async () => {
    expect(unanswered((await open("claude-code/agentcmd/full-session-three.jsonl")).messages)).toBe(3);
  });
});

describe.skipIf(!isPresent)(`quirks of trajectories (${NEED})`, () => {
  it("leaves 16 calls of task_done unanswered where plain user messages answer them", async () => {
    const { messages } = await open("trajectories/openai-chat/iso-bench-vllm-core-0003.json.gz");
    expect(unanswered(messages)).toBe(16);
    expect(
      messages.filter(({ parts }) =>
        parts.some((part) => part.type === "text" && part.text.startsWith("ERROR! Your Patch is empty")),
      ),
    ).not.toHaveLength(0);
  });

  it("takes the 258 nudges of a run for user messages, for nothing tells them apart", async () => {
    const { messages } = await open("trajectories/openai-chat/iso-bench-9ed82e70.json.gz");
    expect(messages.filter(({ role }) => role === "user")).toHaveLength(258);
  });

  it("includes cached tokens in the input of gpt-5, once", async () => {
    const { messages } = await open("trajectories/openai-chat/iso-bench-0d243f2a.json.gz");
    const total = (figure: "inputTokens" | "cacheReadTokens") =>
      messages.reduce((sum, { usage }) => sum + (usage?.[figure] ?? 0), 0);
    expect([total("inputTokens"), total("cacheReadTokens")]).toEqual([9_533_716, 9_078_528]);
  });

  it("keeps error text in results as it was appended, and calls failed only what the log calls failed", async () => {
    const { messages } = await open("trajectories/anthropic-messages/iso-bench-vllm-core-0009.json");
    const results = partsOf(messages, "tool-result").map(({ result }) => result);
    expect(results.filter(({ outcome }) => outcome === "failure")).toHaveLength(6);
    expect(
      results.filter(({ content }) => content.type === "text" && /(^|\n)\[error\] /.test(content.text)),
    ).toHaveLength(5);
  });

  it("names the tools of ISO-Bench without schemas, and its system text", async () => {
    const session = await open("trajectories/anthropic-messages/iso-bench-vllm-core-0009.json");
    expect(session.tools.map(({ name }) => name)).toEqual([
      "bash",
      "str_replace_based_edit_tool",
      "sequentialthinking",
      "task_done",
    ]);
    expect(session.warnings.map(({ kind }) => kind)).toEqual(["tools-without-schema"]);
    expect(session.system[0]).toMatch(/^You are Trae Agent/);
    expect([session.model, session.messages[0]?.createdAt]).toEqual([
      "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
      "2026-01-23T18:46:46.705Z",
    ]);
  });

  it("reads the thirty threads of a tau-bench file one by one, though call ids are used again in them", async () => {
    const path = join(data, "trajectories/tau-bench/gpt-4o-airline.longest30.jsonl.gz");
    const threads = await Promise.all(
      Array.from({ length: 30 }, (_, index) => importSessionFile(path, { thread: index + 1 })),
    );
    const all: readonly (Message | MessageInput)[] = threads.flatMap(({ messages }) => messages);
    expect([partsOf(all, "tool-call").length, partsOf(all, "tool-result").length]).toEqual([378, 378]);
    expect(new Set(threads.map(({ threadId }) => threadId)).size).toBe(30);
    expect(partsOf(all, "tool-result").filter(({ result }) => result.toolName === "unknown")).toEqual([]);
  });
});
