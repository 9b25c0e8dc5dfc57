import { type ContextSession, type ModelResponse, stopReasonOf } from "@threadfold/session";
import { type AskOptions, checkDoor } from "../mirror/ask-model.ts";
import { type DoorOptions, givenDoorOptions } from "../mirror/divergence.ts";
import { RECALL_DEFINITIONS } from "../mirror/recall-tools.ts";
import { ThreadMirror } from "../mirror/thread-mirror.ts";

/**
 * Options that `createPrepareStep`, `createOnEnd` and `compactionMiddleware` share. All of them use one state per
 * session: for every option besides `session`, the value given last applies to all of them.
 */
export interface AiSdkSessionOptions extends DoorOptions {
  /** Its format must be `ai-sdk`. */
  readonly session: ContextSession;
}

/** A call of the SDK with all its steps. Runs may overlap, each on its own branch of the conversation. */
export interface AiSdkRun {
  /** The conversation before the run, as passed to its first step. */
  readonly initialMessages: readonly unknown[];
  /** The session that made the run's newest prompt. */
  readonly session: ContextSession;
}

/**
 * The state that connects the SDK's messages, a session and a model; shared by the session's prepare step and its
 * middleware.
 */
export interface AiSdkSession {
  readonly mirror: ThreadMirror;
  /** True when a prepare step makes the prompts, so that the prompt the middleware sees is already folded. */
  hasSteps: boolean;
  /** True when a middleware sees each answer's usage. */
  hasMiddleware: boolean;
  /** True when the session's tools were created, so that the host offers them to the model. */
  hasTools: boolean;
  /** The run that was prepared last. */
  newest: AiSdkRun | undefined;
  /** Each run by the list of its steps, which the SDK keeps for all of the run, and by the result of its first step. */
  readonly runs: WeakMap<object, AiSdkRun>;
  /** The session that made each prompt, by the note that goes with the prompt to the middleware. */
  readonly prompted: WeakMap<object, ContextSession>;
  /** The session of each step, by the messages which the SDK passes to the tools that its answer calls. */
  readonly asked: WeakMap<object, ContextSession>;
  /** Where no step is prepared: the session of each call of a recall tool, until it is answered. */
  readonly recalled: Map<string, ContextSession>;
  onRequest: AskOptions["onRequest"];
}

const KNOWN = new WeakMap<ContextSession, AiSdkSession>();

/** Returns the session's shared state, creating it on first use. */
export function aiSdkSession({ session, ...options }: AiSdkSessionOptions): AiSdkSession {
  checkDoor({ session }, "ai-sdk");
  const state = KNOWN.get(session) ?? newState(session);
  const { onRequest, ...divergence } = givenDoorOptions(options);
  state.mirror.follow(divergence);
  if (onRequest !== undefined) state.onRequest = onRequest;
  return state;
}

function newState(session: ContextSession): AiSdkSession {
  const state: AiSdkSession = {
    mirror: new ThreadMirror({ session, format: "ai-sdk" }),
    hasSteps: false,
    hasMiddleware: false,
    hasTools: false,
    newest: undefined,
    runs: new WeakMap(),
    prompted: new WeakMap(),
    asked: new WeakMap(),
    recalled: new Map(),
    onRequest: undefined,
  };
  KNOWN.set(session, state);
  return state;
}

/** Returns the run that has these steps; undefined when it is not known. */
export const runOf = ({ runs }: AiSdkSession, steps: readonly object[]): AiSdkRun | undefined =>
  runs.get(steps) ?? (steps[0] && runs.get(steps[0]));

export function keepRun(state: AiSdkSession, steps: readonly object[], run: AiSdkRun): void {
  state.newest = run;
  for (const known of [steps, ...steps.slice(0, 1)]) state.runs.set(known, run);
}

/** The fields of a part of an answer that say whether it is a call, and of what. */
interface AnswerPart {
  readonly type: string;
  readonly toolName?: string;
  readonly toolCallId?: string;
}

