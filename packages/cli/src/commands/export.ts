import { ThreadfoldError } from "@threadfold/core";
import { EXPORTERS, type ExportedSession, type ExportFormat, exportSession } from "@threadfold/importers";
import { planWindow } from "@threadfold/session";
import type { CliCall, CliCommand } from "../command/cli-command.ts";
import { writeWholeFile } from "../output/output-folder.ts";
import { count, figure, plainJson, plainText } from "../output/page.ts";
import { PLAN_OPTION, planVersion, STORE_OPTION } from "../parse/options.ts";
import { keptSource } from "../source/import-source.ts";
import { readingStore } from "../store/store-address.ts";
import { storedPlan, storedThread } from "../store/stored-thread.ts";

const FORMATS = EXPORTERS.map(({ format }) => format);

/** `export`: writes a folded thread as a session file that another tool opens and continues. */
export const exportCommand: CliCommand = {
  arguments: [{ name: "threadId", description: "id of the thread to write" }],
  options: [
    { flags: "--as <format>", description: "tool that will open the file", choices: FORMATS },
    { flags: "--out <file>", description: "write to this file instead of stdout" },
    PLAN_OPTION,
    STORE_OPTION,
  ],
  examples: [
    "export my-thread --as pi --out session.jsonl --store sessions.db",
    "export my-thread --as claude-code --plan 2 --out session.jsonl --json",
  ],
  run({ arguments: [threadId = ""], options }, { io }) {
    const format = formatOf(options);
    const version = planVersion(options);
    return readingStore(options, io.env, async (store) => {
      const thread = await storedThread(store, threadId);
      const plan = await storedPlan(store, thread.id, version);
      const source = await keptSource(store, thread.id, format, io.signal);
      const exported = exportSession(format, {
        thread,
        plan,
        window: planWindow(thread, plan),
        at: new Date(io.clock.now()).toISOString(),
        ...(source !== null && { source }),
      });
      const { out } = options;
      const path = typeof out === "string" ? out : undefined;
      if (path !== undefined) writeWholeFile(path, exported.text);
      return {
        data: dataOf(exported, { threadId: thread.id, planVersion: plan.version, path, grown: source !== null }),
        text: () => (path === undefined ? plainJson(exported.text) : pageOf(exported, path)),
        brief: path ?? plainJson(exported.text),
        warnings: exported.warnings.map(({ kind, message }) => ({ code: kind, message })),
      };
    });
  },
};

/** Parses the target format. @throws ThreadfoldError `USAGE`. */
function formatOf(options: CliCall["options"]): ExportFormat {
  const format = FORMATS.find((known) => known === options["as"]);
  if (format !== undefined) return format;
  throw new ThreadfoldError("USAGE", "--as is missing; it names the tool that will open the file.", {
    hint: `Use one of ${FORMATS.join(", ")}.`,
  });
}

interface ExportPlace {
  readonly threadId: string;
  readonly planVersion: number;
  readonly path: string | undefined;
  /** True when the file is the log that the thread was imported from, extended at its end. */
  readonly grown: boolean;
}

function dataOf({ format, text, added }: ExportedSession, { threadId, planVersion, path, grown }: ExportPlace) {
  const bytes = Buffer.byteLength(text);
  return { threadId, planVersion, format, grown, added, bytes, ...(path === undefined ? { text } : { path }) };
}

const pageOf = ({ format, text, added }: ExportedSession, path: string): string =>
  `Wrote ${figure(Buffer.byteLength(text))} bytes for ${format} to ${plainText(path)}, ${count(added, "line")} of them new.`;
