import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { AgentThread, importSessionFile, type Message, visibleText } from "threadfold";

/** One line of `late-use-facts.jsonl`: text that a result showed and that a much later call needed. */
interface ProbeLine {
  readonly file: string;
  readonly fact: string;
}

/** A fact in its thread. Messages are given by their ordinals. */
export interface ProbeFact {
  readonly file: string;
  readonly fact: string;
  readonly thread: AgentThread;
  /** The first message that shows the fact. */
  readonly firstSeen: number;
  /** The assistant message that uses the fact again. */
  readonly neededAt: number;
}

/** Returns every fact of the recorded data, in its imported thread. Fails when one is not where the data says. */
export async function probeFacts(data: string): Promise<readonly ProbeFact[]> {
  const path = join(data, "probes/late-use-facts.jsonl");
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "");
  const threads = new Map<string, AgentThread>();
  const facts: ProbeFact[] = [];
  for (const line of lines) {
    const { file, fact } = JSON.parse(line) as ProbeLine;
    const thread = threads.get(file) ?? (await importThread(join(data, file)));
    threads.set(file, thread);
    const messages = [...thread.messages];
    const firstSeen = messages.findIndex((message) => message.role !== "assistant" && says(message, fact));
    const neededAt = messages.findIndex(
      (message, ordinal) => ordinal > firstSeen && message.role === "assistant" && says(message, fact),
    );
    if (firstSeen < 0 || neededAt < 0) throw new Error(`${fact} is not shown and then used in ${file}.`);
    facts.push({ file, fact, thread, firstSeen, neededAt });
  }
  return facts;
}

const says = (message: Message, fact: string): boolean => visibleText(message).includes(fact);

async function importThread(path: string): Promise<AgentThread> {
  const { threadId, messages } = await importSessionFile(path);
  return AgentThread.empty(threadId).append(messages);
}
