import { canonicalJson, type JsonObject, type JsonValue, type LegalityViolation, sha256 } from "@threadfold/core";
import type { ProviderFormat } from "../formats/provider-format.ts";
import type { Rendering } from "../input/render-input.ts";
import type { RenderedMessage, RenderManifest } from "../input/render-manifest.ts";
import { asList } from "../legality/legality-rule.ts";
import type { GrowingRendering } from "./growing-rendering.ts";
import {
  beginPayload,
  extendPayload,
  itemsText,
  type LoweredBeginning,
  lowerItems,
  type WrittenBeginning,
  withTools,
  writeBeginning,
} from "./lowered-beginning.ts";

/**
 * The payload of a rendering that follows its thread: messages that a longer log no longer changes are lowered, checked
 * and hashed once (P9). An immutable value; payload, digest and violations cover the whole request.
 */
export class GrowingPayload {
  readonly payload: JsonObject;
  /** What is illegal about the payload. */
  readonly violations: readonly LegalityViolation[];
  readonly #format: ProviderFormat;
  /** Null while nothing is settled. */
  readonly #beginning: LoweredBeginning | null;
  /** The items after the beginning. */
  readonly #tail: readonly JsonValue[];
  /** The serialized part of the beginning: no more than an earlier digest needed. */
  #written: WrittenBeginning | undefined;
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
  static of(growing: GrowingRendering, format: ProviderFormat): GrowingPayload {
    const { rendering, settledChats } = growing;
    if (settledChats.length > 0) return GrowingPayload.#extend(beginPayload(rendering, format), growing, format, null);
    const { payload } = format.lower(rendering.request);
    return new GrowingPayload(format, null, [], payload, format.check(payload, rendering.manifest));
  }

  /** Returns the payload of a later rendering, reusing what this one already has of it. */
  grow(growing: GrowingRendering): GrowingPayload {
    const before = this.#beginning;
    if (before === null || growing.settledChats.length === 0 || before.chats.family !== growing.settledChats.family)
      return GrowingPayload.of(growing, this.#format);
    const checked = this.violations.length > 0 ? null : { messages: before.chats.length, items: before.items.length };
    const continued = withTools(before, growing.rendering, this.#format);
    const grown = GrowingPayload.#extend(continued, growing, this.#format, checked);
    grown.#written = this.#written;
    return grown;
  }

  /**
   * @param checked how much was found legal before; null when unknown.
   */
  static #extend(
    before: LoweredBeginning,
    { settledChats, rendering }: GrowingRendering,
    format: ProviderFormat,
    checked: CheckedBeginning | null,
  ): GrowingPayload {
    const beginning = extendPayload(before, settledChats, format);
    const tail = lowerItems(rendering.request.messages.slice(settledChats.length), format);
    const payload = { ...beginning.frame.payload, [format.messagesField]: beginning.items.followedBy(tail) };
    const violations =
      checked === null ? format.check(payload, rendering.manifest) : checkTail(format, payload, rendering, checked);
    return new GrowingPayload(format, beginning, tail, payload, violations);
  }

  /** The exact bytes recorded for the payload, with their digest. Computed on first access. */
  get digest(): PayloadDigest {
    this.#digest ??= this.#beginning === null ? payloadDigest(this.payload) : this.#write(this.#beginning);
    return this.#digest;
  }

  #write(beginning: LoweredBeginning): PayloadDigest {
    const written = writeBeginning(beginning, this.#written);
    this.#written = written;
    const rest = itemsText(written.items, this.#tail) + beginning.frame.tail;
    return {
      text: written.text + rest,
      digest: written.hash.update(rest).digest(),
      bytes: written.bytes + Buffer.byteLength(rest),
    };
  }
}

/** The bytes recorded for a payload, with their digest. */
export interface PayloadDigest {
  /** Canonical JSON (RFC 8785). */
  readonly text: string;
  /** SHA-256 of `text`, in hexadecimal. */
  readonly digest: string;
  /** Length of `text` in UTF-8, in bytes. */
  readonly bytes: number;
}

/**
 * Serializes and hashes a payload.
 *
 * @throws ThreadfoldError `INVALID_JSON` when the payload contains something that JSON cannot represent.
 */
export function payloadDigest(payload: unknown): PayloadDigest {
  const text = canonicalJson(payload);
  return { text, digest: sha256(text), bytes: Buffer.byteLength(text) };
}

/** How much of a request was found legal before: messages of the rendering, and items of the payload's list. */
interface CheckedBeginning {
  readonly messages: number;
  readonly items: number;
}

const OPENING = { role: "user", parts: [{ type: "text", text: "[checked before]" }], sources: [] } as const;

const RENDERED_OPENING: RenderedMessage = Object.freeze({
  index: 0,
  role: "user",
  action: "opening",
  sources: [],
  tokens: 0,
  parts: 1,
});

/**
 * Checks what follows a legal beginning that nothing after it is tied to, with a user turn as a stand-in for that
 * beginning. If anything is found, the whole request is checked again, so that positions are reported correctly.
 */
function checkTail(
  format: ProviderFormat,
  payload: JsonObject,
  { manifest }: Rendering,
  checked: CheckedBeginning,
): readonly LegalityViolation[] {
  const items = asList(payload[format.messagesField]).slice(checked.items) as readonly JsonValue[];
  const tail = { ...payload, [format.messagesField]: [...lowerItems([OPENING], format), ...items] };
  const found = format.check(tail, tailManifest(manifest, checked.messages));
  return found.length === 0 ? found : format.check(payload, manifest);
}

function tailManifest(manifest: RenderManifest, from: number): RenderManifest {
  const shift = (index: number | null) => (index === null ? null : Math.max(0, index - from + 1));
  const shifted = manifest.messages.slice(from).map((message, index) => ({ ...message, index: index + 1 }));
  const { formatVersion, format, model, host, reasoningBinding, threadId, threadVersion, planId } = manifest;
  const tail: Omit<RenderManifest, "prefixDigests"> = {
    ...{ formatVersion, format, threadId, threadVersion, planId },
    ...(model !== undefined && { model }),
    ...(host !== undefined && { host }),
    ...(reasoningBinding !== undefined && { reasoningBinding }),
    planVersion: manifest.planVersion,
    systemSources: manifest.systemSources,
    messages: [RENDERED_OPENING, ...shifted],
    firstEdited: shift(manifest.firstEdited),
    firstUnedited: shift(manifest.firstUnedited),
  };
  // Copied by descriptor, because reading the property would compute the digests.
  const digests = Object.getOwnPropertyDescriptor(manifest, "prefixDigests") as PropertyDescriptor;
  return Object.defineProperty(tail as RenderManifest, "prefixDigests", digests);
}
