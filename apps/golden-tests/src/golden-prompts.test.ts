import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PRESETS } from "threadfold";
import { describe, expect, it } from "vitest";
import { goldenCases } from "./golden-case.ts";
import { renderCase } from "./render-case.ts";

/** The one switch: `THREADFOLD_UPDATE_GOLDENS=1 npm test`, or `npm run update` here. */
const UPDATE = process.env["THREADFOLD_UPDATE_GOLDENS"] === "1";

const cases = goldenCases();

describe.each(cases.map((golden) => [golden.name, golden] as const))("golden prompts of %s", (_name, golden) => {
  it("are what the files say", async () => {
    for (const [name, text] of await renderCase(golden)) {
      const path = join(golden.folder, name);
      if (UPDATE) writeFileSync(path, text);
      expect(existsSync(path) ? readFileSync(path, "utf8") : "", `${golden.name}/${name}`).toBe(text);
    }
  });
});

describe("golden prompts", () => {
  it("cover every preset", () => {
    const covered = new Set(cases.map((golden) => golden.options.preset));
    expect(PRESETS.map((preset) => preset.name).filter((name) => !covered.has(name))).toEqual([]);
  });

  it("R13 are the same bytes in three processes with other time zones and locales", { timeout: 180_000 }, () => {
    const environments = [
      { TZ: "UTC", LC_ALL: "C" },
      { TZ: "Pacific/Kiritimati", LC_ALL: "tr_TR.UTF-8", LANG: "tr_TR.UTF-8" },
      { TZ: "America/St_Johns", LC_ALL: "de_DE.UTF-8", LANG: "de_DE.UTF-8" },
    ];
    const [first, ...others] = environments.map((environment) =>
      execFileSync(process.execPath, ["--conditions=threadfold-source", join(import.meta.dirname, "digest-cases.ts")], {
        env: { ...process.env, ...environment, NODE_OPTIONS: "" },
        encoding: "utf8",
      }),
    );
    expect(first?.split("\n").length).toBeGreaterThan(cases.length);
    for (const other of others) expect(other).toBe(first);
  });
});
