import {
  type AgentThread,
  actionOf,
  type CompactionPlan,
  type ContextCompactionEvent,
  canonicalJson,
  finishSteps,
  type Message,
  READ_ARTIFACT_TOOL_NAME,
  SEARCH_THREAD_TOOL_NAME,
  type Steps,
  sha256,
  type ToolCallPart,
} from "@threadfold/core";

/** Signs that a fold removed something that was still needed, counted since the newest fold. */
export interface CompactionQualityMetrics {
  readonly turnsSinceCompaction: number;
  /** The number of model calls since the newest fold: an autonomous run may be one endless turn. */
  readonly stepsSinceCompaction: number;
  /** The number of `read_artifact` calls. */
  readonly rehydrationRequests: number;
  /** The number of `search_thread` calls. */
  readonly recallRequests: number;
  /** The number of calls with the same tool and arguments as one whose result was folded away. */
  readonly repeatedCalls: number;
  /**
   * True when the agent asked for something it had been told ("what was the budget again?") or repeated a folded call.
   */
  readonly agentAskedForContext: boolean;
  /** Whether the task was completed; null when the host does not know. */
  readonly taskCompletionSuccess: boolean | null;
}

const ASKED_AGAIN = new RegExp(
  [
    /\bwhat (?:was|were|is|did) [^.?!\n]{1,120}\bagain\s*\?/,
    /\b(?:could|can|would|please)\b[^.?!\n]{0,40}\b(?:remind me|repeat|re-?share|resend|paste [^.?!\n]{1,40} again)\b/,
    /\bi (?:no longer (?:have|see|remember)|don'?t (?:have|recall|remember|see)|lost|can'?t (?:see|recall))\b[^.?!\n]{0,80}\b(?:earlier|previous|context|conversation|contents?|details?|anymore)\b/,
    /was war(?:en)? (?:noch ?mal|nochmals)|rappelle[rz]?-moi|recu[eé]rdame|再(?:说|提供|发)一(?:遍|次)|もう一度(?:教え|送)/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "iu",
);
/** How much of a message of the agent is searched for questions, in UTF-16 code units. */
const READ = 20_000;

/** Measures how well the newest fold works. Pure: it depends only on the arguments. */
export const compactionQuality = (
  thread: AgentThread,
  plan: CompactionPlan,
  taskCompletionSuccess: boolean | null = null,
): CompactionQualityMetrics => finishSteps(compactionQualityInSteps(thread, plan, taskCompletionSuccess));

/**
 * Does the same as {@link compactionQuality}, in steps. The first call reads the whole thread, later ones new messages.
 */
export function* compactionQualityInSteps(
  thread: AgentThread,
  plan: CompactionPlan,
  taskCompletionSuccess: boolean | null = null,
): Steps<CompactionQualityMetrics> {
  const since = plan.version === 0 ? [] : messagesSince(thread, plan.threadVersion);
  const before = since[0] === undefined ? undefined : thread.messageAt(since[0].ordinal - 1);
  const calls = since.flatMap(callsOf);
  const { results } = yield* answeredCalls(thread);
  const repeatedCalls = calls.filter((call) =>
    (results.get(callKey(call)) ?? []).some((result) => isFolded(result, thread, plan)),
  ).length;
  const asked = since.some((message) => message.role === "assistant" && ASKED_AGAIN.test(spoken(message)));
  return {
    turnsSinceCompaction: since.length === 0 ? 0 : thread.position.turn - (before?.turn ?? 0),
    stepsSinceCompaction: since.length === 0 ? 0 : thread.position.step - (before?.step ?? 0),
    rehydrationRequests: calls.filter(({ toolName }) => toolName === READ_ARTIFACT_TOOL_NAME).length,
    recallRequests: calls.filter(({ toolName }) => toolName === SEARCH_THREAD_TOOL_NAME).length,
    repeatedCalls,
    agentAskedForContext: asked || repeatedCalls > 0,
    taskCompletionSuccess,
  };
}

/** Counts the `read_artifact` and `search_thread` calls, and the agent's messages that ask for what was said before. */
export function asksForContext(messages: readonly Message[]): number {
  const asked = messages.filter((message) => message.role === "assistant" && ASKED_AGAIN.test(spoken(message)));
  return asked.length + messages.flatMap(callsOf).filter(({ toolName }) => RECALLING.has(toolName)).length;
}

const RECALLING: ReadonlySet<string> = new Set([READ_ARTIFACT_TOOL_NAME, SEARCH_THREAD_TOOL_NAME]);

/** Returns the metrics as an event. */
export function qualityEvent(
  plan: CompactionPlan,
  budgetLimit: number,
  metrics: CompactionQualityMetrics,
): ContextCompactionEvent {
  return {
    type: "compaction_quality_measured",
    threadId: plan.threadId,
    budgetLimit,
    planVersion: plan.version,
    ...metrics,
  };
}

function messagesSince(thread: AgentThread, threadVersion: number): readonly Message[] {
  return thread
    .entriesBetween(threadVersion)
    .flatMap((entry) => (entry.type === "message" && entry.message.branch === undefined ? [entry.message] : []));
}

const callsOf = ({ parts }: Message): readonly ToolCallPart[] => parts.filter((part) => part.type === "tool-call");

/** The longest key of a call, in UTF-16 code units; a longer one is replaced with its digest, which has this length. */
const LONGEST_KEY = 64;

/** The key of a call, from its tool and arguments. Keys stay in memory, and arguments may be large. */
function callKey({ toolName, input }: ToolCallPart): string {
  const text = canonicalJson({ toolName, input });
  return text.length <= LONGEST_KEY ? text : sha256(text);
}

/** The results of a thread by the call that they answer; each message is examined only once. */
interface AnsweredCalls {
  looked: number;
  /** Calls that are not answered yet, by id. */
  readonly calls: Map<string, ToolCallPart>;
  readonly results: Map<string, Message[]>;
}

const answered = new WeakMap<object, AnsweredCalls>();

/** The number of messages that are processed in one step: a millisecond or two. */
const AT_A_TIME = 256;

/** True for a result that the plan hides. */
const isFolded = ({ id, ordinal }: Message, thread: AgentThread, plan: CompactionPlan): boolean =>
  ordinal < thread.length && actionOf(plan, id, ordinal).action !== "include";

function* answeredCalls(thread: AgentThread): Steps<AnsweredCalls> {
  const known = answered.get(thread.family) ?? { looked: 0, calls: new Map(), results: new Map() };
  answered.set(thread.family, known);
  while (known.looked < thread.length) {
    // Between two steps, another caller may continue with the same state.
    note(thread.messageAt(known.looked) as Message, known);
    known.looked++;
    if (known.looked % AT_A_TIME === 0) yield;
  }
  return known;
}

function note(message: Message, { calls, results }: AnsweredCalls): void {
  for (const call of callsOf(message)) calls.set(call.callId, call);
  const first = message.parts[0];
  const call = first?.type === "tool-result" ? calls.get(first.result.callId) : undefined;
  if (call === undefined) return;
  calls.delete(call.callId);
  const key = callKey(call);
  const before = results.get(key);
  if (before === undefined) results.set(key, [message]);
  else before.push(message);
}

function spoken({ parts }: Message): string {
  return parts
    .flatMap((part) => (part.type === "text" ? [part.text] : []))
    .join("\n")
    .slice(0, READ);
}
