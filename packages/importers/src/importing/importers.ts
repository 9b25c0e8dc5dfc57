import { ThreadfoldError } from "@threadfold/core";
import { aiSdkImporter } from "../ai-sdk/ai-sdk-importer.ts";
import { aiderImporter } from "../aider/aider-importer.ts";
import { anthropicMessagesImporter } from "../anthropic-messages/anthropic-messages-importer.ts";
import { claudeCodeImporter } from "../claude-code/claude-code-importer.ts";
import { codexImporter } from "../codex/codex-importer.ts";
import { copilotCliImporter } from "../copilot-cli/copilot-cli-importer.ts";
import { crushImporter } from "../crush/crush-importer.ts";
import { geminiCliImporter } from "../gemini-cli/gemini-cli-importer.ts";
import { gooseImporter } from "../goose/goose-importer.ts";
import { openaiChatImporter } from "../openai-chat/openai-chat-importer.ts";
import { openaiResponsesImporter } from "../openai-responses/openai-responses-importer.ts";
import { opencodeImporter } from "../opencode/opencode-importer.ts";
import { openhandsImporter } from "../openhands/openhands-importer.ts";
import { ownMessagesImporter } from "../own-messages/own-messages-importer.ts";
import { piImporter } from "../pi/pi-importer.ts";
import { type ForeignObject, listOf, objectOf, textOf } from "../reading/foreign-value.ts";
import type { SourceRecords } from "../reading/source-records.ts";
import type { ImportFormat } from "../session/imported-session.ts";
import type { SessionImporter } from "../session/session-importer.ts";
import { vscodeChatImporter } from "../vscode-chat/vscode-chat-importer.ts";
import { clineImporter } from "../wrapped-messages/cline-importer.ts";
import { miniSweAgentImporter } from "../wrapped-messages/mini-swe-agent-importer.ts";
import { sweAgentImporter } from "../wrapped-messages/swe-agent-importer.ts";
import { tauBenchImporter } from "../wrapped-messages/tau-bench-importer.ts";
import { traeImporter } from "../wrapped-messages/trae-importer.ts";

/** Every importer. When two have the same confidence, the earlier one reads the source. */
export const IMPORTERS: readonly SessionImporter[] = Object.freeze([
  piImporter,
  claudeCodeImporter,
  codexImporter,
  opencodeImporter,
  geminiCliImporter,
  aiderImporter,
  gooseImporter,
  crushImporter,
  vscodeChatImporter,
  copilotCliImporter,
  clineImporter,
  openhandsImporter,
  sweAgentImporter,
  miniSweAgentImporter,
  tauBenchImporter,
  traeImporter,
  ownMessagesImporter,
  aiSdkImporter,
  openaiChatImporter,
  openaiResponsesImporter,
  anthropicMessagesImporter,
]);

/** Minimum confidence at which an importer reads a source. */
const SURE_ENOUGH = 0.3;

/**
 * Returns the importer for a source: the one that was asked for, or the one with the highest confidence, with ties
 * going to the first.
 *
 * @throws ThreadfoldError `UNKNOWN_FORMAT` when no importer can read the source, `WRONG_FORMAT` when the requested one
 *   cannot.
 */
export function chooseImporter(
  source: SourceRecords,
  wanted: ImportFormat | "auto",
  importers: readonly SessionImporter[] = IMPORTERS,
): SessionImporter {
  const detected = detectImporter(source, importers);
  if (wanted === "auto") {
    if (detected !== undefined) return detected;
    const foreign = FOREIGN.find(({ isIn }) => recordsIn(source).some(isIn));
    const why = foreign === undefined ? firstProblem(source) : `: it holds ${foreign.what}`;
    throw new ThreadfoldError("UNKNOWN_FORMAT", `The source is in no known format${why}.`, {
      ...(foreign && { hint: foreign.hint }),
      details: {
        records: source.records.length,
        malformed: source.malformed.length,
        formats: importers.map(({ format }) => format),
      },
    });
  }
  const importer = importers.find(({ format }) => format === wanted);
  if (importer === undefined) {
    throw new ThreadfoldError("UNKNOWN_FORMAT", `There is no importer for the format ${String(wanted).slice(0, 40)}.`);
  }
  if (importer.detect(source) >= SURE_ENOUGH) return importer;
  const found = detected === undefined ? firstProblem(source) : `; it looks like ${detected.format}`;
  throw new ThreadfoldError("WRONG_FORMAT", `The source is not in the format ${wanted}${found}.`, {
    details: { wanted, ...(detected && { detected: detected.format }) },
  });
}

