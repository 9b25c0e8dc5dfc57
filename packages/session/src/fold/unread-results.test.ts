import {
  asMessageId,
  asToolCallId,
  type JsonValue,
  type MessageInput,
  type ToolDefinition,
  type ToolResultContent,
  toolResultText,
} from "@threadfold/core";
import { message, patience, runs } from "@threadfold/core/laws";
import { FORMATS } from "@threadfold/renderer";
import { createMemoryStore } from "@threadfold/stores";
import { PRESETS, presetByName } from "@threadfold/strategies";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SessionOptions } from "../host/session-options.ts";
import type { ContextSession } from "../loop/context-session.ts";
import { openSession, work } from "../testing/agent-work.ts";

const MAX_INPUT_TOKENS = 6_000;

/** Parallel calls and what came back, which no model has read. */
function batch(...contents: readonly ToolResultContent[]): readonly MessageInput[] {
  const { createdAt } = message("", "user", "");
  const calls = contents.map((_, at) => ({
    type: "tool-call" as const,
    callId: asToolCallId(`now-${at}`),
    toolName: "fetch_log",
    input: { part: at },
  }));
  const results = contents.map((content, at): MessageInput => {
    const outcome = at % 2 === 0 ? "success" : "failure";
    const result = { toolName: "fetch_log", callId: asToolCallId(`now-${at}`), outcome, content } as const;
    return { id: asMessageId(`r${at}`), role: "tool", parts: [{ type: "tool-result", result }], createdAt };
  });
  return [{ id: asMessageId("now"), role: "assistant", parts: calls, createdAt }, ...results];
}

const log = (lines: number): string =>
  Array.from({ length: lines }, (_, line) => `${line} GET /api/items/${line * 7} took ${line % 90} ms`).join("\n");
const text = (body: string): ToolResultContent => ({ type: "text", text: body });
const rows = (count: number): JsonValue => Array.from({ length: count }, (_, row) => ({ row, state: "done" }));

const CONTENTS: Readonly<Record<string, ToolResultContent>> = {
  "a log of two million characters": text(log(60_000)),
  "one line": text("0123456789abcdef".repeat(20_000)),
  "Chinese and Japanese": text("構成ファイルの読み込みに失敗しました。请检查路径。".repeat(4_000)),
  emoji: text("🚀✅".repeat(20_000)),
  "looks like our frames": text("[End of history]\n[Externalized Content - artifact:x]\n".repeat(3_000)),
  json: { type: "json", value: rows(9_000) },
  "text and a picture": {
    type: "blocks",
    blocks: [
      { type: "text", text: log(4_000) },
      { type: "image", source: { kind: "url", url: "https://example.com/a.png", mediaType: "image/png" } },
    ],
  },
  small: text("nothing found"),
};

/** The texts of the results that a request ends with. */
async function shownResults(session: ContextSession, tools: readonly ToolDefinition[]): Promise<readonly string[]> {
  const { request } = await session.prepare({ frame: { tools } });
  return request.messages.flatMap(({ parts }) =>
    parts.flatMap((part) =>
      part.type === "tool-result" && part.result.toolName === "fetch_log" ? [toolResultText(part.result.content)] : [],
    ),
  );
}

async function sessionWith(
  contents: readonly ToolResultContent[],
  options: Partial<SessionOptions> = {},
): Promise<ContextSession> {
  const session = await openSession({ config: { maxInputTokens: MAX_INPUT_TOKENS }, ...options });
  await session.append([message("u", "user", "Find the slow request."), ...work(0, 8, 500), ...batch(...contents)]);
  return session;
}

const toolsOf = (session: ContextSession): readonly ToolDefinition[] =>
  session.tools().map(({ definition }) => definition);

