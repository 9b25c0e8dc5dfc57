// A session of pi, folded here and opened by pi again: the log grows at its end, and nothing of it is lost.
import { readFileSync, writeFileSync } from "node:fs";
import { exportSession, importSession } from "@threadfold/importers";
import { ContextSession, planWindow } from "@threadfold/session";

export async function foldFile(from: string, to: string, maxInputTokens: number) {
  const imported = await importSession(readFileSync(from));
  const session = await ContextSession.open({ threadId: imported.threadId, config: { maxInputTokens } });
  await session.append(imported.messages);
  await session.compact({ force: true });
  const { thread, plan } = session;
  const window = planWindow(thread, plan);
  const at = new Date().toISOString();
  const { text } = exportSession("pi", { thread, plan, window, at, source: imported.source.text });
  writeFileSync(to, text);
}
