import { type ContextSession, type ModelResponse, stopReasonOf } from "@threadfold/session";
import type { AskOptions } from "../mirror/ask-model.ts";
import { type DoorOptions, givenDoorOptions } from "../mirror/divergence.ts";
import { ThreadMirror } from "../mirror/thread-mirror.ts";

/**
 * Options that `createPrepareStep`, `createOnEnd` and `compactionMiddleware` share. All of them use one state per
 * session: for every option besides `session`, the value given last applies to all of them.
 */
export interface AiSdkSessionOptions extends DoorOptions {
  /** Its format must be `ai-sdk`. */
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
  /** The conversation before the newest run, as passed to its first step. */
  initialMessages: readonly unknown[];
  /** The conversation before each run, by the result of its first step: runs may overlap. */
  readonly initialOf: WeakMap<object, readonly unknown[]>;
  onRequest: AskOptions["onRequest"];
}

const KNOWN = new WeakMap<ContextSession, AiSdkSession>();

/** Returns the session's shared state, creating it on first use. */
export function aiSdkSession({ session, ...options }: AiSdkSessionOptions): AiSdkSession {
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
    initialMessages: [],
    initialOf: new WeakMap(),
    onRequest: undefined,
  };
  KNOWN.set(session, state);
  return state;
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
