import { liveFrame } from "@threadfold/importers";
import type { ContextSession, FrameFields, PreparedRequest } from "@threadfold/session";
import type { ModelMessage, SystemModelMessage, ToolSet } from "ai";
import { prepareFor } from "../mirror/ask-model.ts";
import { payloadOf } from "../mirror/payload-of.ts";
import { RECALL_DEFINITIONS, recallNames } from "../recall/recall-tools.ts";
import { type AiSdkSessionOptions, aiSdkSession } from "./ai-sdk-session.ts";
import { type ReportedAnswer, reportAnswer } from "./report-answer.ts";
import { toolDefinitions } from "./tool-definitions.ts";

/** How a prepare step is made. */
export interface PrepareStepOptions extends AiSdkSessionOptions {
  /**
   * The tools of the call, for counting, and for the session to know that the model has `threadfoldTools` among them. They go
   * before the `tools` of the session's own frame.
   */
  readonly tools?: ToolSet;
  /**
   * The call's instructions, where a step is not told them: in version 6, which calls them `system`. The instructions of a
   * call go before the `system` of the session's own frame, which is sent where the call has none.
   */
  readonly instructions?: string | SystemModelMessage | readonly SystemModelMessage[];
  /** Ends a fold that is under way: a prepare step is not told the call's own signal. */
  readonly signal?: AbortSignal;
}

/** What a step is told, as far as it matters here. Version 6 does not tell the initial messages apart. */
interface StepInput {
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

/** What a step is to send. `instructions` is what version 7 calls it, `system` what version 6 does. */
export interface PreparedStep {
  readonly messages: ModelMessage[];
  readonly instructions?: SystemModelMessage[];
  readonly system?: SystemModelMessage[];
}

/**
 * A `prepareStep` for `generateText`, `streamText` and agents of the AI SDK, versions 6 and 7: before each step the session
 * takes in what is new and makes the prompt. It starts from the initial and the response messages every time, never from
 * what an earlier step sent, so that no fold is made of a fold. Put {@link createOnEnd} beside it, so that the last answer
 * is taken in as well, and `compactionMiddleware` around the model, so that an overflow is folded for.
 */
export function createPrepareStep({ tools, instructions, signal, ...options }: PrepareStepOptions) {
  const state = aiSdkSession(options);
  state.hasSteps = true;
  const definitions = tools === undefined ? undefined : toolDefinitions(tools);
  return async (step: StepInput): Promise<PreparedStep> => {
    const last = step.steps.at(-1);
    if (last !== undefined && !state.hasMiddleware) await reportAnswer(state.mirror.session, last);
    if (last === undefined) state.initialMessages = step.initialMessages ?? step.messages;
    const { session } = await state.mirror.sync(conversationOf(step));
    const told = step.initialInstructions ?? instructions;
    const offered = await definitions;
    const frame: FrameFields = {
      ...(told !== undefined && { system: liveFrame("ai-sdk", { instructions: told }).system }),
      ...(offered !== undefined && { tools: offered }),
      ...(offered === undefined && state.hasTools && { tools: withRecallTools(session) }),
    };
    const { onRequest } = state;
    const prepared = await prepareFor(session, {
      frame,
      ...(signal !== undefined && { signal }),
      ...(onRequest !== undefined && { onRequest }),
    });
    return preparedStep(prepared, step.initialMessages === undefined ? "system" : "instructions");
  };
}

/** The session's own tools and those that lead to what is folded, which the host offers without saying so here. */
const withRecallTools = ({ frame: { tools } }: ContextSession): FrameFields["tools"] => {
  const known = recallNames(tools);
  return [...tools, ...RECALL_DEFINITIONS.filter(({ name }) => !known.has(name))];
};

/** The conversation as it is, whatever earlier steps sent of it. */
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
