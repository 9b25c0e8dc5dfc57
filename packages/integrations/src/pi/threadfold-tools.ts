import type { ExtensionContext, ToolDefinition } from "@earendil-works/pi-coding-agent";
import type { ContextSession } from "@threadfold/session";
import { recallTools } from "../recall/recall-tools.ts";
import { branchLog } from "./branch-log.ts";
import { branchSession, importBranch } from "./branch-session.ts";
import type { PiCompactionOptions } from "./session-before-compact.ts";

/**
 * `read_artifact` and `search_thread` as tools of pi: the model's own ways to what was compacted away on the branch that it
 * is on. `threadfoldExtension` registers them. What cannot be found is said to the model in words; only a failing store
 * fails a call.
 *
 * @param options those of `sessionBeforeCompact`: both have to have the same `store`.
 */
export function threadfoldTools({ onProblem: _, ...options }: PiCompactionOptions): ToolDefinition[] {
  const sessionOf = async ({ sessionManager }: ExtensionContext): Promise<ContextSession> => {
    const log = branchLog(sessionManager.getSessionId(), sessionManager.getBranch());
    return branchSession(await importBranch(log), options);
  };
  return recallTools(sessionOf).map(({ name, description, inputSchema, run }) => ({
    name,
    label: name === "read_artifact" ? "Read folded content" : "Search folded content",
    description,
    parameters: inputSchema as unknown as ToolDefinition["parameters"],
    execute: async (_callId, input, _signal, _onUpdate, context) => ({
      content: [{ type: "text", text: await run(input, context) }],
      details: undefined,
    }),
  }));
}
