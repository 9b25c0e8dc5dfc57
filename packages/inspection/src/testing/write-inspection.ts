// Writes what a page is drawn from, of a recorded session, as JSON files into a folder:
//   node --conditions threadfold-source src/testing/write-inspection.ts <session> <folder> [budget]
import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { importSessionFile } from "@threadfold/importers";
import { anthropicMessages } from "@threadfold/renderer";
import { presetByName } from "@threadfold/strategies";
import { heuristicTokenizer } from "@threadfold/tokenizers";
import { Inspection } from "../build/inspection.ts";
import { foldedSession } from "../source/folded-session.ts";
import { storedRecord } from "../source/stored-record.ts";

const [file = "", folder = "", budget = "50000"] = process.argv.slice(2);
const imported = await importSessionFile(file);
const store = await foldedSession(imported, {
  preset: presetByName("threadfold"),
  budget: Number(budget),
  format: anthropicMessages,
  tokenizer: heuristicTokenizer(),
});
const inspection = await Inspection.open(await storedRecord(store, imported.threadId), {
  source: {
    kind: "file",
    name: basename(file),
    tool: imported.format,
    simulated: true,
    rawLog: basename(file),
    commands: null,
  },
  threadfoldVersion: "0.0.0",
  now: () => Date.parse("2026-01-01T00:00:00.000Z"),
  bodies: "all",
  redacted: true,
  looksForGone: true,
});
const index = inspection.index();
const write = (name: string, value: unknown): void =>
  writeFileSync(join(folder, `${name}.json`), JSON.stringify(value));
mkdirSync(folder, { recursive: true });
write("index", index);
for (const chunk of index.chunks.messages.keys()) write(`messages-${chunk}`, await inspection.messageChunk(chunk));
for (const chunk of index.chunks.texts.keys()) write(`texts-${chunk}`, await inspection.textChunk(chunk));
process.stdout.write(
  `${index.calls.sequence.length} calls, ${index.messages.id.length} messages, ${index.plans.length} plans\n`,
);
