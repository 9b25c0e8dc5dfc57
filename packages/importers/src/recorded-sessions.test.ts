import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { AgentThread, type Message, type MessageInput, type Part } from "@threadfold/core";
import { brokenLaws } from "@threadfold/core/laws";
import { beforeAll, describe, expect, it } from "vitest";
import { IMPORTERS } from "./importing/importers.ts";
import { importSessionFile } from "./importing/sessions.ts";
import { damageLaws, importerLaws } from "./laws/importer-laws.ts";
import { Pace, readRecords } from "./reading/source-records.ts";
import { decodeSource, decompress } from "./reading/source-text.ts";
import type { ImportedSession, ImportFormat } from "./session/imported-session.ts";

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
  ["codex/fixtures", "codex"],
  ["opencode", "opencode"],
  ["trajectories/cline", "cline"],
  ["trajectories/openhands-events", "openhands"],
  ["trajectories/openhands-llm-logs", "openhands"],
  ["trajectories/swe-agent", "swe-agent"],
  ["trajectories/mini-swe-agent", "mini-swe-agent"],
  ["trajectories/tau-bench", "tau-bench"],
  ["ai-sdk-fixtures", "anthropic-messages"],
];

/** Rollouts of which the publisher left nothing but reports of usage: there is no message to import. */
const WITHOUT_MESSAGES = /codexbar-live-fork/;

/** Files of a folder that are in another format than the rest. */
const OTHER_FORMATS: Readonly<Record<string, ImportFormat>> = {
  "ai-sdk-fixtures/openai-compaction.1.json": "openai-responses",
};

