import { asMessageId, asPinId } from "../model/ids.ts";
import type { MessageInput } from "../model/message.ts";
import type { Authority, Pin } from "../thread/pin.ts";
import type { ThreadEntryInput } from "../thread/thread-entry.ts";

/** A user message that says `text of <id>`, with whatever else a test needs of it. */
export const sampleMessage = (id: string, fields: Partial<MessageInput> = {}): MessageInput => ({
  id: asMessageId(id),
  role: "user",
  parts: [{ type: "text", text: `text of ${id}` }],
  createdAt: "2025-01-01T00:00:00.000Z",
  ...fields,
});

/** A pin of the user that says `rule of <id>`, with whatever else a test needs of it. */
export const samplePin = (id: string, fields: Partial<Pin> = {}): Pin => ({
  id: asPinId(id),
  text: `rule of ${id}`,
  authority: "user",
  origin: "explicit",
  ...fields,
});

export const pinEntry = (pin: Pin): ThreadEntryInput => ({ type: "pin", pin });

export const pinLiftedEntry = (id: string, authority: Authority): ThreadEntryInput => ({
  type: "pin-lifted",
  pinId: asPinId(id),
  authority,
  reason: "no longer needed",
});
