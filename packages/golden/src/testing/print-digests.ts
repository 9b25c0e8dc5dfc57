import { sha256 } from "@threadfold/core";
import { renderGoldenPrompt } from "../index.ts";
import { sampleMessages } from "./sample-messages.ts";

/** Prints a digest of each golden file for a run whose ids and times come from the environment. */
const messages = sampleMessages(20, {
  run: process.env["SAMPLE_RUN"] ?? "",
  startMs: Number(process.env["SAMPLE_START"]),
});
const prompt = await renderGoldenPrompt({
  messages,
  config: { maxInputTokens: 4_000 },
  formats: ["anthropic-messages", "openai-responses", "gemini"],
});
for (const [file, text] of prompt.files) process.stdout.write(`${file} ${sha256(text)}\n`);
