// Records the bundled example: a scripted agent works on a throw-away copy of this repository. What it says is written
// in a-day-on-threadfold.mjs; the results of its tools are real, from this machine at the time of recording. Needs git,
// bash and grep; no network and no key. Run it on the pinned Node: `npm run record-session`.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { turns } from "./a-day-on-threadfold.mjs";
import { runSession } from "./recorder/agent.mjs";
import { SessionLog } from "./recorder/session-log.mjs";
import { toolsIn } from "./recorder/tools.mjs";
import { openWorkingCopy } from "./recorder/working-copy.mjs";

const NAME = "a-day-on-threadfold";
const root = fileURLToPath(new URL("..", import.meta.url));
const target = process.argv[2] ?? join(root, "examples", "sessions", `${NAME}.jsonl`);

const log = new SessionLog(NAME);
const copy = openWorkingCopy(root);
try {
  runSession(turns, { copy, tools: toolsIn(copy), log });
} finally {
  copy.close();
}
mkdirSync(dirname(target), { recursive: true });
writeFileSync(target, log.toString());
const { messages, characters } = log.size();
console.log(`${target}: ${messages} messages, ${characters} characters, about ${Math.round(characters / 4)} tokens.`);
