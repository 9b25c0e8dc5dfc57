import { canonicalJson } from "@threadfold/core";
import { formatById, importSessionFile, type JsonObject } from "threadfold";
import { describe, expect, it } from "vitest";
import { dataFolder, recordedFiles } from "./recorded-files.ts";
import { type CachedPart, cachedPart, replaySession } from "./replay-session.ts";
import { WIRE_FORMATS, type WireFormat } from "./wire-cells.ts";

/** Small enough that most sessions are folded several times on their way. */
const BUDGET = 12_000;

/** Models that take breakpoints, where a format places none without knowing that. */
const MODELS: Partial<Record<WireFormat, string>> = { "openai-chat": "gpt-5.6", "openai-responses": "gpt-5.6" };

const folder = dataFolder();
const files = folder === null ? [] : recordedFiles(folder);
const isFull = process.env["THREADFOLD_ALL_SESSIONS"] !== undefined;
/** The first session of every second tool, other ones in the next format, and no more than its beginning. */
const LONGEST = isFull ? Number.POSITIVE_INFINITY : 80;
const firsts = [...Map.groupBy(files, ({ format }) => format).values()].map(([first]) => first!);
const sampleFor = (format: WireFormat) =>
  isFull ? files : firsts.filter((_, index) => index % 2 === WIRE_FORMATS.indexOf(format) % 2);

describe.skipIf(folder === null)(
  "the cached part of each payload is a byte prefix of the next (skipped without THREADFOLD_DATA)",
  () => {
    it.each(WIRE_FORMATS)(
      "P7 between two commits, in %s, as recorded sessions grow",
      { timeout: isFull ? 3_600_000 : 600_000 },
      async (id) => {
        const format = formatById(id);
        const sample = sampleFor(id);
        let commits = 0;
        let broken = 0;
        let steps = 0;
        let marked = 0;
        for (const { path, name } of sample) {
          let before: { readonly version: number; readonly part: CachedPart } | undefined;
          const imported = await importSessionFile(path);
          const beginning = { ...imported, messages: imported.messages.slice(0, LONGEST) };
          for await (const prepared of replaySession(beginning, format, BUDGET, MODELS[id])) {
            const { request, plan, payloadText } = prepared;
            // The marks move from request to request; what they are put on does not.
            const payload = JSON.parse(payloadText) as JsonObject;
            marked += marksIn(prepared.payload) - marksIn(payload);
            expect(format.check(prepared.payload)).toEqual([]);
            const part = cachedPart(format, request, payload);
            expect(part.list.startsWith(part.cached)).toBe(true);
            if (before?.version === plan.version) {
              steps++;
              if (before.part.frame !== part.frame || !part.list.startsWith(before.part.cached))
                expect.fail(`${name} at ${request.messages.length} messages: ${firstDifference(before.part, part)}`);
            } else if (before !== undefined) {
              commits++;
              if (!part.list.startsWith(before.part.cached)) broken++;
            }
            before = { version: plan.version, part };
          }
        }
        expect(commits).toBeGreaterThan(sample.length);
        // A commit is what breaks a prefix: the comparison can tell.
        expect(broken).toBeGreaterThan(commits / 2);
        expect(steps).toBeGreaterThan(10 * sample.length);
        if (id.startsWith("gemini")) expect(marked).toBe(0);
        else expect(marked).toBeGreaterThan(2 * steps);
      },
    );
  },
);

/** How many cache marks a payload has. */
const marksIn = (payload: JsonObject): number =>
  canonicalJson(payload).match(/"(?:cache_control|cacheControl|prompt_cache_breakpoint)":\{/g)?.length ?? 0;

/** Where two payloads part, with what stands there in both. */
function firstDifference(before: CachedPart, now: CachedPart): string {
  if (before.frame !== now.frame) return `${before.frame.slice(0, 500)}\n${now.frame.slice(0, 500)}`;
  let index = 0;
  while (before.cached[index] === now.list[index]) index++;
  return `at ${index} of ${before.cached.length}\n${before.cached.slice(index - 80, index + 160)}\n${now.list.slice(index - 80, index + 160)}`;
}
