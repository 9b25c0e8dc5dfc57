import type { Repair } from "./conformance.ts";

/** Changes nothing: says which failures the format cannot mark as such. */
export const noteUnmarkedFailures: Repair = {
  name: "note-unmarked-failures",
  apply(request, { requirements, warnings }) {
    if (requirements.marksFailures) return request;
    for (const { chat } of request.drafts) {
      const part = chat.role === "tool" ? chat.parts[0] : undefined;
      const failed = part?.type === "tool-result" && part.result.outcome === "failure";
      if (failed && chat.synthetic === undefined) warnings.add("outcome-not-expressed", chat.sources);
    }
    return request;
  },
};
