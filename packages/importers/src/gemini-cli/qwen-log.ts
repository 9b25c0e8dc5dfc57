import {
  countOf,
  type ForeignObject,
  listOf,
  nonEmptyText,
  objectOf,
  objectsOf,
  textOf,
} from "../reading/foreign-value.ts";
import type { SourceRecords } from "../reading/source-records.ts";
import type { SessionDraft } from "../session/session-draft.ts";
import { shortId } from "../session/session-ids.ts";
import { type GeminiCliLog, type GeminiCliMessage, REWOUND, SNAPSHOT, wordsOf } from "./gemini-cli-log.ts";

/**
 * Checks whether a value is a record of Qwen Code, which grew out of Gemini CLI: a turn as Gemini's API has it, in a tree.
 * Its fields are defined in `packages/core/src/services/chatRecordingService.ts` of https://github.com/QwenLM/qwen-code.
 */
export function isQwenRecord(value: unknown): boolean {
  const record = objectOf(value);
  if (textOf(record?.uuid) === undefined || textOf(record?.sessionId) === undefined) return false;
  return listOf(objectOf(record?.message)?.parts) !== undefined || objectOf(record?.systemPayload) !== undefined;
}

/** A record of Qwen Code. One id on several lines is one message, whose parts they add. */
interface QwenRecord {
  readonly id: string;
  readonly lines: number[];
  readonly type: string;
  readonly fields: ForeignObject;
  message: ForeignObject | undefined;
  readonly parent: string | undefined;
}

function recordsById(records: SourceRecords["records"], draft: SessionDraft): ReadonlyMap<string, QwenRecord> {
  const byId = new Map<string, QwenRecord>();
  for (const { value, line } of records) {
    const fields = objectOf(value);
    const [id, type] = [nonEmptyText(fields?.uuid), textOf(fields?.type)];
    if (fields === undefined || id === undefined || type === undefined) {
      draft.reportMalformed({ line }, "it is not a record of Qwen Code");
      continue;
    }
    const [known, message] = [byId.get(id), objectOf(fields.message)];
    if (known === undefined)
      byId.set(id, { id, lines: [line], type, fields, message, parent: nonEmptyText(fields.parentUuid) });
    else if (known.type === type && message !== undefined && keyOf(message) !== keyOf(known.message)) {
      known.lines.push(line);
      const parts = [known.message, message].flatMap((each) => listOf(each?.parts) ?? []);
      known.message = { ...known.message, parts };
    } else {
      draft.skip("duplicate", line);
      draft.warnings.push({ kind: "duplicate-record", at: { line }, id: id.toWellFormed() });
    }
  }
  return byId;
}

/** Reads a log of Qwen Code as messages of Gemini CLI. Records that are not messages are noted in the draft. */
export function readQwenLog({ records }: SourceRecords, draft: SessionDraft): GeminiCliLog {
  const byId = recordsById(records, draft);
  const branches = qwenBranches(byId);
  const turns = new Map<string, string>();
  const messages = [...byId.values()].flatMap((record): readonly GeminiCliMessage[] => {
    const { id, lines, type, fields } = record;
    const at = { line: lines[0] ?? 0 };
    const branch = branches.get(id);
    const history = qwenHistory(record);
    if (history.length > 0) return history.map((each) => ({ ...each, branch }));
    const read = qwenMessage(record, turns);
    if (read === undefined) {
      if (type === "system") draft.skip(`system/${textOf(fields.subtype) ?? "other"}`, at);
      else draft.skipUnknown(type, at);
      return [];
    }
    const key = read.compression === undefined ? keyOf(record.message) : "";
    if (key !== "") turns.set(key, id);
    return [{ ...read, message: { ...read.message, id, timestamp: fields.timestamp }, at, lines, branch }];
  });
  const [first] = byId.values();
  const frame = { sessionId: first?.fields.sessionId, startTime: first?.fields.timestamp };
  return { frame, messages, records: records.length };
}

/** The history that an agent was forked with: the contents that its model was told. */
function qwenHistory({ id, lines, fields }: QwenRecord): readonly GeminiCliMessage[] {
  if (fields.subtype !== "agent_bootstrap") return [];
  return objectsOf(objectOf(fields.systemPayload)?.history).map(({ role, parts }, index) => {
    const type = role === "model" ? "gemini" : "user";
    const message = { type, id: `${id}.${index}`, content: parts, timestamp: fields.timestamp };
    return { message, at: { line: lines[0] ?? 0 }, lines: [] };
  });
}

/** Records that are written beside the path, so that nothing follows them. */
const BESIDE_PATH: ReadonlySet<unknown> = new Set([
  ...["session_artifact_event", "session_artifact_snapshot", "session_sources_snapshot"],
]);

