import type { JsonObject, JsonValue, ToolDefinition } from "@threadfold/core";
import { liveFrame } from "@threadfold/importers";
import type { ContextSession, FrameFields, PreparedRequest } from "@threadfold/session";
import { asSchema, jsonSchema, type ModelMessage, type SystemModelMessage, type Tool, type ToolSet, tool } from "ai";
import { isSameMessage } from "../mirror/alignment.ts";
import { modelName, payloadOf, prepareFor } from "../mirror/ask-model.ts";
import { RECALL_DEFINITIONS, recallNames, recallTools, type ThreadfoldToolName } from "../mirror/recall-tools.ts";
import {
  type AiSdkSession,
  type AiSdkSessionOptions,
  aiSdkSession,
  keepRun,
  noteOf,
  type RecallCall,
  type ReportedAnswer,
  recallingSession,
  reportAnswer,
  runOf,
} from "./ai-sdk-session.ts";

/** Options of {@link createPrepareStep}. */
export interface PrepareStepOptions extends AiSdkSessionOptions {
  /**
   * The tools of the call, so that they are counted and the session knows whether `threadfoldTools` are among them.
   * They take precedence over the `tools` of the session's own frame.
   */
  readonly tools?: ToolSet;
  /**
   * The call's instructions, for SDK versions that do not pass them to a step: version 6, which calls them `system`.
   * They take precedence over the `system` of the session's own frame, which is sent when the call has none.
   */
  readonly instructions?: string | SystemModelMessage | readonly SystemModelMessage[];
  /** Aborts a fold that is in progress: a prepare step does not receive the call's own signal. */
  readonly signal?: AbortSignal;
}

/** The fields of a step's input that are used here. Version 6 does not pass the initial messages separately. */
interface StepInput {
  /** The step's model, or a model name at a gateway. */
  readonly model?: string | { readonly modelId?: unknown } | undefined;
  readonly steps: readonly (ReportedAnswer & StepMessages)[];
  readonly messages: readonly unknown[];
  readonly initialMessages?: readonly unknown[];
  readonly responseMessages?: readonly unknown[];
  readonly initialInstructions?: unknown;
  readonly experimental_steeringMessages?: readonly unknown[];
}

interface StepMessages {
  readonly response: { readonly messages: readonly unknown[] };
  readonly experimental_steeringMessages?: readonly unknown[];
}

/** What a step sends. `instructions` is version 7's name for the field that version 6 calls `system`. */
export interface PreparedStep {
  readonly messages: ModelMessage[];
  readonly instructions?: SystemModelMessage[];
  readonly system?: SystemModelMessage[];
  /** Names the thread for `compactionMiddleware`, if the session has one; it removes the name. */
  readonly providerOptions?: Record<string, Record<string, string>>;
}

/**
 * Returns a `prepareStep` for `generateText`, `streamText` and agents of the AI SDK, versions 6 and 7: before each step
 * the session appends the new messages and makes the prompt. It always starts from the initial and the response
 * messages, never from what an earlier step sent, so a fold is never folded again. Add {@link createOnEnd}, so that the
 * last answer is appended as well, and `compactionMiddleware` around the model, so that an overflow is folded for.
 */
export function createPrepareStep({ tools, instructions, signal, ...options }: PrepareStepOptions) {
  const state = aiSdkSession(options);
  state.hasSteps = true;
  const definitions = tools === undefined ? undefined : toolDefinitions(tools);
  return async (step: StepInput): Promise<PreparedStep> => {
    await reportLast(state, step.steps);
    const { session } = await state.mirror.sync(conversationOf(step));
    keepRun(state, step.steps, { session, initialMessages: initialMessagesOf(step) });
    const told = step.initialInstructions ?? instructions;
    const offered = await definitions;
    const frame: FrameFields = {
      ...(told !== undefined && { system: liveFrame("ai-sdk", { instructions: told }).system }),
      ...(offered !== undefined && { tools: offered }),
      ...(offered === undefined && state.hasTools && { tools: withRecallTools(session) }),
    };
    const { onRequest } = state;
    const prepared = await prepareFor(session, {
      ...{ frame, model: stepModel(step) },
      ...(signal !== undefined && { signal }),
      ...(onRequest !== undefined && { onRequest }),
    });
    const prompt = preparedStep(prepared, step.initialMessages === undefined ? "system" : "instructions");
    // Version 6 passes to tools the messages of the step as they came, version 7 those that are sent.
    for (const messages of [step.messages, prompt.messages]) state.asked.set(messages, session);
    return state.hasMiddleware ? { ...prompt, providerOptions: noteOf(state, session) } : prompt;
  };
}