function detectImporter(source: SourceRecords, importers: readonly SessionImporter[]): SessionImporter | undefined {
  let best: SessionImporter | undefined;
  let sureness = 0;
  for (const importer of importers) {
    const own = importer.detect(source);
    if (own >= SURE_ENOUGH && own > sureness) [best, sureness] = [importer, own];
  }
  return best;
}

function firstProblem({ malformed: [first] }: SourceRecords): string {
  return first === undefined ? "" : `; line ${first.line} is ${first.problem}`;
}

/** Something that cannot be read, but is known well enough to say what can be instead. */
interface ForeignSource {
  readonly what: string;
  readonly hint: string;
  isIn(record: ForeignObject): boolean;
}

const FOREIGN: readonly ForeignSource[] = [
  {
    what: "messages of LangChain",
    hint: "Convert them with convert_to_openai_messages of langchain_core.messages, and import the list that it returns as JSON.",
    isIn: ({ lc, type, kwargs, content, data }) =>
      lc === 1 ? kwargs !== undefined : /^(?:human|ai)$/.test(textOf(type) ?? "") && (content ?? data) !== undefined,
  },
  {
    what: "what the editor shows of a task of Cline, Roo Code or Kilo Code",
    hint: "Name the file api_conversation_history.json in the same folder: it has what the model was sent.",
    isIn: ({ type, say, ask, ts }) => ts !== undefined && textOf(type === "say" ? say : ask) !== undefined,
  },
  {
    what: "what `opencode run` prints",
    hint: "Write the session with `opencode export SESSION > session.json`, and import that.",
    isIn: ({ sessionID, part }) => textOf(sessionID) !== undefined && objectOf(part) !== undefined,
  },
  {
    what: "what `codex exec --json` prints",
    hint: "Name the rollout of the same thread, a file under ~/.codex/sessions: it has what the model was sent.",
    isIn: ({ type, thread_id, item }) =>
      type === "thread.started"
        ? textOf(thread_id) !== undefined
        : /^item\.(?:started|updated|completed)$/.test(textOf(type) ?? "") && objectOf(item) !== undefined,
  },
  {
    what: "what `gemini --output-format stream-json` prints",
    hint: "Name the chat of the same session, a file under ~/.gemini/tmp: it has what the model was sent.",
    isIn: ({ type, session_id, model, tool_id }) =>
      (type === "init" && textOf(session_id) !== undefined && textOf(model) !== undefined) ||
      (/^tool_(?:use|result)$/.test(textOf(type) ?? "") && textOf(tool_id) !== undefined),
  },
  {
    what: "a list of what Claude Code prints",
    hint: "Print one message per line with --output-format stream-json, or divide the list with `jq -c .[]`.",
    isIn: ({ type, session_id, message }) =>
      textOf(session_id) !== undefined && textOf(type) !== undefined && textOf(type) === objectOf(message)?.role,
  },
  {
    what: "what `goose run` prints",
    hint: "Write the session with `goose session export --format json`, and import that.",
    isIn: ({ type, message }) =>
      type === "message" &&
      (listOf(objectOf(message)?.content) ?? []).some((block) =>
        /^tool(?:Request|Response)$/.test(textOf(objectOf(block)?.type) ?? ""),
      ),
  },
];

/** How many records are examined. */
const SAMPLE = 50;

/** The first records, or the first entries of the list in a single one. */
function recordsIn({ records }: SourceRecords): readonly ForeignObject[] {
  const [first] = records;
  const document = objectOf(first?.value);
  const list = listOf(first?.value) ?? listOf(document?.messages) ?? listOf(objectOf(document?.values)?.messages);
  const values = records.length === 1 && list !== undefined ? list : records.map(({ value }) => value);
  return values.slice(0, SAMPLE).flatMap((value): readonly ForeignObject[] => {
    const record = objectOf(value);
    return record === undefined ? [] : [record];
  });
}
