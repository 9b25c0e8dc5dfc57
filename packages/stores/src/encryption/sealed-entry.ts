import {
  canonicalJson,
  type Message,
  type MessageInput,
  nextThreadLink,
  type PinEntry,
  type PinLiftedEntry,
  parseJson,
  sha256,
  THREAD_CHAIN_START,
  type ThreadEntry,
  type ThreadEntryInput,
  type ToolCallId,
} from "@threadfold/core";
import { envelopeIn } from "./sealed-text.ts";
import type { Sealer } from "./sealer.ts";

const SEALED = "sealed";

/**
 * An entry of which a store sees ids, role, time, branch and figures, and nothing that anybody said. What is sealed is
 * the whole entry, so that opening gives it back as it was handed in.
 */
export function sealEntry(sealer: Sealer, entry: ThreadEntryInput): ThreadEntryInput {
  switch (entry.type) {
    case "message":
      return { type: "message", message: sealMessage(sealer, entry.message) };
    case "pin":
      return { ...entry, pin: { ...entry.pin, text: sealer.seal("pin", entry.pin.id, entry.pin.text) } };
    case "pin-lifted":
      return { ...entry, reason: sealer.seal("pin-lifted", entry.pinId, entry.reason) };
  }
}

/** The entry that was sealed, in the place that the store gave it. @throws ThreadfoldError `UNSEAL_FAILED`. */
async function openEntry(sealer: Sealer, entry: ThreadEntry): Promise<ThreadEntry> {
  switch (entry.type) {
    case "message":
      return { type: "message", message: await openMessage(sealer, entry.message) };
    case "pin":
      return openPin(sealer, entry);
    case "pin-lifted":
      return openLifting(sealer, entry);
  }
}

/** Entries that were sealed, as canonical JSON, and the digest of a thread that consists of them. */
export async function openEntries(
  sealer: Sealer,
  sealed: Iterable<ThreadEntry>,
): Promise<{ readonly serialized: readonly string[]; readonly digest: string }> {
  const serialized: string[] = [];
  let digest = THREAD_CHAIN_START;
  for (const entry of sealed) {
    const text = canonicalJson(await openEntry(sealer, entry));
    serialized.push(text);
    digest = nextThreadLink(digest, sha256(text));
  }
  return { serialized, digest };
}

function sealMessage(sealer: Sealer, message: MessageInput): MessageInput {
  const { id, role, createdAt, branch, origin, usage } = message;
  const { ordinal: _ordinal, turn: _turn, step: _step, ...input } = message as Message;
  const text = sealer.seal("message", id, canonicalJson(input));
  const callId = SEALED as ToolCallId;
  const result = { toolName: SEALED, callId, outcome: "success", content: { type: "text", text } } as const;
  return {
    id,
    role,
    createdAt,
    parts: [role === "tool" ? { type: "tool-result", result } : { type: "text", text }],
    ...(branch !== undefined && { branch }),
    ...(origin !== undefined && { origin }),
    ...(usage !== undefined && { usage }),
  };
}

async function openMessage(sealer: Sealer, message: Message): Promise<Message> {
  const { ordinal, turn, step } = message;
  const input = parseJson(await sealer.open("message", message.id, envelopeIn(message))) as MessageInput;
  return { ...input, ordinal, turn, step };
}

async function openPin(sealer: Sealer, entry: PinEntry): Promise<PinEntry> {
  return { ...entry, pin: { ...entry.pin, text: await sealer.open("pin", entry.pin.id, entry.pin.text) } };
}

async function openLifting(sealer: Sealer, entry: PinLiftedEntry): Promise<PinLiftedEntry> {
  return { ...entry, reason: await sealer.open("pin-lifted", entry.pinId, entry.reason) };
}