/** Reports the newest answer of a run to the session that asked for it, unless a middleware did so. */
async function reportLast(state: AiSdkSession, steps: readonly ReportedAnswer[]): Promise<void> {
  const last = steps.at(-1);
  if (last === undefined || state.hasMiddleware) return;
  await reportAnswer(runOf(state, steps)?.session ?? state.mirror.session, last);
}

const stepModel = ({ model }: StepInput): string | undefined =>
  modelName(typeof model === "object" ? model.modelId : model);

/** The session's own tools plus the recall tools, which the host offers without listing them here. */
const withRecallTools = ({ frame: { tools } }: ContextSession): FrameFields["tools"] => {
  const known = recallNames(tools);
  return [...tools, ...RECALL_DEFINITIONS.filter(({ name }) => !known.has(name))];
};

/** The conversation before the run. Version 6 passes it together with the responses so far. */
function initialMessagesOf({ initialMessages, messages, steps }: StepInput): readonly unknown[] {
  const said = steps.at(-1)?.response.messages.length ?? 0;
  return initialMessages ?? messages.slice(0, messages.length - said);
}

/** The original conversation, whatever earlier steps sent of it. */
function conversationOf(step: StepInput): readonly unknown[] {
  const { initialMessages, responseMessages = [], steps, messages } = step;
  if (initialMessages === undefined) return messages;
  const steered = [...steps, step].some(({ experimental_steeringMessages: steering }) => steering !== undefined);
  if (!steered) return [...initialMessages, ...responseMessages];
  const said = steps.flatMap(({ experimental_steeringMessages: steering = [], response }) => [
    ...steering,
    ...response.messages,
  ]);
  return [...initialMessages, ...said, ...(step.experimental_steeringMessages ?? [])];
}

function preparedStep(prepared: PreparedRequest, field: "instructions" | "system"): PreparedStep {
  const { messages, instructions } = payloadOf(prepared, "ai-sdk") as unknown as {
    readonly messages: ModelMessage[];
    readonly instructions?: SystemModelMessage[];
  };
  return { messages, ...(instructions !== undefined && { [field]: instructions }) };
}

/** The fields of a run's end that are used here. Only version 7 has all response messages in one place. */
interface RunEnd {
  readonly steps: readonly ReportedAnswer[];
  readonly responseMessages?: readonly unknown[];
  readonly response: { readonly messages: readonly unknown[] };
}

/**
 * Returns an `onEnd` (in version 6 `onFinish`) to go with {@link createPrepareStep}: it appends the last answer of a
 * run and reports its usage, so that the thread is complete when the run is.
 */
export function createOnEnd(options: AiSdkSessionOptions) {
  const state = aiSdkSession(options);
  return async ({ steps, responseMessages, response }: RunEnd): Promise<void> => {
    await reportLast(state, steps);
    const { initialMessages: before = [] } = runOf(state, steps) ?? state.newest ?? {};
    const said = responseMessages ?? response.messages;
    // Version 6 has the result of a call that was just approved in both lists.
    const isTwice = responseMessages === undefined && isSameMessage(before.at(-1), said[0]);
    await state.mirror.sync([...before, ...(isTwice ? said.slice(1) : said)]);
  };
}

/**
 * Returns `read_artifact` and `search_thread` as tools of the AI SDK, with which the model can read what is folded.
 * Spread them into a call's `tools`. When nothing is found, the model is told so in text; a call fails only when the
 * store does.
 */
export function threadfoldTools(session: ContextSession): Record<ThreadfoldToolName, Tool<JsonValue, string>> {
  const state = aiSdkSession({ session });
  state.hasTools = true;
  const [readArtifact, searchThread] = recallTools((call: RecallCall) => recallingSession(state, call));
  const toolOf = ({ description, inputSchema, run }: typeof readArtifact) =>
    tool({ description, inputSchema: jsonSchema<JsonValue>(inputSchema), execute: run });
  return { read_artifact: toolOf(readArtifact), search_thread: toolOf(searchThread) };
}

/** Tool definitions as a session counts them. Tools that run at the provider have no schema and are left out. */
async function toolDefinitions(tools: ToolSet): Promise<readonly ToolDefinition[]> {
  const own = Object.entries(tools).filter(
    ([, { type }]) => type === undefined || type === "function" || type === "dynamic",
  );
  return Promise.all(
    own.map(async ([name, { description, inputSchema }]): Promise<ToolDefinition> => {
      const schema = (await asSchema(inputSchema).jsonSchema) as JsonObject;
      return { name, ...(typeof description === "string" && { description }), inputSchema: schema };
    }),
  );
}
