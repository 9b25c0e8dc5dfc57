import { canonicalJson, type JsonValue, type ToolDefinition } from "@threadfold/core";
import { READ_ARTIFACT_DEFINITION, SEARCH_THREAD_DEFINITION } from "@threadfold/rehydration";
import type { ContextSession } from "@threadfold/session";

/** The names of the tools with which a model reads what is folded. */
export type ThreadfoldToolName = "read_artifact" | "search_thread";

/** The definitions of both tools, for the frame of a host that does not list its tools. */
export const RECALL_DEFINITIONS: readonly ToolDefinition[] = Object.freeze([
  READ_ARTIFACT_DEFINITION,
  SEARCH_THREAD_DEFINITION,
]);

/** One of the tools, for a host to offer in its own form. */
export interface RecallTool<Context> {
  readonly name: ThreadfoldToolName;
  readonly description: string;
  readonly inputSchema: ToolDefinition["inputSchema"];
  /**
   * Returns the text for the model. When nothing is found, the text says so.
   *
   * @throws what a failing store throws.
   */
  run(input: unknown, context: Context): Promise<string>;
}

/**
 * Creates `read_artifact` and `search_thread` over the session of a conversation; every host's tools are built from
 * these.
 *
 * @param sessionOf returns the session of a call, given what the host passes along with the call.
 */
export function recallTools<Context = void>(
  sessionOf: (context: Context) => ContextSession | Promise<ContextSession>,
): readonly [readArtifact: RecallTool<Context>, searchThread: RecallTool<Context>] {
  const toolOf = ({ name, description = "", inputSchema }: ToolDefinition): RecallTool<Context> => ({
    name: name as ThreadfoldToolName,
    description,
    inputSchema,
    run: async (input, context) => runRecall(await sessionOf(context), name, input),
  });
  return [toolOf(READ_ARTIFACT_DEFINITION), toolOf(SEARCH_THREAD_DEFINITION)];
}

/** Runs one of a session's recall tools by name. @throws what a failing store throws. */
export async function runRecall(session: ContextSession, name: string, input: unknown): Promise<string> {
  const [readArtifact, searchThread] = session.tools();
  const tool = name === searchThread.definition.name ? searchThread : readArtifact;
  return (await tool.execute((input ?? {}) as JsonValue)).text;
}

/**
 * Returns which of a request's tools are our recall tools. A host's own tool of the same name has a different schema.
 */
export const recallNames = (tools: readonly ToolDefinition[]): ReadonlySet<string> =>
  new Set(tools.filter((tool) => RECALL_DEFINITIONS.some((own) => isSameTool(own, tool))).map(({ name }) => name));

const isSameTool = (own: ToolDefinition, tool: ToolDefinition): boolean =>
  own.name === tool.name && (own === tool || canonicalJson(own.inputSchema) === canonicalJson(tool.inputSchema));
