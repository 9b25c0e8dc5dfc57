/**
 * How long the extractive summarizer takes: milliseconds per million characters on recorded sessions, best of many runs
 * in a warm process, and how the time grows with the size of hostile texts.
 *
 * node --conditions=threadfold-source bench/extraction-speed.ts [runs]
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Message, visibleText } from "@threadfold/core";
import { Conversation, requestFor, summarizedNow } from "../src/testing/conversation.ts";
import { RECORDED_SESSIONS, readRecordedSession } from "../src/testing/recorded-session.ts";

const RUNS = Number(process.argv[2] ?? 40);
const SESSIONS = [
  "trajectories/openai-chat/iso-bench-9ed82e70.json.gz",
  "trajectories/anthropic-messages/iso-bench-sglang-sonnet45-rerun-df7f61ee.json.gz",
  "claude-code/entire-cli/cd-95adddad32-0.jsonl.gz",
  "pi/large-session.jsonl.gz",
];
const HOSTILE = {
  word: "a",
  path: "a/b/",
  rules: "must never ",
  errors: "Error: x\n",
  fences: "```\n",
  blocks: "<system-reminder>",
  chinese: "不要删除。",
};

function bestTime(messages: readonly Message[], runs: number): number {
  const request = requestFor(messages, { maxTokens: 6_000 });
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run++) {
    const start = performance.now();
    summarizedNow(request);
    best = Math.min(best, performance.now() - start);
  }
  return best;
}

for (const name of SESSIONS.filter((path) => existsSync(join(RECORDED_SESSIONS, path)))) {
  const messages = readRecordedSession(join(RECORDED_SESSIONS, name)).filter(({ role }) => role !== "system");
  const characters = messages.reduce((sum, message) => sum + visibleText(message).length, 0);
  const time = bestTime(messages, RUNS);
  console.log(
    `${name}: ${messages.length} messages, ${characters} characters, ${time.toFixed(1)} ms, ${((time * 1e6) / characters).toFixed(1)} ms per million`,
  );
}

for (const [name, piece] of Object.entries(HOSTILE)) {
  const conversation = (size: number): readonly Message[] => {
    const body = piece.repeat(size / piece.length);
    return new Conversation()
      .user(body)
      .agent(body)
      .tool("bash", { command: `npm test ${body}` }, body, "failure").messages;
  };
  const [once, twice] = [bestTime(conversation(2_000_000), 8), bestTime(conversation(4_000_000), 8)];
  console.log(
    `hostile ${name}: ${once.toFixed(1)} ms for 2 MB, ${twice.toFixed(1)} ms for 4 MB, ratio ${(twice / once).toFixed(2)}`,
  );
}
