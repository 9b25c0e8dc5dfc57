// Folds an agent's conversation and reads back what went out of sight: no model, no key, no network.
//
// npm install threadfold
// node first-fold.js

import { ContextSession, toolMessage, userMessage } from "threadfold";

const session = await ContextSession.open({ threadId: "first-fold", config: { maxInputTokens: 8_000 } });
await session.append([userMessage("Find the leak in the parser. Never touch package-lock.json.")]);
for (let step = 1; step <= 40; step++) {
  const call = {
    type: "tool-call",
    callId: `call-${step}`,
    toolName: "read_file",
    input: { path: `src/part-${step}.ts` },
  };
  const createdAt = new Date().toISOString();
  await session.append([{ id: `step-${step}`, createdAt, role: "assistant", parts: [call] }]);
  await session.append([toolMessage(call, `PART_${step} leaks ${step * 7} bytes.\n`.repeat(50))]);
}
await session.append([userMessage("Which part leaked 161 bytes?")]);

const { tokens, outcome, payload } = await session.prepare();
console.log(`${session.thread.length} messages, a request of ${tokens} tokens: ${outcome?.type}.`);
console.log("The rule stands word for word:", JSON.stringify(payload).includes("Never touch package-lock.json."));
const { hits } = await session.search({ text: "PART_23 leaks" });
console.log(`Found in the log, folded or not: ${hits[0]?.excerpt.split("\n")[0]}`);
await session.close();
