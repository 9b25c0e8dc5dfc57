import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { RECORDED_SESSIONS } from "../testing/recorded-session.ts";
import { secretStretches } from "./redact-secrets.ts";

const isThere = existsSync(RECORDED_SESSIONS);
/** Of each recording, in bytes: the whole of all but a few. */
const MOST = 8_000_000;

function texts(): readonly { readonly name: string; readonly text: string }[] {
  return readdirSync(RECORDED_SESSIONS, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(?:jsonl?|txt|traj)(?:\.gz)?$/.test(name))
    .map((name) => {
      const bytes = readFileSync(join(RECORDED_SESSIONS, name));
      const plain = name.endsWith(".gz") ? gunzipSync(bytes) : bytes;
      return { name, text: plain.subarray(0, MOST).toString("utf8") };
    });
}

describe.skipIf(!isThere)(
  `R26: recorded sessions${isThere ? "" : " (skipped: none beside the project, and THREADFOLD_DATA names no folder)"}`,
  () => {
    it("of real work yield fewer than one find in ten million characters", async ({ task }) => {
      const found: string[] = [];
      let length = 0;
      for (const { name, text } of texts()) {
        length += text.length;
        // The text around it, and not the find: if it ever is a secret, it is not for a log.
        for (const { start, kind } of await secretStretches(text))
          found.push(`${kind} in ${name} behind ${JSON.stringify(text.slice(Math.max(0, start - 30), start))}`);
      }
      expect(length).toBeGreaterThan(10_000_000);
      expect(found.length, found.join("\n")).toBeLessThan(length / 10_000_000);
      Object.assign(task.meta, { figures: { characters: length, found: found.length } });
    });
  },
);
