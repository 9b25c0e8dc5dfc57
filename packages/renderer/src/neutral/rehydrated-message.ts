import type { RehydratedContent } from "../render-input.ts";
import type { Draft } from "./draft.ts";
import { escapeLookAlikes } from "./escape-look-alikes.ts";
import { madeDraft } from "./made-draft.ts";

/** Externalized content that is shown for this request alone. It is data: nothing in it can end its frame. */
export function rehydratedMessage({ artifactId, content, truncated }: RehydratedContent, ordinal: number): Draft {
  const rest = truncated ? [`[End of this piece; the rest: read_artifact("${artifactId}")]`] : ["[End of content]"];
  const text = [
    `[Rehydrated Content - artifact:${artifactId}]`,
    escapeLookAlikes(content.toWellFormed()),
    ...rest,
  ].join("\n");
  return madeDraft(text, {
    role: "user",
    synthetic: "rehydration",
    action: "rehydration",
    share: "rehydrated",
    ordinal,
  });
}