/** The branches of records off the path to the newest one, and of sub-agents beside a session. */
function qwenBranches(byId: ReadonlyMap<string, QwenRecord>): ReadonlyMap<string, string> {
  const all = [...byId.values()];
  const isBeside = ({ fields }: QwenRecord) => fields.isSidechain === true;
  const main = all.every(isBeside) ? all : all.filter((record) => !isBeside(record));
  const path = new Set<QwenRecord>();
  let last = main.findLast(({ fields }) => !BESIDE_PATH.has(fields.subtype));
  let start = last;
  while (last !== undefined && !path.has(last)) {
    path.add(last);
    start = last;
    last = byId.get(last.parent ?? "");
  }
  // Where the record before the path is lost, records without a place on it are of the time before.
  const isWhole = start?.parent === undefined;
  const left = new Set<QwenRecord>();
  for (const record of main) {
    const parent = byId.get(record.parent ?? "");
    const isLeft = parent === undefined ? isWhole : path.has(parent) || left.has(parent);
    if (!path.has(record) && isLeft) left.add(record);
  }
  const branches = new Map([...left].map(({ id }) => [id, REWOUND]));
  if (main !== all)
    for (const { id, fields } of all.filter(isBeside))
      branches.set(id, `sidechain/${shortId(nonEmptyText(fields.agentId) ?? "agent")}`);
  return branches;
}

/** Origins of user turns that no person wrote. What a person scheduled is theirs. */
const BY_PROGRAM: ReadonlySet<unknown> = new Set(["goal_control", "goal_runtime", "system"]);

/** Converts a record to a message of Gemini CLI; undefined when it has nothing for the model. */
function qwenMessage(
  { type, fields, message }: QwenRecord,
  turns: ReadonlyMap<string, string>,
): Pick<GeminiCliMessage, "message" | "compression"> | undefined {
  const content = message?.parts;
  if (type === "system" && fields.subtype === "chat_compression")
    return qwenSummary(objectOf(fields.systemPayload), turns);
  if (content === undefined || fields.subtype === "realtime_message") return undefined;
  if (type === "assistant")
    return {
      message: { type: "gemini", content, model: fields.model, tokens: qwenTokens(objectOf(fields.usageMetadata)) },
    };
  if (type === "tool_result")
    return { message: { type: "user", content, status: objectOf(fields.toolCallResult)?.status } };
  if (type !== "user") return undefined;
  const isAdded = BY_PROGRAM.has(fields.provenance) && fields.subtype !== "cron";
  const isReport = fields.subtype === "notification" || fields.externalInputKind === "notification";
  const isByProgram = isAdded || isReport || fields.subtype === "agent_message";
  return { message: { type: "user", content, isByProgram } };
}

/** The first turn of a compressed history that speaks of what was before; turns follow that stayed as they were. */
function qwenSummary(payload: ForeignObject | undefined, turns: ReadonlyMap<string, string>) {
  const history = (listOf(payload?.compressedHistory) ?? []).map(objectOf);
  const isOwn = (turn: ForeignObject | undefined) => turn?.role === "user" && !turns.has(keyOf(turn));
  const marked = history.findIndex((turn) => isOwn(turn) && wordsOf(turn?.parts).includes(SNAPSHOT));
  const place = marked === -1 ? history.findIndex((turn) => isOwn(turn) && wordsOf(turn?.parts) !== "") : marked;
  const summary = history[place];
  if (summary === undefined) return undefined;
  const kept = history.slice(place + 1).find((turn) => turns.has(keyOf(turn)));
  const tokensBefore = countOf(objectOf(payload?.info)?.originalTokenCount);
  return {
    message: { type: "user", content: summary.parts },
    compression: { firstKeptId: turns.get(keyOf(kept)), tokensBefore },
  };
}

/** What tells a turn from others. */
function keyOf(turn: unknown): string {
  try {
    return JSON.stringify(turn) ?? "";
  } catch {
    // The nesting is too deep to serialize.
    return "";
  }
}

/** Usage in the terms of Gemini CLI. Output that other providers report includes thoughts, so the total decides. */
function qwenTokens(usage: ForeignObject | undefined): ForeignObject | undefined {
  const [input, output] = [countOf(usage?.promptTokenCount), countOf(usage?.candidatesTokenCount)];
  if (usage === undefined || input === undefined) return undefined;
  const [thoughts, total] = [countOf(usage.thoughtsTokenCount) ?? 0, countOf(usage.totalTokenCount)];
  const includes = output !== undefined && total === input + output && thoughts <= output;
  return { input, output: includes ? output - thoughts : output, cached: usage.cachedContentTokenCount, thoughts };
}
