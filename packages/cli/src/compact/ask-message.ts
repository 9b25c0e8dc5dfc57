import {
  type AgentThread,
  asMessageId,
  type Message,
  type MessageInput,
  sha256,
  ThreadfoldError,
} from "@threadfold/core";

const ID_PREFIX = "ask-";

/**
 * The user message that `--ask` puts at the end of a thread, or null when it stands there already: asking the same again
 * is asking once. Its id follows from where it stands and what it says.
 *
 * @param now ISO 8601 time in UTC.
 * @throws ThreadfoldError `USAGE` for a blank text.
 */
export function askMessage(thread: AgentThread, text: string, now: string): MessageInput | null {
  if (text.trim() === "") throw new ThreadfoldError("USAGE", "--ask is blank; it must say something.");
  const newest = thread.messageAt(thread.length - 1);
  if (newest !== undefined && isAsk(newest, text)) return null;
  const id = asMessageId(`${ID_PREFIX}${sha256(`${thread.version}\n${text}`).slice(0, 16)}`);
  return { id, role: "user", parts: [{ type: "text", text: text.toWellFormed() }], createdAt: now };
}

function isAsk(message: Message, text: string): boolean {
  const [part] = message.parts;
  return message.id.startsWith(ID_PREFIX) && part?.type === "text" && part.text === text.toWellFormed();
}
