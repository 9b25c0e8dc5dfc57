import type { MediaPart } from "@threadfold/core";
import { leftOutMarker, reasonAgainstMedia } from "./accepted-media.ts";
import type { PartRepair } from "./part-repair.ts";

/** Puts a text marker where the format takes no picture or document. */
export const replaceMedia: PartRepair<MediaPart> = {
  name: "replace-media",
  apply(part, { draft: { chat } }, { requirements, warnings }) {
    const roles: readonly string[] = requirements.mediaRoles;
    const reason = roles.includes(chat.role) ? reasonAgainstMedia(part, requirements[part.type]) : "role";
    if (reason === undefined) return part;
    warnings.leaveOut("media-replaced", reason, chat.sources);
    return leftOutMarker(part, null);
  },
};
