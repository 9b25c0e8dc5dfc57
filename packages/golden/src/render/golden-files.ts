import { FORMATS } from "@threadfold/renderer";
import type { PreparedRequest } from "@threadfold/session";
import type { GoldenPayloads } from "../golden-options.ts";
import { type PromptTrace, traceFile } from "../trace/prompt-trace.ts";
import { promptPage } from "./prompt-page.ts";
import { reviewJson } from "./review-json.ts";

/** The files of a golden prompt that every one has, in the order of a review. */
export const COMMON_FILES = {
  page: "prompt.md",
  plan: "plan.json",
  trace: "messages.json",
  options: "options.json",
} as const;
const DIGESTS_FILE = "payloads.json";

/** Every name that a file of a golden prompt can have; whatever else is in its folder is somebody else's. */
export const GOLDEN_FILE_NAMES: readonly string[] = Object.freeze([
  ...Object.values(COMMON_FILES),
  DIGESTS_FILE,
  ...FORMATS.map(({ id }) => `${id}.json`),
]);

/** The files of a golden prompt, in the order of a review: the page first. */
export function goldenFiles(
  prepared: readonly [PreparedRequest, ...PreparedRequest[]],
  trace: PromptTrace,
  options: unknown,
  payloads: GoldenPayloads,
): ReadonlyMap<string, string> {
  return new Map([
    [COMMON_FILES.page, promptPage(prepared[0])],
    [COMMON_FILES.plan, reviewJson(prepared[0].plan)],
    [COMMON_FILES.trace, traceFile(trace)],
    [COMMON_FILES.options, reviewJson(options)],
    ...payloadFiles(prepared, payloads),
  ]);
}

function payloadFiles(prepared: readonly PreparedRequest[], payloads: GoldenPayloads): readonly [string, string][] {
  switch (payloads) {
    case "full":
      return prepared.map(({ format, payload }) => [`${format}.json`, reviewJson(payload)]);
    case "digests":
      return [
        [
          DIGESTS_FILE,
          reviewJson(Object.fromEntries(prepared.map(({ format, bytes, digest }) => [format, { bytes, digest }]))),
        ],
      ];
    case "none":
      return [];
  }
}
