/**
 * How fast each counter is: load time in milliseconds, and megabytes of text per second of processor time in a warm
 * process, over this repository's own sources.
 *
 * node --conditions=threadfold-source bench/counting-speed.ts
 */
import { globSync, readFileSync } from "node:fs";
import { loadTokenizer, TOKENIZER_IDS } from "../src/load-tokenizer.ts";

const root = new URL("../../..", import.meta.url).pathname;
const paths = globSync("packages/*/src/**/*.ts", { cwd: root }).sort();
const texts = paths.map((path) => readFileSync(`${root}/${path}`, "utf8"));
const megabytes = texts.reduce((sum, text) => sum + text.length, 0) / 1e6;
const ROUNDS = 5;

console.log(`${texts.length} texts, ${megabytes.toFixed(2)} MB`);
for (const id of TOKENIZER_IDS) {
  const start = performance.now();
  const tokenizer = await loadTokenizer(id);
  tokenizer.countTokens("warm");
  const loaded = performance.now() - start;
  const tokens = texts.reduce((sum, text) => sum + tokenizer.countTokens(text), 0);
  const before = process.cpuUsage();
  for (let round = 0; round < ROUNDS; round++) for (const text of texts) tokenizer.countTokens(text);
  const used = process.cpuUsage(before);
  const seconds = (used.user + used.system) / 1e6 / ROUNDS;
  const speed = seconds === 0 ? "beyond measure" : `${(megabytes / seconds).toFixed(1)} MB/s`;
  console.log(`${id}: loaded in ${loaded.toFixed(0)} ms, ${tokens} tokens, ${speed}`);
}
