import { join } from "node:path";
import {
  ContextSession,
  formatById,
  importSessionFile,
  type Message,
  type MessageInput,
  presetByName,
  toolResultText,
} from "threadfold";
import { describe, expect, it } from "vitest";
import { dataFolder } from "./recorded-files.ts";

const SESSIONS = [
  "claude-code/entire-cli/cd-95adddad32-0.jsonl.gz",
  "claude-code/entire-cli/9b-04c3d92e38-2.jsonl.gz",
  "pi/session.jsonl.gz",
];
const PRESETS = ["threadfold", "codex", "opencode", "ai-sdk"];
/** Characters of a result that is larger than the room of the test. */
const LARGE = 30_000;
/** Of which nearly a third is kept free while nothing is known of how the provider counts. */
const MAX_INPUT_TOKENS = 8_000;

const folder = dataFolder();

describe.skipIf(folder === null)("recorded sessions at their largest results (skipped without THREADFOLD_DATA)", () => {
  it.each(SESSIONS.flatMap((name) => PRESETS.map((preset) => [name, preset] as const)))(
    "%s with %s shows what the agent has just asked for, as far as there is room",
    async (name, preset) => {
      const { threadId, messages } = await importSessionFile(join(folder as string, name));
      const places = messages.flatMap((message, at) =>
        bodyOf(message).length > LARGE && message.branch === undefined ? [at] : [],
      );
      expect(places.length).toBeGreaterThan(0);
      for (const at of places.slice(0, 3)) {
        const session = await ContextSession.open({
          threadId,
          preset: presetByName(preset),
          config: { maxInputTokens: MAX_INPUT_TOKENS },
          format: formatById("anthropic-messages"),
        });
        await session.append(messages.slice(0, at + 1));
        const tools = session.tools().map(({ definition }) => definition);
        const { request, tokens, violations } = await session.prepare({ frame: { tools } });
        expect([violations, tokens <= MAX_INPUT_TOKENS]).toEqual([[], true]);
        const whole = bodyOf(messages[at] as MessageInput);
        const shown = bodyOf(
          request.messages.find(({ sources }) => sources.includes((messages[at] as MessageInput).id)) ?? { parts: [] },
        );
        expect(shown).toContain(" tokens left out …]");
        expect(plain(shown)).toContain(plain(whole.slice(0, 500)));
        expect(plain(shown)).toContain(plain(whole.slice(-250)));
        expect(shown).toMatch(
          /\nTo read what is left out, call: read_artifact\("artifact_[0-9a-f]+"\) with offset \d+$/,
        );
        expect((await session.replay()).every(({ equal }) => equal)).toBe(true);
      }
    },
  );
});

/** What a tool answered; empty for other messages. */
function bodyOf({ parts }: { readonly parts: Message["parts"] }): string {
  const [part] = parts;
  return part?.type === "tool-result" ? toolResultText(part.result.content) : "";
}

/** A text without what marks lines that look like frames of ours. */
const plain = (text: string): string => text.replaceAll("\\", "").toWellFormed();
