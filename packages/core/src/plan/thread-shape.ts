import type { TokenLedger } from "../budget/token-ledger.ts";
import type { GroupedThread, MessageGroup } from "../groups/message-group.ts";
import type { MessageId } from "../model/ids.ts";
import type { MessageHeader } from "../model/message-header.ts";
import type { AgentThread } from "../thread/agent-thread.ts";

/** What planning knows of a thread: headers and groups, no body. */
export interface ThreadShape {
  /** How many messages the thread has. */
  readonly length: number;
  header(ordinal: number): MessageHeader;
  headerOf(id: MessageId): MessageHeader | undefined;
  groupOf(ordinal: number): MessageGroup;
}

/** The shape of a thread whose messages are all counted and grouped. */
export function threadShape(thread: AgentThread, ledger: TokenLedger, grouped: GroupedThread): ThreadShape {
  const header = (ordinal: number): MessageHeader => ledger.header(ordinal) as MessageHeader;
  return {
    length: ledger.length,
    header,
    headerOf(id) {
      const message = thread.message(id);
      return message === undefined ? undefined : ledger.header(message.ordinal);
    },
    groupOf: (ordinal) => grouped.groups[grouped.groupOf[ordinal] as number] as MessageGroup,
  };
}
