import type { MessageId, MessageInput } from "@threadfold/core";

/** Which answers a session has learned from, by the ids of their newest assistant messages. */
export class TakenAnswers {
  readonly #ids = new Set<MessageId>();

  /** Learns from an answer that was not learned from before. What fails is learned from when it comes again. */
  async once(messages: readonly MessageInput[], learn: () => Promise<void>): Promise<void> {
    const id = messages.findLast(({ role }) => role === "assistant")?.id;
    // Nothing of a cut-off answer may be left, and then a host is free to use its id again.
    if (id === undefined) return learn();
    if (this.#ids.has(id)) return;
    this.#ids.add(id);
    try {
      await learn();
    } catch (error) {
      this.#ids.delete(id);
      throw error;
    }
  }
}
