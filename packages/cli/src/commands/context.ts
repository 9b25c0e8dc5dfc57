import { statSync } from "node:fs";
import { ThreadfoldError } from "@threadfold/core";
import type { CliCall, CliCommand } from "../command/cli-command.ts";
import { contextData } from "../inspect/context-data.ts";
import { contextPage } from "../inspect/context-page.ts";
import { INSPECT_OPTIONS, parseInspectRequest } from "../inspect/inspect-request.ts";
import { inspecting } from "../inspect/inspected-thread.ts";
import type { CliIo } from "../output/cli-io.ts";
import { figure } from "../output/page.ts";
import { STORE_OPTION } from "../parse/options.ts";
import { addressName, requireStore, storeAddress } from "../store/store-address.ts";

/** `context`: shows what the model saw at a call, in the terminal and as JSON for hooks and status lines. */
export const contextCommand: CliCommand = {
  arguments: [
    {
      name: "thread",
      description:
        "id of the thread (default: the one in the store that changed last), or a file to look into; with --store, always an id",
      optional: true,
    },
  ],
  options: [
    { flags: "--call <number>", description: "number of the call, from 1 (default: the newest)" },
    {
      flags: "--file <file>",
      description: "look into this recorded session or audit file instead of a store",
    },
    STORE_OPTION,
    ...INSPECT_OPTIONS,
  ],
  examples: [
    "context my-thread --store sessions.db",
    "context my-thread --call 12 --json --store sessions.db",
    "context session.jsonl --budget 50000",
  ],
  run(call, context) {
    const number = callNumber(call.options);
    const place = placeOf(call, context.io.env);
    const request = parseInspectRequest({ ...call, arguments: [place.source, place.thread] }, "short");
    return existing(place, () =>
      inspecting(request, context, {}, async ({ inspection }) => {
        const data = contextData(inspection.index(), number);
        const { tokens, input, planVersion } = data;
        return {
          data,
          text: (page) => contextPage(data, page),
          brief: `${figure(tokens)} tokens, ${figure(input.cached)} cached, plan ${planVersion}`,
        };
      }),
    );
  },
};

/** Where to look, in the form of `inspect`'s arguments. */
interface Place {
  readonly source: string;
  readonly thread: string | undefined;
  readonly isStore: boolean;
  /** Why the name of the thread is not that of a file; undefined when it cannot be meant as one. */
  readonly noFile?: NoFile | undefined;
}

function placeOf({ arguments: [named], options }: CliCall, env: CliIo["env"]): Place {
  const { file, store } = options;
  if (typeof file === "string") return { source: file, thread: named, isStore: false };
  const inStore = { source: storeAddress(options, env), thread: named, isStore: true };
  if (named === undefined || named === "" || store !== undefined) return inStore;
  const noFile = whyNoFile(named);
  return noFile === undefined ? { source: named, thread: undefined, isStore: false } : { ...inStore, noFile };
}

/** Runs `work`. @throws ThreadfoldError what it throws; for a name that is found nowhere, one that says so. */
async function existing<Result>({ source, isStore, noFile }: Place, work: () => Promise<Result>): Promise<Result> {
  try {
    if (isStore) requireStore(source);
    return await work();
  } catch (cause) {
    throw noFile === undefined ? cause : foundNowhere(noFile, source, cause);
  }
}

/** Why a name is not that of a file. If it is no thread's either, it is most likely a misspelled path. */
interface NoFile {
  readonly problem: string;
  readonly cause?: unknown;
}

function whyNoFile(name: string): NoFile | undefined {
  try {
    return statSync(name).isDirectory() ? { problem: `${name} is a folder` } : undefined;
  } catch (cause) {
    return { problem: `There is no file ${name}`, cause };
  }
}

function foundNowhere({ problem, cause }: NoFile, address: string, noThread: unknown): unknown {
  if (!ThreadfoldError.isInstance(noThread)) return noThread;
  const { code, message, hint, details } = noThread;
  if (code === "THREAD_NOT_FOUND")
    return new ThreadfoldError(code, `${problem}. ${message}`, { hint, details, cause: noThread });
  if (code !== "STORE_UNAVAILABLE") return noThread;
  const nowhere = `${problem}, and no store ${addressName(address)} with a thread of that id.`;
  return new ThreadfoldError("UNREADABLE_SOURCE", nowhere, {
    hint: "Check the path of the file, or name the store of the thread with --store or THREADFOLD_STORE.",
    ...(cause !== undefined && { cause }),
  });
}

/** Parses the number of a call. @throws ThreadfoldError `USAGE`. */
function callNumber({ call }: CliCall["options"]): number | undefined {
  if (call === undefined) return undefined;
  if (typeof call === "string" && /^[1-9]\d{0,8}$/.test(call)) return Number(call);
  throw new ThreadfoldError("USAGE", `--call is ${JSON.stringify(call)}; it must be a number, 1 or higher.`);
}
