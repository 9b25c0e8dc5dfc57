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
import { storeAddress } from "../store/store-address.ts";

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
    const request = parseInspectRequest({ ...call, arguments: sourceArguments(call, context.io.env) }, "short");
    return inspecting(request, context, {}, async ({ inspection }) => {
      const data = contextData(inspection.index(), number);
      const { tokens, input, planVersion } = data;
      return {
        data,
        text: (page) => contextPage(data, page),
        brief: `${figure(tokens)} tokens, ${figure(input.cached)} cached, plan ${planVersion}`,
      };
    });
  },
};

/** The source and the thread, in the form of `inspect`'s arguments. */
function sourceArguments({ arguments: [named], options }: CliCall, env: CliIo["env"]): CliCall["arguments"] {
  const { file, store } = options;
  if (typeof file === "string") return [file, named];
  const isFile = named !== undefined && store === undefined && statSync(named, { throwIfNoEntry: false })?.isFile();
  return isFile === true ? [named] : [storeAddress(options, env), named];
}

/** Parses the number of a call. @throws ThreadfoldError `USAGE`. */
function callNumber({ call }: CliCall["options"]): number | undefined {
  if (call === undefined) return undefined;
  if (typeof call === "string" && /^[1-9]\d{0,8}$/.test(call)) return Number(call);
  throw new ThreadfoldError("USAGE", `--call is ${JSON.stringify(call)}; it must be a number, 1 or higher.`);
}