/** Remembers who asked for the calls of a recall tool among the parts of an answer. */
export function keepRecall(state: AiSdkSession, session: ContextSession, parts: readonly AnswerPart[]): void {
  if (!state.hasTools || state.hasSteps) return;
  for (const { type, toolName, toolCallId } of parts) {
    const isRecall = type === "tool-call" && RECALL_DEFINITIONS.some(({ name }) => name === toolName);
    if (!isRecall || toolCallId === undefined) continue;
    state.recalled.set(toolCallId, session);
    const [oldest = toolCallId] = state.recalled.keys();
    if (state.recalled.size > MOST_RECALLED) state.recalled.delete(oldest);
  }
}

/** Calls that are remembered until they are answered; those of a run that was aborted never are. */
const MOST_RECALLED = 256;

/** What the SDK passes to a tool along with its input. */
export interface RecallCall {
  /** The messages of the step whose answer called the tool. */
  readonly messages: readonly object[];
  readonly toolCallId: string;
}

/** Returns the session whose thread a call of a recall tool is about: that of its own run, if it is known. */
export function recallingSession(state: AiSdkSession, { messages, toolCallId }: RecallCall): ContextSession {
  const session = state.asked.get(messages) ?? state.recalled.get(toolCallId) ?? state.mirror.session;
  state.recalled.delete(toolCallId);
  return session;
}

/** The field of a call's provider options that tells the middleware which session made its prompt. */
const NOTE = "threadfold";

/**
 * Returns the provider options with which a middleware finds the session that made a prompt. Every other part of a call
 * is copied on its way to the model.
 */
export function noteOf(state: AiSdkSession, session: ContextSession): Record<string, Record<string, string>> {
  const note = { threadId: session.threadId };
  state.prompted.set(note, session);
  return { [NOTE]: note };
}

/** Returns the session that made a call's prompt, if it is known, and the call without the note of it. */
export function promptedCall<Params extends { providerOptions?: Record<string, object> }>(
  state: AiSdkSession,
  params: Params,
): { readonly session: ContextSession | undefined; readonly params: Params } {
  const { providerOptions, ...rest } = params;
  const { [NOTE]: note, ...others } = providerOptions ?? {};
  if (note === undefined) return { session: undefined, params };
  const options = Object.keys(others).length === 0 ? {} : { providerOptions: others };
  return { session: state.prompted.get(note), params: { ...rest, ...options } as Params };
}

/** Token counts, either as steps report them (plain numbers) or as models do (broken down by kind). */
interface AiSdkUsage {
  readonly inputTokens?: number | AiSdkTokens | undefined;
  readonly outputTokens?: number | AiSdkTokens | undefined;
  readonly inputTokenDetails?: {
    readonly cacheReadTokens?: number | undefined;
    readonly cacheWriteTokens?: number | undefined;
  };
}

interface AiSdkTokens {
  readonly total?: number | undefined;
  readonly cacheRead?: number | undefined;
  readonly cacheWrite?: number | undefined;
}

/** The fields of an answer that the session uses. Its messages come with the conversation, at the next step. */
export interface ReportedAnswer {
  readonly usage: AiSdkUsage;
  readonly finishReason: string | { readonly unified: string };
}

/** Reports an answer's usage and stop reason to the session. */
export async function reportAnswer(session: ContextSession, { usage, finishReason }: ReportedAnswer): Promise<void> {
  const reason = typeof finishReason === "string" ? finishReason : finishReason.unified;
  await session.complete({ messages: [], ...usageOf(usage), stopReason: stopReasonOf(reason) });
}

function usageOf({ inputTokens, outputTokens, inputTokenDetails }: AiSdkUsage): Pick<ModelResponse, "usage"> {
  const input = typeof inputTokens === "object" ? inputTokens : { total: inputTokens };
  const output = typeof outputTokens === "object" ? outputTokens.total : outputTokens;
  if (input.total === undefined) return {};
  const read = input.cacheRead ?? inputTokenDetails?.cacheReadTokens;
  const written = input.cacheWrite ?? inputTokenDetails?.cacheWriteTokens;
  return {
    usage: {
      inputTokens: input.total,
      ...(output !== undefined && { outputTokens: output }),
      ...(read !== undefined && { cacheReadTokens: read }),
      ...(written !== undefined && { cacheWriteTokens: written }),
    },
  };
}
