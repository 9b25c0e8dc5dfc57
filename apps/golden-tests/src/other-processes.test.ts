import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { goldenCases } from "./golden-case.ts";

const cases = goldenCases();

describe("golden prompts of other processes", () => {
  it("R13 are the same bytes in three processes with other time zones and locales", { timeout: 300_000 }, async () => {
    const environments = [
      { TZ: "UTC", LC_ALL: "C" },
      { TZ: "Pacific/Kiritimati", LC_ALL: "tr_TR.UTF-8", LANG: "tr_TR.UTF-8" },
      { TZ: "America/St_Johns", LC_ALL: "de_DE.UTF-8", LANG: "de_DE.UTF-8" },
    ];
    const [first, ...others] = await Promise.all(environments.map(digestsIn));
    expect(first?.split("\n").length).toBeGreaterThan(cases.length);
    for (const other of others) expect(other).toBe(first);
  });
});

async function digestsIn(environment: NodeJS.ProcessEnv): Promise<string> {
  const script = join(import.meta.dirname, "digest-cases.ts");
  const env = { ...process.env, ...environment, NODE_OPTIONS: "" };
  const { stdout } = await promisify(execFile)(process.execPath, ["--conditions=threadfold-source", script], { env });
  return stdout;
}
