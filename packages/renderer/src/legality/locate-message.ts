import type { RenderManifest } from "../manifest/render-manifest.ts";
import type { Locate } from "./check-rules.ts";

/** For formats in which one message is one message: found by place, behind whatever system messages come first. */
export function messageLocator(messageCount: number, manifest: RenderManifest): Locate {
  const leading = messageCount - manifest.messages.length;
  return ({ message }) => (leading < 0 ? undefined : manifest.messages[message - leading]);
}
