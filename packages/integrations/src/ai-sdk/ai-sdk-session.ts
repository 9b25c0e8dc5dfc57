import { type ContextSession, type ModelResponse, stopReasonOf } from "@threadfold/session";
import type { AskOptions } from "../mirror/ask-model.ts";
import { type DoorOptions, givenDoorOptions } from "../mirror/divergence.ts";
import { ThreadMirror } from "../mirror/thread-mirror.ts";

/**
 * What everything here is made with. `createPrepareStep`, `createOnEnd` and `compactionMiddleware` of one session share
 * its state: of what each of them is given besides the session, the newest holds for all.
 */
export interface AiSdkSessionOptions extends DoorOptions {
  /** Its format has to be `ai-sdk`. */
  readonly session: ContextSession;
}

/** How a session stands between the SDK's messages and a model: shared by its prepare step and its middleware. */
export interface AiSdkSession {
  readonly mirror: ThreadMirror;
  /** True when a prepare step makes the prompts: what a model is handed is folded already. */
  hasSteps: boolean;
  /** True when a middleware sees each answer's usage. */
  hasMiddleware: boolean;
  /** True when the session's tools were made: the host has them among those that it offers. */
  hasTools: boolean;
  /** The conversation before the newest run, as its first step was given it. */
  initialMessages: readonly unknown[];
  onRequest: AskOptions["onRequest"];
}

const KNOWN = new WeakMap<ContextSession, AiSdkSession>();

/** The one state that a session has here. */
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
    onRequest: undefined,
  };
  KNOWN.set(session, state);
  return state;
}

/** Token figures as steps report them (plain numbers) and as models do (by kind). */
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

/** An answer as far as the session learns from it. Its messages come with the conversation, at the next step. */
export interface ReportedAnswer {
  readonly usage: AiSdkUsage;
  readonly finishReason: string | { readonly unified: string };
}

/** Tells the session what an answer used and why it ended. */
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
