import { type CompactionTrigger, NO_TRIGGER } from "./compaction-trigger.ts";

/** Fires hard when the request takes more than its room: as it is, it must not be sent. */
export const overRoomTrigger: CompactionTrigger = {
  name: "over-room",
  evaluate: ({ tokens, roomTokens }) =>
    tokens > roomTokens ? { level: "hard", reason: `${tokens} tokens exceed the room of ${roomTokens}` } : NO_TRIGGER,
};
