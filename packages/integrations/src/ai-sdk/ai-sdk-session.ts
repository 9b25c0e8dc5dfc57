import type { ContextSession } from "@threadfold/session";
import type { AskOptions } from "../mirror/ask-model.ts";
import { type DoorOptions, givenDoorOptions } from "../mirror/door-options.ts";
import { ThreadMirror } from "../mirror/thread-mirror.ts";

/**
 * What everything here is made with. `createPrepareStep`, `createOnEnd` and `compactionMiddleware` of one session share
 * its state: of what each of them is given beside the session, the newest holds for all.
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
  /** True when a middleware hears of each answer's usage. */
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