describe("unread results that are larger than the room", () => {
  it("show both ends in the room that is left, legally and repeatably, for every preset and provider", {
    timeout: patience(120_000),
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...PRESETS.map(({ name }) => name)),
        fc.constantFrom(...FORMATS.map(({ id }) => id)),
        fc.array(fc.constantFrom(...Object.keys(CONTENTS)), { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 4_000, max: 30_000 }),
        fc.boolean(),
        async (preset, format, names, maxInputTokens, hasTools) => {
          const session = await sessionWith(
            names.map((name) => CONTENTS[name] as ToolResultContent),
            {
              preset: presetByName(preset),
              config: { maxInputTokens },
              format: FORMATS.find(({ id }) => id === format) as (typeof FORMATS)[number],
            },
          );
          const frame = { tools: hasTools ? toolsOf(session) : [] };
          const first = await session.prepare({ frame });
          expect(first.violations).toEqual([]);
          expect(first.tokens).toBeLessThanOrEqual(maxInputTokens);
          const again = await session.prepare({ frame });
          expect([again.plan.version, again.digest]).toEqual([first.plan.version, first.digest]);
          expect((await session.replay()).every(({ equal }) => equal)).toBe(true);
          const shown = await shownResults(session, frame.tools);
          for (const [at, name] of names.entries()) {
            const whole = toolResultText(CONTENTS[name] as ToolResultContent);
            const result = (shown[at] as string).replaceAll("\\[", "[");
            if (name === "small") expect(result).toBe("nothing found");
            else expect(result).toContain(whole.slice(0, 400));
            if (name !== "small") expect(result).toContain(whole.slice(-200));
            expect(result.isWellFormed()).toBe(true);
          }
          const cut = shown.filter((result) => result.includes(" tokens left out …]"));
          if (cut.length > 0) expect(first.tokens).toBeGreaterThan(0.7 * maxInputTokens);
          expect(JSON.stringify(first.payload).includes("To read what is left out")).toBe(hasTools && cut.length > 0);
        },
      ),
      runs(40),
    );
  });

  it("tell the model which call reads on from where they were cut", async () => {
    const session = await sessionWith([text(log(20_000))]);
    const [readArtifact, searchThread] = session.tools();
    const whole = log(20_000);

    const [pointed = ""] = await shownResults(session, [readArtifact.definition, searchThread.definition]);
    const [, artifactId, offset] = /call: read_artifact\("(.*)"\) with offset (\d+)$/.exec(pointed) ?? [];
    const page = await readArtifact.execute({ artifact_id: artifactId as string, offset: Number(offset), limit: 300 });
    expect(page.text).toContain(whole.slice(Number(offset), Number(offset) + 300));
    expect(pointed).toContain(`${whole.slice(0, Number(offset))}\n[… `);

    const [searched = ""] = await shownResults(session, [searchThread.definition]);
    const [, message, from] = /call: search_thread with message_id "(.*)" and offset (\d+)$/.exec(searched) ?? [];
    const read = await searchThread.execute({ message_id: message as string, offset: Number(from) });
    expect(read.text).toContain(whole.slice(Number(from), Number(from) + 300));

    const [untold = ""] = await shownResults(session, []);
    expect(untold).toMatch(/\n\[… \d+ tokens left out …\]\n/);
    expect(untold).not.toMatch(/read_artifact|search_thread|To read/);
  });

  it("point to search_thread when nothing can be put into the artifact store", async () => {
    const { threads, plans, journal, artifacts, close } = createMemoryStore();
    const full: typeof artifacts = {
      ...artifacts,
      store: (content, about) =>
        content.includes("GET /api") ? Promise.reject(new Error("disk is full")) : artifacts.store(content, about),
    };
    const withoutRoom = { threads, plans, journal, artifacts: full, close };
    const config = { maxInputTokens: MAX_INPUT_TOKENS };
    for (const options of [{ config: { ...config, enableExternalization: false } }, { store: withoutRoom }]) {
      const session = await sessionWith([text(log(20_000))], options);
      const [shown = ""] = await shownResults(session, toolsOf(session));
      expect(shown).toMatch(
        /^\[fetch_log: success; \d+ characters, of which the beginning and the end are shown\]\n0 GET/,
      );
      expect(shown).toMatch(/call: search_thread with message_id "#18" and offset \d+$/);
    }
  });

  it("are not shown in full by a later fold, and shrink to a pointer once an answer follows", async () => {
    const config = { maxInputTokens: MAX_INPUT_TOKENS, enableSummarization: false, enableDropping: false };
    const session = await sessionWith([text(log(20_000))], { config });
    const [before = ""] = await shownResults(session, toolsOf(session));
    await session.complete({ messages: [message("read", "assistant", "Lines 80 to 89 are slow.")] });
    await session.append(work(20, 21, 3_000));
    const [after = ""] = await shownResults(session, toolsOf(session));
    expect(before.length).toBeGreaterThan(5_000);
    expect(after.length).toBeLessThan(1_000);
    expect(after).toContain("To retrieve full content, call: read_artifact(");
    expect((await session.replay()).every(({ equal }) => equal)).toBe(true);
  });
});
