import { fileURLToPath } from "node:url";
import { AgentThread, asThreadId, type MessageInput } from "@threadfold/core";
import { calledTools } from "@threadfold/simulation";
import { ContextSession, importSessionFile, presetByName, type ThreadfoldStore } from "threadfold";

/** The session in the repository: an agent that worked on it for a day. */
const BUNDLED = fileURLToPath(new URL("../../../examples/sessions/a-day-on-threadfold.jsonl", import.meta.url));

/** The messages of an agent's work, to be replayed. */
export interface RecordedWork {
  readonly threadId: string;
  readonly messages: readonly MessageInput[];
}

/**
 * Returns the messages of the bundled session, repeated until there are `most`, each round as new messages a day later.
 */
export async function recordedWork(threadId: string, most = Number.POSITIVE_INFINITY): Promise<RecordedWork> {
  const { messages } = await importSessionFile(BUNDLED);
  const rounds = Number.isFinite(most) ? Math.ceil(most / messages.length) : 1;
  const all = Array.from({ length: rounds }, (_, round) => messages.map((message) => sayAgain(message, round))).flat();
  return { threadId, messages: all.slice(0, most) };
}

const DAY_MS = 86_400_000;

function sayAgain(message: MessageInput, round: number): MessageInput {
  if (round === 0) return message;
  const text = JSON.stringify(message).replaceAll('"callId":"', `"callId":"${round}-`);
  const again = JSON.parse(text) as MessageInput;
  const createdAt = new Date(Date.parse(message.createdAt) + round * DAY_MS).toISOString();
  return { ...again, id: `${message.id}-${round}` as MessageInput["id"], createdAt };
}

/** Settings of the agent. */
export interface AgentOptions {
  /** A store, or the path of one. */
  readonly store: ThreadfoldStore | string;
  readonly preset: string;
  /** Tokens that a request may take. */
  readonly budget: number;
  /** One in this many answers gets a request: 1 makes every call of the recording. */
  readonly every?: number;
}

/**
 * Replays recorded work: prepares a request before each answer, at the time of the recording. Yields the number of
 * calls so far after each, so that the caller can look while it works.
 */
export async function* workAgain({ threadId, messages }: RecordedWork, options: AgentOptions): AsyncGenerator<number> {
  const { store, preset, budget, every = 1 } = options;
  let now = 0;
  const session = await ContextSession.open({
    threadId: asThreadId(threadId),
    store,
    preset: presetByName(preset),
    clock: { now: () => now },
    config: { maxInputTokens: budget },
    frame: { system: [], tools: calledTools([...AgentThread.empty(asThreadId(threadId)).append(messages).messages]) },
  });
  let [from, answers, calls] = [0, 0, 0];
  for (const [at, { role, createdAt }] of messages.entries()) {
    if (role !== "assistant" || answers++ % every !== 0) continue;
    now = Date.parse(createdAt);
    await session.append(messages.slice(from, at));
    from = at;
    await session.prepare();
    yield ++calls;
  }
  await session.append(messages.slice(from));
  if (typeof store === "string") await session.close();
}

/** Replays recorded work to its end. */
export async function work(recorded: RecordedWork, options: AgentOptions): Promise<void> {
  const steps = workAgain(recorded, options);
  while ((await steps.next()).done !== true);
}
