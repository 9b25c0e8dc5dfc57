import { join } from "node:path";
import { actionOf } from "@threadfold/core";
import { clearStrategy, dropStrategy, externalizeStrategy, summarizeStrategy } from "@threadfold/strategies";
import {
  asMessageId,
  type CompactionPlan,
  ContextSession,
  formatById,
  importSessionFile,
  threadfoldPreset,
} from "threadfold";
import { describe, expect, it } from "vitest";
import { dataFolder } from "./recorded-files.ts";

const SESSIONS = [
  "claude-code/entire-cli/cd-95adddad32-0.jsonl.gz",
  "claude-code/entire-cli/9b-04c3d92e38-2.jsonl.gz",
  "pi/session.jsonl.gz",
];

/** The default rungs with clearing first: calls stay, bodies go. */
const preset = {
  ...threadfoldPreset,
  name: "clear-first",
  ladder: [clearStrategy, externalizeStrategy, summarizeStrategy, dropStrategy],
};

const folder = dataFolder();

describe.skipIf(folder === null)(
  "recorded sessions with bodies cleared first (skipped without THREADFOLD_DATA)",
  () => {
    it.each(SESSIONS)(
      "S29 S37: %s stays legal, shrinks message by message, and keeps its pairs and names",
      async (name) => {
        const { threadId, messages } = await importSessionFile(join(folder as string, name));
        const config = { maxInputTokens: 50_000, preserveRecentPercent: 0.6, minCallsPerFold: 0 };
        const session = await ContextSession.open({ threadId, preset, config, format: formatById("neutral") });
        await session.append(messages);
        const outcome = await session.compact({ force: true });
        if (outcome.type !== "committed") throw new Error(outcome.type);
        const { plan } = outcome;
        expect(plan.clearings.length).toBeGreaterThan(5);
        const { request, violations } = await session.prepare();
        expect(violations).toEqual([]);

        const original = new Map(messages.map((message) => [message.id as string, message]));
        for (const { sources, parts, synthetic } of request.messages) {
          const before = original.get(sources[0] ?? "");
          if (synthetic !== "placeholder" || before === undefined) continue;
          expect(JSON.stringify(parts).length).toBeLessThan(JSON.stringify(before.parts).length);
          const ids = (list: typeof parts) => list.flatMap((part) => (part.type === "tool-call" ? [part.callId] : []));
          expect(ids(parts)).toEqual(ids(before.parts));
          for (const part of parts) if (part.type === "tool-call") expect(part.input).toBeTypeOf("object");
          const shown = JSON.stringify(parts);
          for (const kept of namesOf(plan, sources[0] ?? ""))
            expect(shown).toContain(JSON.stringify(kept).slice(1, -1));
        }
      },
    );
  },
);

/** The names that the plan keeps of a message's calls. */
function namesOf(plan: CompactionPlan, id: string): readonly string[] {
  const { record } = actionOf(plan, asMessageId(id));
  const names = record?.action === "clear" ? record.preservedFields["names"] : undefined;
  return Object.values((names ?? {}) as Record<string, readonly string[]>).flat();
}
