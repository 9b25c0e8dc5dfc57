// Opens the page of a scripted agent while it works, and follows it to its end: `npm run follow -w
// @threadfold/inspector-tests`, with `--calls N` for a length other than ten thousand calls, and `--out FOLDER` for
// screenshots of every view at the end. Each look prints a line of JSON about the state of the page, and the last line
// is about its state at the end.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startChromium } from "./chromium.ts";
import { followAgent } from "./followed-agent.ts";

const { values } = parseArgs({ options: { calls: { type: "string", default: "10000" }, out: { type: "string" } } });
const say = (line: unknown): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
const folder = mkdtempSync(join(tmpdir(), "threadfold-follow-"));
const browser = await startChromium();
try {
  const { looks, isWhole, ...end } = await followAgent(browser, {
    store: join(folder, "agents.db"),
    calls: Number(values.calls),
    lookEveryMs: 5_000,
    onLook: say,
    ...(values.out !== undefined && { out: values.out }),
  });
  say({ ...looks.at(-1), isWhole, ...end });
  process.exitCode = isWhole && end.isProved ? 0 : 1;
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
