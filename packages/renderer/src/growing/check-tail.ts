import type { JsonObject, JsonValue, LegalityViolation } from "@threadfold/core";
import type { ProviderFormat } from "../formats/provider-format.ts";
import { asList } from "../legality/plain-object.ts";
import type { RenderedMessage, RenderManifest } from "../manifest/render-manifest.ts";
import type { Rendering } from "../render-input.ts";
import { lowerItems } from "./lowered-beginning.ts";

/** How much of a request was found legal before: messages of the rendering, and items of the payload's list. */
export interface CheckedBeginning {
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
 * Checks what stands behind a beginning that is legal and that nothing behind it is tied to. A user turn stands for the
 * beginning. What is found is looked up again in the whole request, so that it is told where it stands.
 */
export function checkTail(
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
  // Made on top of the manifest and not copied, because a copy would make its prefix digests.
  return Object.create(manifest, {
    messages: { value: [RENDERED_OPENING, ...shifted] },
    firstEdited: { value: shift(manifest.firstEdited) },
    firstUnedited: { value: shift(manifest.firstUnedited) },
  }) as RenderManifest;
}