const all = FOLDERS.flatMap(([folder, format]) =>
  isPresent
    ? readdirSync(join(data, folder))
        .filter((name) => /\.(jsonl?|traj)(\.gz)?$/.test(name))
        .map((name) => `${folder}/${name}`)
        .map((path) => ({ path, format: OTHER_FORMATS[path] ?? format }))
    : [],
);
const files = all.filter(({ path }) => !WITHOUT_MESSAGES.test(path));

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
  for (const folder of ["pi", "claude-code", "codex", "opencode", "trajectories"]) {
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

/** Threads in which an id of a call is used again. */
const reusedIds = (threads: readonly ImportedSession[]): number =>
  threads.filter(({ messages }) => {
    const ids = partsOf(messages, "tool-call").map(({ callId }) => callId);
    return new Set(ids).size < ids.length;
  }).length;

const byPath = (first: { readonly path: string }, second: { readonly path: string }): number =>
  first.path < second.path ? -1 : 1;

/**
 * Where the tables that describe the recorded files count otherwise than the model of core does: user messages, calls,
 * results and compactions as they are imported. In SWE-agent, they take the task for a result. In mini-swe-agent, what
 * came of a command is a user message of the harness and no result. In OpenHands, they count the system text and the
 * recall that is no prompt content; in OpenCode, they count no user message at all. In Codex, they leave out the calls
 * of the oldest and of hand-made records, and count a developer for a user, no message of another agent, and none that
 * holds what the host found in a search of its own.
 */
const COUNTED_OTHERWISE: Readonly<Record<string, readonly number[]>> = {
  "codex/fixtures/agent-sessions-large.jsonl": [7, 1, 1, 0],
  "codex/fixtures/agent-sessions-schema_drift.jsonl": [1, 1, 1, 0],
  "codex/fixtures/agent-sessions-small.jsonl": [4, 4, 5, 6],
  "opencode/ses_10326a5adffeM2AASSYKnOaRrA.rows.jsonl.gz": [1, 26, 26, 0],
  "opencode/ses_10326a5bbffe4lxnPV4UWNa8Je.rows.jsonl": [1, 18, 18, 0],
  "opencode/ses_10326a5c6ffex5saSMPIVvAjIP.rows.jsonl.gz": [1, 11, 11, 0],
  "opencode/ses_10326a63effemvIlvgP8BA27Pd.rows.jsonl.gz": [1, 32, 32, 0],
  "trajectories/cline/session.messages.json": [5, 11, 11, 0],
  "trajectories/openhands-events/multi_swe_bench-example.output.jsonl.gz": [2, 23, 22, 0],
  "trajectories/swe-agent/marshmallow-1867-function-calling-from-source.traj.gz": [1, 13, 13, 0],
  "trajectories/swe-agent/marshmallow-1867-function-calling.traj": [1, 11, 11, 0],
};

/** What no table describes: a file of thirty threads, of which the first is imported, and responses alone. */
const UNDESCRIBED: Readonly<Record<string, readonly number[]>> = {
  "trajectories/tau-bench/gpt-4o-airline.longest30.jsonl.gz": [4, 27, 27, 0],
  "ai-sdk-fixtures/anthropic-clear-thinking.1.json": [0, 0, 0, 0],
  "ai-sdk-fixtures/anthropic-clear-tool-uses.1.json": [0, 0, 0, 0],
  "ai-sdk-fixtures/anthropic-compaction.1.json": [0, 0, 0, 1],
  "ai-sdk-fixtures/openai-compaction.1.json": [0, 0, 0, 1],
};

/** The figures that a file must give: those of the tables, with each command of mini-swe-agent as the harness's message. */
function expectedFigures(path: string, described: readonly number[] | undefined): readonly number[] | undefined {
  const [users = 0, calls = 0, results = 0, compactions = 0] = described ?? [];
  if (path.includes("/mini-swe-agent/")) return [users + results, calls, 0, compactions];
  return COUNTED_OTHERWISE[path] ?? UNDESCRIBED[path] ?? described;
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
    expect(await brokenLaws(importerLaws({ bytes, format }))).toEqual([]);
    const { messages, compactions } = await open(path);
    const users = messages.filter(({ role, origin }) => role === "user" && origin !== "compaction").length;
    const counted = [
      users,
      partsOf(messages, "tool-call").length,
      partsOf(messages, "tool-result").length,
      compactions.length,
    ];
    expect(counted).toEqual(expectedFigures(path, figures.get(path)));
  });

  it("is claimed with full confidence only by its own importer", async () => {
    for (const { path, format } of all) {
      const bytes = await decompress(readFileSync(join(data, path)), Number.MAX_SAFE_INTEGER);
      const source = await readRecords(decodeSource(bytes), bytes.length, new Pace(undefined, undefined));
      const sure = IMPORTERS.filter((importer) => importer.detect(source) === 1).map((importer) => importer.format);
      expect(sure, path).toEqual([format]);
    }
  });

  it.each(all.filter(({ path }) => WITHOUT_MESSAGES.test(path)))(
    "$path has no messages and throws EMPTY_SOURCE",
    async ({ path }) => {
      await expect(open(path)).rejects.toMatchObject({ code: "EMPTY_SOURCE", details: { format: "codex" } });
    },
  );

  it.each([
    "pi/session.jsonl.gz",
    "claude-code/agentcmd/full-session-two.jsonl",
    "claude-code/entire-cli/01-3118c3a750-0.jsonl.gz",
    "trajectories/openai-chat/iso-bench-vllm-core-0007.json.gz",
    "trajectories/anthropic-messages/iso-bench-vllm-core-0009.json",
    "codex/fixtures/agent-history-session_with_compaction.jsonl",
    "opencode/ses_10326a5bbffe4lxnPV4UWNa8Je.rows.jsonl",
    "trajectories/cline/session.messages.json",
    "trajectories/openhands-llm-logs/litellm_proxy__anthropic__claude-sonnet-4-20250514-1757015046.707.json",
    "trajectories/openhands-events/multi_swe_bench-example.output.jsonl.gz",
    "trajectories/swe-agent/marshmallow-1867-function-calling.traj",
  ])("%s survives damage", async (path) => {
    const raw = readFileSync(join(data, path));
    const bytes = raw[0] === 0x1f ? gunzipSync(raw) : raw;
    const { format } = files.find((file) => file.path === path) as (typeof files)[number];
    expect(await brokenLaws(damageLaws({ bytes, format }))).toEqual([]);
  });
});

