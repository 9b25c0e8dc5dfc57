import type { MessageId, PlanRecord, Role, SyntheticKind, TokenBreakdown } from "@threadfold/core";
import type { RenderedAction } from "../manifest/render-manifest.ts";
import { derivation } from "./derivation.ts";
import type { Draft } from "./draft.ts";

/** What a message that rendering makes is about. */
export interface MadeMessage {
  readonly role: Role;
  readonly synthetic: SyntheticKind;
  readonly action: RenderedAction;
  readonly share: keyof TokenBreakdown;
  readonly ordinal: number;
  readonly sources?: readonly MessageId[];
  readonly record?: PlanRecord;
}

const NO_SOURCES: readonly MessageId[] = Object.freeze([]);

/** A draft of one text that is in no message of the thread. */
export function madeDraft(text: string, made: MadeMessage): Draft {
  const { role, synthetic, action, share, ordinal, sources = NO_SOURCES, record = null } = made;
  const chat = { role, parts: [{ type: "text", text }], sources, synthetic } as const;
  return { chat, action, share, record, message: null, ordinal };
}

/** Like {@link madeDraft} for texts that are always the same for a source and key: the part is made, and later counted, once. */
export function derivedDraft<Source extends object, Key>(
  textOf: (source: Source, key: Key) => string,
): (source: Source, key: Key, made: MadeMessage) => Draft {
  const partOf = derivation((source: Source, key: Key) =>
    Object.freeze([{ type: "text", text: textOf(source, key) } as const]),
  );
  return (source, key, made) => {
    const { role, synthetic, action, share, ordinal, sources = NO_SOURCES, record = null } = made;
    return {
      chat: { role, parts: partOf(source, key), sources, synthetic },
      action,
      share,
      record,
      message: null,
      ordinal,
    };
  };
}
