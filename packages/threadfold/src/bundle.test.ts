import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const PROGRAM = `
import { asMessageId, asThreadId, ContextSession, openStore } from ${JSON.stringify(fileURLToPath(new URL("index.ts", import.meta.url)))};

async function main() {
  const threadId = asThreadId("t");
  const messages = Array.from({ length: 41 }, (_, index) => ({
    id: asMessageId("m" + index),
    role: index % 2 === 0 ? "user" : "assistant",
    createdAt: "2026-01-01T00:00:00.000Z",
    parts: [{ type: "text", text: "Said as number " + index + ": " + "word ".repeat(300) }],
  }));
  const outcomes = [];
  for (const address of ["memory:", "sqlite:work.db"]) {
    const store = await openStore(address);
    const session = await ContextSession.open({ threadId, store, config: { maxInputTokens: 4_000 } });
    await session.append(messages);
    outcomes.push((await session.prepare()).outcome.type);
    await session.close();
  }
  const resumed = await ContextSession.open({ threadId, store: await openStore("work.db") });
  const missing = await openStore("postgres://127.0.0.1/none").catch(({ code, hint }) => ({ code, hint }));
  console.log(JSON.stringify({ outcomes, planVersion: resumed.plan.version, missing }));
  await resumed.close();
}
main();
`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), "threadfold-bundle-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("a program that was bundled into one file", () => {
  it.each(["esm", "cjs"] as const)(
    "as %s runs where nothing is installed, and says which driver an address needs",
    async (format) => {
      const source = join(folder, "program.ts");
      const outfile = join(folder, `bundle.${format === "esm" ? "mjs" : "cjs"}`);
      writeFileSync(source, PROGRAM);
      const { errors, warnings } = await build({
        ...{ entryPoints: [source], outfile, format, bundle: true, platform: "node", logLevel: "silent" },
        conditions: ["threadfold-source"],
      });
      expect(errors).toEqual([]);
      // CommonJS has no URL of its own: the working directory is looked at instead.
      expect(warnings.filter(({ id }) => id !== "empty-import-meta")).toEqual([]);
      rmSync(join(folder, "work.db"), { force: true });
      const printed = execFileSync(process.execPath, [outfile], { cwd: folder, encoding: "utf8" });
      expect(JSON.parse(printed)).toEqual({
        outcomes: ["committed", "committed"],
        planVersion: 1,
        missing: { code: "INVALID_CONFIG", hint: expect.stringContaining("npm install pg") },
      });
    },
  );
});
