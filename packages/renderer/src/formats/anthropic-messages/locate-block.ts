import type { Locate } from "../../legality/check-rules.ts";
import type { RenderedMessage, RenderManifest } from "../../manifest/render-manifest.ts";
import type { AnthropicView } from "./anthropic-view.ts";

/** Each part became one block, in order: so a block's message is found by counting. Nothing is found in a foreign payload. */
export function blockLocator(view: AnthropicView, manifest: RenderManifest): Locate {
  const owners: RenderedMessage[] = manifest.messages.flatMap((message) =>
    new Array<RenderedMessage>(message.parts).fill(message),
  );
  if (owners.length !== view.blocks.length) return () => undefined;
  const firstOf = new Map<number, number>();
  view.blocks.forEach(({ message }, ordinal) => {
    if (!firstOf.has(message)) firstOf.set(message, ordinal);
  });
  return ({ message, block = 0 }) => {
    const first = firstOf.get(message);
    return first === undefined ? undefined : owners[first + block];
  };
}

/** How many blocks stand before the first edit of the log; null when nothing is edited. */
export function blocksBeforeEdit({ messages, firstEdited }: RenderManifest): number | null {
  if (firstEdited === null) return null;
  let blocks = 0;
  for (const { parts } of messages.slice(0, firstEdited)) blocks += parts;
  return blocks;
}
