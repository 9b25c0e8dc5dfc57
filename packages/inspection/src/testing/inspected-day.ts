import { fileURLToPath } from "node:url";
import type { ThreadfoldStore, ThreadId } from "@threadfold/core";
import { importSessionFile } from "@threadfold/importers";
import { anthropicMessages } from "@threadfold/renderer";
import { presetByName } from "@threadfold/strategies";
import { heuristicTokenizer } from "@threadfold/tokenizers";
import { Inspection, type InspectionOptions } from "../build/inspection.ts";
import { foldedSession } from "../source/folded-session.ts";
import { storedRecord } from "../source/stored-record.ts";

/** The session bundled with the repository. */
const DAY = fileURLToPath(new URL("../../../../examples/sessions/a-day-on-threadfold.jsonl", import.meta.url));

/** Default options for inspecting a thread in tests. */
export const LOOK: InspectionOptions = {
  source: { kind: "store", name: "sessions.db", tool: null, simulated: false, rawLog: "log.jsonl", commands: null },
  threadfoldVersion: "0.0.0",
  now: () => 0,
  bodies: "all",
  redacted: false,
};

let folded: Promise<{ readonly store: ThreadfoldStore; readonly threadId: ThreadId }> | undefined;

/** Small enough for the session to be folded many times. */
export const DAY_BUDGET = 30_000;

/** The bundled session, folded once for all tests that use it. Nothing may be written to the store. */
export const foldedDay = () => (folded ??= foldDay());

async function foldDay() {
  const imported = await importSessionFile(DAY);
  const store = await foldedSession(imported, {
    preset: presetByName("threadfold"),
    budget: DAY_BUDGET,
    format: anthropicMessages,
    tokenizer: heuristicTokenizer(),
  });
  return { store, threadId: imported.threadId };
}

/** Inspects a thread of a store. */
export const inspect = async (store: ThreadfoldStore, threadId: ThreadId, options: Partial<InspectionOptions> = {}) =>
  Inspection.open(await storedRecord(store, threadId), { ...LOOK, ...options });