describe.skipIf(!isPresent)(`quirks of pi sessions (${NEED})`, () => {
  let session: ImportedSession;
  beforeAll(async () => {
    session = await open("pi/session.jsonl.gz");
  });

  it("skips and reports only line 440 of session.jsonl, where two records run together", () => {
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

  it("tracks model changes within a thread", async () => {
    const large = await open("pi/large-session.jsonl.gz");
    expect(new Set(large.messages.flatMap(({ model }) => model ?? []))).toEqual(
      new Set(["gpt-5.1-codex", "claude-sonnet-4-5"]),
    );
    expect(large.nonPrompt.find(({ kind }) => kind === "thinking_level_change")?.lines).toHaveLength(103);
  });

  it("starts no turn for commands that the user ran outside the conversation", () => {
    const commands = session.messages.filter(({ origin }) => origin === "harness");
    expect(commands.map(({ parts }) => parts[0])).toMatchObject([
      { type: "text", text: expect.stringContaining("Ran `npm run check`") },
    ]);
    expect(AgentThread.empty(session.threadId).append(session.messages).position.turn).toBe(43);
  });
});

describe.skipIf(!isPresent)(`quirks of Claude Code sessions (${NEED})`, () => {
  it("merges lines into responses and counts usage once per response", async () => {
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

  it("keeps the three compactions of a session in place, with their sizes", async () => {
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

  it("finds no abandoned path in sessions that were never rewound", async () => {
    for (const { path } of files.filter(({ format }) => format === "claude-code")) {
      expect((await open(path)).messages.filter(({ branch }) => branch !== undefined)).toEqual([]);
    }
  });

  it("leaves the three calls of full-session-three that have no result unanswered", async () => {
    expect(unanswered((await open("claude-code/agentcmd/full-session-three.jsonl")).messages)).toBe(3);
  });
});

describe.skipIf(!isPresent)(`quirks of trajectories (${NEED})`, () => {
  it("leaves 16 task_done calls unanswered that only plain user messages follow", async () => {
    const { messages } = await open("trajectories/openai-chat/iso-bench-vllm-core-0003.json.gz");
    expect(unanswered(messages)).toBe(16);
    expect(
      messages.filter(({ parts }) =>
        parts.some((part) => part.type === "text" && part.text.startsWith("ERROR! Your Patch is empty")),
      ),
    ).not.toHaveLength(0);
  });

  it("reads the 258 nudges of a run as user messages, which they are indistinguishable from", async () => {
    const { messages } = await open("trajectories/openai-chat/iso-bench-9ed82e70.json.gz");
    expect(messages.filter(({ role }) => role === "user")).toHaveLength(258);
  });

  it("includes gpt-5's cached tokens in the input once", async () => {
    const { messages } = await open("trajectories/openai-chat/iso-bench-0d243f2a.json.gz");
    const total = (figure: "inputTokens" | "cacheReadTokens") =>
      messages.reduce((sum, { usage }) => sum + (usage?.[figure] ?? 0), 0);
    expect([total("inputTokens"), total("cacheReadTokens")]).toEqual([9_533_716, 9_078_528]);
  });

  it("keeps appended error text in results, and marks only results that the log marks as failed", async () => {
    const { messages } = await open("trajectories/anthropic-messages/iso-bench-vllm-core-0009.json");
    const results = partsOf(messages, "tool-result").map(({ result }) => result);
    expect(results.filter(({ outcome }) => outcome === "failure")).toHaveLength(6);
    expect(
      results.filter(({ content }) => content.type === "text" && /(^|\n)\[error\] /.test(content.text)),
    ).toHaveLength(5);
  });

  it("reads the ISO-Bench tools without schemas, and the system text", async () => {
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

  it("extends one thread over the six request logs of a conversation, each a prefix of the next", async () => {
    const logs = files.filter(({ path }) => path.includes("openhands-llm-logs")).toSorted(byPath);
    let thread: AgentThread | undefined;
    for (const { path } of logs) {
      const { threadId, messages } = await open(path);
      thread ??= AgentThread.empty(threadId);
      expect(threadId).toBe(thread.id);
      thread = thread.append(messages);
      expect(thread.length).toBe(messages.length);
    }
    expect(thread?.length).toBe(12);
  });

  it("starts no turn for an observation of mini-swe-agent or SWE-agent, truncated or not", async () => {
    const paths = files.filter(({ format }) => format === "mini-swe-agent" || format === "swe-agent");
    for (const { path } of paths) {
      const { threadId, messages } = await open(path);
      expect(AgentThread.empty(threadId).append(messages).position.turn, path).toBe(1);
    }
    const { messages } = await open("trajectories/mini-swe-agent/django__django-15629.traj.json.gz");
    const lengths = messages.flatMap(({ parts }) => parts.map((part) => (part.type === "text" ? part.text.length : 0)));
    expect(Math.max(...lengths)).toBe(151_582);
  });

  it("reads OpenHands runs by instance name, with usage for each response", async () => {
    const path = join(data, "trajectories/openhands-events/multi_swe_bench-example.output.jsonl.gz");
    const names = ["ponylang__ponyc-4595", "ponylang__ponyc-4593", "ponylang__ponyc-4588"];
    const runs = await Promise.all(names.map((thread) => importSessionFile(path, { thread })));
    expect(runs[0]?.warnings).toEqual([{ kind: "more-threads", thread: 1, threads: 3, names }]);
    expect(runs.map(({ messages }) => unanswered(messages))).toEqual([1, 1, 0]);
    expect(runs.map(({ messages }) => messages.filter(({ usage }) => usage !== undefined).length)).toEqual([
      23, 33, 49,
    ]);
    expect(new Set(runs.map(({ threadId }) => threadId)).size).toBe(3);
  });

  it("includes Cline's cached tokens in the input once, so that prompts grow only by new content", async () => {
    const { messages, model } = await open("trajectories/cline/session.messages.json");
    const reports = messages.flatMap(({ usage }) => usage ?? []);
    expect(reports).toHaveLength(16);
    expect(reports[1]).toEqual({
      inputTokens: 35_912,
      outputTokens: 164,
      cacheReadTokens: 34_332,
      cacheWriteTokens: 0,
    });
    expect(model).toBe("mistralai/voxtral-small-24b-2507");
  });

  it("reads the thirty threads of a tau-bench file one by one, despite reused call ids", async () => {
    const path = join(data, "trajectories/tau-bench/gpt-4o-airline.longest30.jsonl.gz");
    const threads = await Promise.all(
      Array.from({ length: 30 }, (_, index) => importSessionFile(path, { thread: index + 1 })),
    );
    const all: readonly (Message | MessageInput)[] = threads.flatMap(({ messages }) => messages);
    expect([partsOf(all, "tool-call").length, partsOf(all, "tool-result").length]).toEqual([378, 378]);
    expect(new Set(threads.map(({ threadId }) => threadId)).size).toBe(30);
    expect(reusedIds(threads)).toBe(19);
    expect(partsOf(all, "tool-result").filter(({ result }) => result.toolName === "unknown")).toEqual([]);
  });
});

describe.skipIf(!isPresent)(`quirks of Codex, OpenCode and compactions at the provider (${NEED})`, () => {
  const usageOf = ({ messages }: ImportedSession) => messages.flatMap(({ usage }) => usage ?? []);

  it("counts a Codex report once, with the cache in the input, and ignores all-zero reports", async () => {
    const small = await open("codex/fixtures/agent-sessions-small.jsonl");
    expect(usageOf(small)).toEqual([
      { inputTokens: 16_341, outputTokens: 81, cacheReadTokens: 3_584, cacheWriteTokens: 0, reasoningTokens: 63 },
    ]);
    expect(small.nonPrompt.find(({ kind }) => kind === "event_msg/token_count")?.lines).toHaveLength(3);
  });

  it("recognizes the six compactions of a rollout, and the summary of the one without a replacement", async () => {
    const [small, history] = await Promise.all([
      open("codex/fixtures/agent-sessions-small.jsonl"),
      open("codex/fixtures/agent-history-session_with_compaction.jsonl"),
    ]);
    expect(small.compactions).toHaveLength(6);
    const summaries = small.messages.filter(({ origin }) => origin === "compaction");
    expect(summaries.map(({ id }) => id)).toEqual(small.compactions.map(({ messageId }) => messageId));
    expect(summaries.every(({ parts }) => parts.length > 0)).toBe(true);
    const [summary] = history.messages.filter(({ origin }) => origin === "compaction");
    expect(summary?.parts).toMatchObject([{ text: expect.stringMatching(/^\*\*Progress \+ Plan Status\*\*/) }]);
  });

  it("never separates an OpenCode call from its result, and ignores all-zero usage", async () => {
    for (const { path } of files.filter(({ format }) => format === "opencode")) {
      const session = await open(path);
      expect([unanswered(session.messages), usageOf(session), session.warnings]).toEqual([0, [], []]);
    }
  });

  it("keeps provider compactions byte for byte, with the prompt size of Anthropic's own compaction", async () => {
    const [anthropic, openai] = await Promise.all([
      open("ai-sdk-fixtures/anthropic-compaction.1.json"),
      open("ai-sdk-fixtures/openai-compaction.1.json"),
    ]);
    expect(anthropic.compactions).toEqual([
      { messageId: anthropic.messages[0]?.id, trigger: "server", tokensBefore: 60_385 },
    ]);
    expect(usageOf(anthropic)[0]).toMatchObject({ inputTokens: 682, outputTokens: 1_320 });
    const raw = JSON.parse(openai.source.text) as { readonly output: readonly unknown[] };
    expect(partsOf(openai.messages, "opaque").map(({ value }) => value)).toEqual([raw.output[1]]);
    expect(openai.compactions).toMatchObject([{ trigger: "server" }]);
  });
});
