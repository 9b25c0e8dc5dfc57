import type { Locate } from "../../legality/check-rules.ts";
import type { RenderedMessage, RenderManifest } from "../../manifest/render-manifest.ts";
import type { AnthropicView, BlockRange } from "./anthropic-view.ts";

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

/** The blocks that stand behind a prefix that a plan changed after they were written; null when nothing is edited. */
export function editedBlocks({ messages, firstEdited, firstUnedited }: RenderManifest): BlockRange | null {
  if (firstEdited === null || firstUnedited === null) return null;
  const blocksBefore = (index: number): number => messages.slice(0, index).reduce((sum, { parts }) => sum + parts, 0);
  return { from: blocksBefore(firstEdited), to: blocksBefore(firstUnedited) };
}
