import { asMessageId, asThreadId, type ThreadfoldStore } from "@threadfold/core";
import { message } from "../conformance/sample-data.ts";
import { SeededRandom } from "./random.ts";

/** What a client is to do: so many appends and reads on one thread. */
export interface ListWork {
  readonly client: string;
  readonly thread: string;
  readonly operations: number;
  readonly seed: number;
}

/** Word of an operation: first that it begins, then how it ended. Times are nanoseconds of the machine's steady clock. */
export type ListWord =
  | { readonly client: string; readonly number: number; readonly start: string; readonly value: string | null }
  | { readonly client: string; readonly number: number; readonly end: string; readonly seen?: readonly string[] };

/** Does the work, one operation after the other, and tells of each before it begins and once it ended. */
export async function workOnList(
  store: ThreadfoldStore,
  { client, thread, operations, seed }: ListWork,
  tell: (word: ListWord) => void,
): Promise<void> {
  const random = new SeededRandom(seed);
  const threadId = asThreadId(thread);
  for (let number = 0; number < operations; number++) {
    const value = random.next() < 0.75 ? `${client}.${number}` : null;
    tell({ client, number, start: String(process.hrtime.bigint()), value });
    try {
      const seen = value === null ? await read() : await append(value);
      tell({ client, number, end: String(process.hrtime.bigint()), ...seen });
    } catch {
      // The connection was cut: whether it happened stays open, which the history says by having no end.
    }
  }

  async function append(value: string): Promise<object> {
    const entry = { type: "message" as const, message: { ...message(0), id: asMessageId(value) } };
    await store.threads.append(threadId, [entry], { expectedVersion: "any" });
    return {};
  }

  async function read(): Promise<{ readonly seen: readonly string[] }> {
    const thread = await store.threads.load(threadId);
    return { seen: [...(thread?.messages ?? [])].map(({ id }) => id) };
  }
}
