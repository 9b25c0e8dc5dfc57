import { ThreadfoldError } from "@threadfold/core";
import type { ContextSession, PreparedRequest } from "@threadfold/session";
import type { CompactionPreset } from "@threadfold/strategies";
import { type AIMessage, type BaseMessage, createMiddleware, type ModelRequest } from "langchain";
import { askModel } from "../mirror/ask-model.ts";
import type { OnDiverged } from "../mirror/divergence.ts";
import { answerUsage, cutOffCalls, withoutCalls } from "./model-answer.ts";
import { requestFrame } from "./request-frame.ts";
import { RunMirrors } from "./run-mirrors.ts";
import { shownMessages, shownSystem } from "./shown-messages.ts";
import { type SummarizationPolicy, summarizationPolicy } from "./summarization-policy.ts";

/** What every form of the middleware takes. */
interface SharedOptions {
  /**
   * Called when the state no longer begins with what the thread was made of, as after time travel. By default the run goes
   * on in a fork of the thread where sessions are opened by `open`, and fails with `HISTORY_DIVERGED` where there is one
   * `session`.
   */
  readonly onDiverged?: OnDiverged;
}

/** One conversation, in a session that is open: its own policy holds. */
export interface SingleSession extends SharedOptions {
  readonly session: ContextSession;
}

/** A session for each thread of LangGraph, by the `thread_id` of the run. */
export interface SessionPerThread extends SharedOptions, SummarizationPolicy {
  /**
   * Opens the session of a thread. `preset` is what `trigger` and `keep` say; undefined when neither is given, so that it
   * can be handed on as it is.
   */
  readonly open: (
    threadId: ContextSession["threadId"],
    preset: CompactionPreset | undefined,
  ) => Promise<ContextSession>;
  /** Sessions that are kept open at a time. 100 by default; those that were closed for it are opened anew. */
  readonly maxOpenSessions?: number;
}

export type ThreadfoldMiddlewareOptions = SingleSession | SessionPerThread;

/** Request and answer of a model, as `wrapModelCall` has them. */
type Handler = (request: ModelRequest) => AIMessage | Promise<AIMessage>;

/**
 * A middleware for LangChain's `createAgent` that folds what the model is sent and leaves the state as it is: no message is
 * removed or rewritten, and the checkpointer keeps the whole conversation. A request that the provider refuses as too long
 * is folded and sent once more; an answer that the output limit cut off within a call is asked for once more, and the call
 * is never run. Put it behind middleware that redacts, for what it sees is what the thread keeps.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` for a policy that is none.
 */
export function threadfoldMiddleware(options: ThreadfoldMiddlewareOptions) {
  const mirrors = mirrorsFor(options);
  const sent = new WeakMap<BaseMessage, number>();
  return createMiddleware({
    name: "ThreadfoldMiddleware",
    wrapModelCall: async (request, handler) => {
      const { messages, runtime } = request;
      const mirror = await mirrors.of(threadIdOf(options, runtime.configurable?.thread_id));
      const session = await mirror.sync(messages);
      const last = messages.at(-1);
      if (last !== undefined) sent.set(last, messages.length);
      return answerOf(session, request as ModelRequest, handler as Handler);
    },
    afterAgent: async ({ messages }, runtime) => {
      // What was sent stands in the state as it is unless other middleware sends something else than the state says.
      const isMirrored = messages.some((message, index) => sent.get(message) === index + 1);
      if (!isMirrored) return;
      const mirror = await mirrors.of(threadIdOf(options, runtime.configurable?.thread_id));
      await mirror.sync(messages);
    },
  });
}

function mirrorsFor(options: ThreadfoldMiddlewareOptions): RunMirrors {
  const { onDiverged } = options;
  if ("session" in options) {
    const fail: OnDiverged = ({ session, position }) => {
      throw new ThreadfoldError("HISTORY_DIVERGED", `The state parts from ${session.threadId} at message ${position}.`);
    };
    return new RunMirrors({ open: async () => options.session, maxOpenSessions: 1, onDiverged: onDiverged ?? fail });
  }
  const { open, trigger, keep, maxOpenSessions = 100 } = options;
  const isGiven = trigger !== undefined || keep !== undefined;
  const preset = isGiven
    ? summarizationPolicy({ ...(trigger !== undefined && { trigger }), ...(keep !== undefined && { keep }) })
    : undefined;
  return new RunMirrors({
    open: (threadId) => open(threadId, preset),
    maxOpenSessions,
    ...(onDiverged !== undefined && { onDiverged }),
  });
}

function threadIdOf(options: ThreadfoldMiddlewareOptions, threadId: string | undefined): string {
  if ("session" in options) return options.session.threadId;
  if (threadId !== undefined) return threadId;
  throw new ThreadfoldError("INVALID_CONFIG", "thread_id: the run names no thread.", {
    hint: 'Invoke the agent with { configurable: { thread_id: "…" } }, or give the middleware one session.',
  });
}

async function answerOf(session: ContextSession, request: ModelRequest, handler: Handler): Promise<AIMessage> {
  const answer = await ask(session, request, handler);
  if (cutOffCalls(answer).size === 0) return answer;
  const again = await ask(session, request, handler);
  return withoutCalls(again, cutOffCalls(again));
}

async function ask(session: ContextSession, request: ModelRequest, handler: Handler): Promise<AIMessage> {
  const { signal } = request.runtime;
  const frame = requestFrame(request);
  const send = async (prepared: PreparedRequest): Promise<AIMessage> =>
    handler({
      ...request,
      messages: shownMessages(prepared, session.thread, request.messages),
      systemMessage: shownSystem(prepared, frame.system, request.systemMessage),
    });
  const answer = await askModel(session, { frame, ...(signal !== undefined && { signal }) }, send);
  const usage = answerUsage(answer);
  if (usage !== undefined) await session.reportUsage(usage);
  return answer;
}
