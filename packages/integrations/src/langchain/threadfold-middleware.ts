import { ThreadfoldError } from "@threadfold/core";
import type { ContextSession, PreparedRequest } from "@threadfold/session";
import type { CompactionPreset } from "@threadfold/strategies";
import { type AgentMiddleware, type AIMessage, type BaseMessage, createMiddleware, type ModelRequest } from "langchain";
import { type AskOptions, askModel } from "../mirror/ask-model.ts";
import { type DoorOptions, givenDoorOptions } from "../mirror/door-options.ts";
import { type OpenSession, openOneSession, ThreadMirrors } from "../mirror/thread-mirrors.ts";
import { liveMessage } from "./live-message.ts";
import { answerUsage, cutOffCalls, withoutCalls } from "./model-answer.ts";
import { requestFrame } from "./request-frame.ts";
import { shownMessages, shownSystem } from "./shown-messages.ts";
import { type SummarizationPolicy, summarizationPolicy } from "./summarization-policy.ts";

/** One conversation, in a session that is open: its own policy holds. */
export interface SingleSession extends DoorOptions {
  readonly session: ContextSession;
}

/** A session for each thread of LangGraph, by the `thread_id` of the run. */
export interface SessionPerThread extends DoorOptions, SummarizationPolicy {
  /**
   * Opens the session of a thread. `preset` is what `trigger` and `keep` say; undefined when neither is given, so that it
   * can be handed on as it is.
   */
  readonly open: (
    threadId: ContextSession["threadId"],
    preset: CompactionPreset | undefined,
  ) => Promise<ContextSession>;
  /** Sessions that are kept at a time. 100 by default; those that were let go of are opened anew. */
  readonly maxOpenSessions?: number;
}

export type ThreadfoldMiddlewareOptions = SingleSession | SessionPerThread;

/** Request and answer of a model, as `wrapModelCall` has them. */
type Handler = (request: ModelRequest) => AIMessage | Promise<AIMessage>;

/**
 * A middleware for LangChain's `createAgent` that folds what the model is sent and leaves the state as it is: no message is
 * removed or rewritten, and the checkpointer keeps the whole conversation. When the state takes another way, as after time
 * travel, the run goes on in the thread of that way. The run's system message and tools go before `system` and `tools` of
 * the session's own frame, each for itself; tools are sent as the run has them. A request that the provider refuses as too
 * long is folded and sent once more; an answer that the output limit cut off within a call is asked for once more, and the
 * call is never run. Put it behind middleware that redacts, for what it sees is what the thread keeps.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` for a policy that is none.
 */
export function threadfoldMiddleware(options: ThreadfoldMiddlewareOptions) {
  const { onRequest, ...divergence } = givenDoorOptions(options);
  const maxOpenSessions = "session" in options ? 1 : (options.maxOpenSessions ?? 100);
  const mirrors = new ThreadMirrors({ ...divergence, format: "ai-sdk", maxOpenSessions });
  const open = openingOf(options);
  const mirrorOf = (threadId: string | undefined) => mirrors.of(threadIdOf(options, threadId), open);
  const sent = new WeakMap<BaseMessage, number>();
  const middleware = createMiddleware({
    name: "ThreadfoldMiddleware",
    wrapModelCall: async (request, handler) => {
      const { messages, runtime } = request;
      const mirror = await mirrorOf(runtime.configurable?.thread_id);
      const { session, offset } = await mirror.sync(messages.map(liveMessage));
      const last = messages.at(-1);
      if (last !== undefined) sent.set(last, messages.length);
      const turn = { session, offset, request: request as ModelRequest, handler: handler as Handler };
      return answerOf({ ...turn, ...(onRequest !== undefined && { onRequest }) });
    },
    afterAgent: async ({ messages }, runtime) => {
      // What was sent stands in the state as it is unless other middleware sends something else than the state says.
      const isMirrored = messages.some((message, index) => sent.get(message) === index + 1);
      if (!isMirrored) return;
      const mirror = await mirrorOf(runtime.configurable?.thread_id);
      await mirror.sync(messages.map(liveMessage));
    },
  });
  sessionsOf.set(middleware, async (threadId) => (await mirrorOf(threadId)).session);
  return middleware;
}

/** How the tools that belong to a middleware come to the session of a run. */
const sessionsOf = new WeakMap<object, (threadId: string | undefined) => Promise<ContextSession>>();

/**
 * The session that a middleware has for a run.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` for a middleware of another make, or a run that names no thread where sessions
 * are opened by thread.
 */
export async function middlewareSession(
  middleware: Pick<AgentMiddleware, "name">,
  threadId: string | undefined,
): Promise<ContextSession> {
  const sessionOf = sessionsOf.get(middleware);
  if (sessionOf !== undefined) return sessionOf(threadId);
  throw new ThreadfoldError("INVALID_CONFIG", `The middleware ${middleware.name} is not one of threadfoldMiddleware.`, {
    hint: "Make the tools of the middleware that threadfoldMiddleware gave, or of a session.",
  });
}

function openingOf(options: ThreadfoldMiddlewareOptions): OpenSession {
  if ("session" in options) return openOneSession(options.session);
  const { trigger, keep, open } = options;
  const policy = { ...(trigger !== undefined && { trigger }), ...(keep !== undefined && { keep }) };
  const preset = Object.keys(policy).length === 0 ? undefined : summarizationPolicy(policy);
  return (threadId) => open(threadId, preset);
}

function threadIdOf(options: ThreadfoldMiddlewareOptions, threadId: string | undefined): string {
  if ("session" in options) return options.session.threadId;
  if (threadId !== undefined) return threadId;
  throw new ThreadfoldError("INVALID_CONFIG", "thread_id: the run names no thread.", {
    hint: 'Invoke the agent with { configurable: { thread_id: "…" } }, or give the middleware one session.',
  });
}

/** One call of the model within a run. */
interface ModelTurn extends Pick<AskOptions, "onRequest"> {
  readonly session: ContextSession;
  /** Place in the conversation of the request's first message. */
  readonly offset: number;
  readonly request: ModelRequest;
  readonly handler: Handler;
}

async function answerOf(turn: ModelTurn): Promise<AIMessage> {
  const answer = await ask(turn);
  if (cutOffCalls(answer).size === 0) return answer;
  const again = await ask(turn);
  return withoutCalls(again, cutOffCalls(again));
}

async function ask({ session, offset, request, handler, ...options }: ModelTurn): Promise<AIMessage> {
  const { signal } = request.runtime;
  const send = async (prepared: PreparedRequest): Promise<AIMessage> =>
    handler({
      ...request,
      messages: shownMessages(prepared, session.thread, request.messages, offset),
      systemMessage: shownSystem(prepared, request.systemMessage),
    });
  const asked = { ...options, frame: requestFrame(request), ...(signal !== undefined && { signal }) };
  const answer = await askModel(session, asked, send);
  const usage = answerUsage(answer);
  if (usage !== undefined) await session.reportUsage(usage);
  return answer;
}
