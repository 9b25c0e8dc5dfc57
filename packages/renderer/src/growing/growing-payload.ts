import type { JsonObject, JsonValue, LegalityViolation } from "@threadfold/core";
import type { ProviderFormat } from "../formats/provider-format.ts";
import { type PayloadDigest, payloadDigest } from "../payload-digest.ts";
import { checkTail } from "./check-tail.ts";
import type { GrowingRendering } from "./growing-rendering.ts";
import { beginPayload, extendPayload, itemsText, type LoweredBeginning, lowerItems } from "./lowered-beginning.ts";

/**
 * The payload of a rendering that follows its thread: messages that a longer log no longer changes are lowered, checked
 * and hashed once (P9). An immutable value; payload, digest and violations are those of the whole request.
 */
export class GrowingPayload {
  readonly payload: JsonObject;
  /** What is illegal about the payload. */
  readonly violations: readonly LegalityViolation[];
  readonly #format: ProviderFormat;
  /** Null while nothing is settled. */
  readonly #beginning: LoweredBeginning | null;
  /** The items behind the beginning. */
  readonly #tail: readonly JsonValue[];
  #digest: PayloadDigest | undefined;

  private constructor(
    format: ProviderFormat,
    beginning: LoweredBeginning | null,
    tail: readonly JsonValue[],
    payload: JsonObject,
    violations: readonly LegalityViolation[],
  ) {
    this.#format = format;
    this.#beginning = beginning;
    this.#tail = tail;
    this.payload = payload;
    this.violations = violations;
  }

  /** Lowers and checks a whole request. */
  static of({ rendering }: GrowingRendering, format: ProviderFormat): GrowingPayload {
    const { payload } = format.lower(rendering.request);
    return new GrowingPayload(format, null, [], payload, format.check(payload, rendering.manifest));
  }

  /** The payload of a later rendering. What this one has of it already is taken over. */
  grow(growing: GrowingRendering): GrowingPayload {
    const { settledChats, rendering } = growing;
    if (settledChats.length === 0) return GrowingPayload.of(growing, this.#format);
    const before = this.#beginning?.chats.family === settledChats.family ? this.#beginning : null;
    const start = before ?? beginPayload(rendering, this.#format);
    const beginning = extendPayload(start, settledChats, this.#format);
    const tail = lowerItems(rendering.request.messages.slice(settledChats.length), this.#format);
    const items = beginning.items.toArray().concat(tail);
    const payload = { ...beginning.frame.payload, [this.#format.messagesField]: items };
    const violations =
      before === null || this.violations.length > 0
        ? this.#format.check(payload, rendering.manifest)
        : checkTail(this.#format, payload, rendering, { messages: before.chats.length, items: before.items.length });
    return new GrowingPayload(this.#format, beginning, tail, payload, violations);
  }

  /** The payload as the bytes that are recorded for it. Made when it is first asked for. */
  get digest(): PayloadDigest {
    this.#digest ??= this.#beginning === null ? payloadDigest(this.payload) : this.#write(this.#beginning);
    return this.#digest;
  }

  #write(beginning: LoweredBeginning): PayloadDigest {
    const rest = itemsText(beginning, this.#tail) + beginning.frame.tail;
    return {
      text: beginning.text + rest,
      digest: beginning.hash.update(rest).digest(),
      bytes: beginning.bytes + Buffer.byteLength(rest),
    };
  }
}
