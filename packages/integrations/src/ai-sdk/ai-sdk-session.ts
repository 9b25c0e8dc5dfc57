import type { ContextSession } from "@threadfold/session";
import type { OnDiverged } from "../mirror/divergence.ts";
import { ThreadMirror } from "../mirror/thread-mirror.ts";

/** What everything here is made with. */
export interface AiSdkSessionOptions {
  /** Its format has to be `ai-sdk`. */
  readonly session: ContextSession;
  /** Called when the conversation was edited; without it, that is an error. */
  readonly onDiverged?: OnDiverged;
}

/** How a session stands between the SDK's messages and a model: shared by its prepare step and its middleware. */
export interface AiSdkSession {
  readonly mirror: ThreadMirror;
  /** True when a prepare step makes the prompts: what a model is handed is folded already. */
  hasSteps: boolean;
  /** True when a middleware hears of each answer's usage. */
  hasMiddleware: boolean;
  /** The conversation before the newest run, as its first step was given it. */
  initialMessages: readonly unknown[];
}

const KNOWN = new WeakMap<ContextSession, AiSdkSession>();

/** The one state that a session has here. */
export function aiSdkSession({ session, onDiverged }: AiSdkSessionOptions): AiSdkSession {
  const known = KNOWN.get(session);
  if (known !== undefined) return known;
  const made: AiSdkSession = {
    mirror: new ThreadMirror({ session, format: "ai-sdk", ...(onDiverged !== undefined && { onDiverged }) }),
    hasSteps: false,
    hasMiddleware: false,
    initialMessages: [],
  };
  KNOWN.set(session, made);
  return made;
}
