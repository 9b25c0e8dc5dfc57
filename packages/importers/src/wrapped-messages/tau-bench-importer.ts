import { addOpenaiMessages } from "../openai-chat/openai-messages.ts";
import { isAssistantMessage } from "../reading/find-conversation.ts";
import { type ForeignObject, listOf, objectOf } from "../reading/foreign-value.ts";
import type { SourceRecords } from "../reading/source-records.ts";
import { documentThreads } from "../reading/source-threads.ts";
import { newestModel } from "../session/session-draft.ts";
import { openingOf, seedOf } from "../session/session-ids.ts";
import type { SessionImporter } from "../session/session-importer.ts";

/**
 * Imports results of tau-bench: one run per line, or a list of runs. Each is a thread, named `task-2-trial-1`. Call ids
 * are reused within a run, so a result answers the newest call with its id.
 */
export const tauBenchImporter: SessionImporter = {
  format: "tau-bench",
  detect: (source) => (isRun(runsOf(source).records[0]?.value) ? 1 : 0),
  threads: (source) => documentThreads(runsOf(source), isRun, nameOf),
  import(source, draft) {
    const [run] = runsOf(source).records;
    const frame = objectOf(run?.value) ?? {};
    const messages = listOf(frame.traj) ?? [];
    const opening = openingOf(source.source, frame, messages, isAssistantMessage);
    const line = run?.line ?? 0;
    addOpenaiMessages(
      { messages, pointerTo: (index) => ({ line, path: `/traj/${index}` }), seed: seedOf(opening) },
      draft,
    );
    const model = newestModel(draft.messages);
    return { opening, records: messages.length, system: [], tools: [], ...(model !== undefined && { model }) };
  },
};

/** Treats a list of runs in one document as if each were on its own line. */
function runsOf(source: SourceRecords): SourceRecords {
  const [first] = source.records;
  const list = source.records.length === 1 ? listOf(first?.value) : undefined;
  if (first === undefined || list === undefined) return source;
  return { ...source, records: list.map((value) => ({ ...first, value })) };
}

function isRun(value: unknown): boolean {
  const run = objectOf(value);
  return listOf(run?.traj) !== undefined && (run?.reward !== undefined || run?.task_id !== undefined);
}

function nameOf({ task_id, trial }: ForeignObject): string | undefined {
  const [task, attempt] = [numberOf(task_id), numberOf(trial)];
  if (task === undefined) return undefined;
  return attempt === undefined ? `task-${task}` : `task-${task}-trial-${attempt}`;
}

/** Returns the number of a task or a trial, which some files have as text. */
const numberOf = (value: unknown): string | undefined =>
  typeof value === "number" || typeof value === "string" ? String(value) : undefined;
