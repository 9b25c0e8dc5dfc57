import { exportSession, type ImportedSession, importSession } from "@threadfold/importers";
import { planWindow } from "@threadfold/session";
import { describe, expect, it } from "vitest";
import {
  expectedWindow,
  type FoldedSession,
  foldedSession,
  NOON,
  saying,
  sessionFileCases,
} from "../testing/sessions.ts";

function exported({ imported, session: { thread, plan } }: FoldedSession) {
  const source = imported.format === "claude-code" ? { source: imported.source.text } : {};
  const at = new Date(NOON).toISOString();
  return exportSession("claude-code", { thread, plan, window: planWindow(thread, plan), at, ...source });
}

/** What Claude Code sends of a session: the newest summary, and what stands behind it on the main branch. */
function claudeWindow({ messages, compactions }: ImportedSession) {
  const newest = compactions.at(-1)?.messageId;
  const from = newest === undefined ? 0 : messages.findIndex(({ id }) => id === newest) + 1;
  const summary = newest === undefined ? "" : JSON.stringify(messages[from - 1]?.parts);
  return { summary, said: saying(messages.slice(from).filter(({ branch }) => branch === undefined)) };
}

describe("a session file for Claude Code", () => {
  // Thoughts that another provider signed cannot go to Claude Code, so only cases without any are compared part by part.
  const cases = sessionFileCases().filter(({ file }) => !file.includes("large-session"));

  it.each(cases)("shows what the plan shows when it is imported again: $name", async (folding) => {
    const folded = await foldedSession(folding.file, {
      preset: folding.preset,
      config: { maxInputTokens: folding.maxInputTokens },
    });
    const { imported, session } = folded;
    const { text, warnings } = exported(folded);
    const again = await importSession(new TextEncoder().encode(text));
    expect(again.format).toBe("claude-code");
    expect(again.malformed).toEqual(imported.format === "claude-code" ? imported.malformed : []);
    const { inSummary, behind } = expectedWindow(planWindow(session.thread, session.plan), session.thread);
    const { summary, said } = claudeWindow(again);
    for (const part of inSummary) expect(summary).toContain(JSON.stringify(part).slice(1, -1));
    expect(said).toEqual(saying(behind));
    expect(exported(folded).text).toBe(text);
    expect(warnings.filter(({ kind }) => kind !== "left-out-branch")).toEqual([]);
    if (imported.format !== "claude-code") return;
    expect(text.startsWith(imported.source.text.trimEnd())).toBe(true);
    expect(again.messages.slice(0, imported.messages.length)).toEqual(imported.messages);
  });
});
