import { READ_ARTIFACT_TOOL_NAME } from "@threadfold/core";
import type { RehydratedContent } from "../render-input.ts";
import type { Draft } from "./draft.ts";
import { escapeLookAlikes } from "./escape-look-alikes.ts";
import { madeDraft } from "./made-draft.ts";

/** Externalized content that is shown for this request alone. It is data: nothing in it can end its frame. */
export function rehydratedMessage(
  { artifactId, content, truncated }: RehydratedContent,
  ordinal: number,
  canRead: boolean,
): Draft {
  const rest = canRead ? `; the rest: ${READ_ARTIFACT_TOOL_NAME}("${artifactId}")` : "; the rest is left out";
  const text = [
    `[Rehydrated Content - artifact:${artifactId}]`,
    escapeLookAlikes(content.toWellFormed()),
    truncated ? `[End of this piece${rest}]` : "[End of content]",
  ].join("\n");
  return madeDraft(text, {
    role: "user",
    synthetic: "rehydration",
    action: "rehydration",
    share: "rehydrated",
    ordinal,
  });
}
