import type { ThreadfoldStore } from "@threadfold/core";
import type { ImportedSession } from "@threadfold/importers";
import { formatById } from "@threadfold/renderer";
import { ContextSession } from "@threadfold/session";
import type { CliCommand, CliContext, CliReport } from "../command/cli-command.ts";
import { importWarnings, sourceData } from "../compact/compact-data.ts";
import { count, plainText } from "../output/page.ts";
import { parseSource, SOURCE_ARGUMENT, SOURCE_OPTIONS, STORE_OPTION } from "../parse/options.ts";
import { importSource, keepSource } from "../source/import-source.ts";
import { addressName, openAddress, storeAddress } from "../store/store-address.ts";

/** `import`: puts a recorded session into a store. Repeating it adds only what is new. */
export const importCommand: CliCommand = {
  arguments: [SOURCE_ARGUMENT],
  options: [...SOURCE_OPTIONS, STORE_OPTION],
  examples: ["import session.jsonl --store sessions.db", "import session.jsonl.gz --from claude-code --json"],
  async run({ arguments: [file], options }, context) {
    const { io, progress } = context;
    const address = storeAddress(options, io.env);
    const source = parseSource(file, options);
    progress.update("reading", 0);
    const imported = await importSource(source, io, ({ bytes, total }) =>
      progress.update("reading", total === 0 ? 0.7 : (0.7 * bytes) / total),
    );
    progress.update("storing", 0.7);
    const store = await openAddress(address);
    try {
      return await appendTo(store, address, imported, context);
    } finally {
      await store.close();
    }
  },
};

async function appendTo(
  store: ThreadfoldStore,
  address: string,
  imported: ImportedSession,
  { io }: CliContext,
): Promise<CliReport> {
  const { threadId, system, tools, messages } = imported;
  const frame = { system, tools };
  const session = await ContextSession.open({ threadId, store, frame, format: formatById("neutral"), clock: io.clock });
  const before = session.thread.version;
  await session.append(messages, { signal: io.signal });
  await keepSource(store, imported, io.clock);
  const { thread } = session;
  // System text and tools are not part of the thread; the store keeps them in the record of a request.
  if (thread.version > before) await session.keepFrame();
  const source = sourceData(imported, thread);
  const data = {
    threadId,
    source,
    appended: thread.version - before,
    version: thread.version,
    pins: thread.livePins.length,
  };
  return {
    data,
    text: () =>
      [
        `${plainText(threadId)} in ${addressName(address)}: ${count(data.appended, "new entry", "new entries")}, version ${data.version}`,
        `  ${source.format}: ${count(source.messages, "message")}, ${count(source.turns, "turn")}, ${count(source.steps, "step")}, ${count(data.pins, "pin")}`,
      ].join("\n"),
    brief: plainText(threadId),
    warnings: importWarnings(imported),
  };
}
