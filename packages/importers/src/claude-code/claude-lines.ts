import { type ForeignObject, listOf, nonEmptyText, objectOf, textOf } from "../reading/foreign-value.ts";
import type { SourceRecord } from "../reading/source-records.ts";
import { shortId } from "../session/session-ids.ts";

/** A line of a Claude Code session. */
export interface ClaudeLine {
  readonly line: number;
  readonly type: string;
  readonly fields: ForeignObject;
  readonly uuid?: string;
  /**
   * The line before this one in the conversation. A compaction starts a new chain and names its predecessor in a
   * separate field.
   */
  readonly parentUuid?: string;
  /** The message of `user` and `assistant` lines. */
  readonly message?: ForeignObject;
}

/** Converts a record to a line; undefined when it has no type. */
export function claudeLine({ line, value }: SourceRecord): ClaudeLine | undefined {
  const written = objectOf(value);
  const type = textOf(written?.type);
  if (written === undefined || type === undefined) return undefined;
  const fields = isStreamed(written) ? loggedForm(written) : written;
  const uuid = nonEmptyText(fields.uuid);
  const parentUuid = nonEmptyText(fields.parentUuid) ?? nonEmptyText(fields.logicalParentUuid);
  const message = objectOf(fields.message);
  return { line, type, fields, ...(uuid && { uuid }), ...(parentUuid && { parentUuid }), ...(message && { message }) };
}

/** Checks for a line of what Claude Code prints with `--output-format stream-json`, as its SDK returns it. */
export const isStreamed = ({ session_id, sessionId }: ForeignObject): boolean =>
  sessionId === undefined && textOf(session_id) !== undefined;

/** Returns a printed line with the fields that Claude Code's own log has. Lines of a sub-agent name its call. */
function loggedForm(printed: ForeignObject): ForeignObject {
  const { session_id, parent_tool_use_id, isSynthetic, compact_metadata } = printed;
  const agentId = nonEmptyText(parent_tool_use_id);
  const { pre_tokens, ...compacted } = objectOf(compact_metadata) ?? {};
  return {
    ...printed,
    sessionId: session_id,
    ...(agentId !== undefined && { isSidechain: true, agentId }),
    ...(isSynthetic === true && { isMeta: true }),
    ...(compact_metadata !== undefined && { compactMetadata: { ...compacted, preTokens: pre_tokens } }),
  };
}

/**
 * The sub-agent whose own log this is: newer versions write one beside the session's, all of its lines a sidechain.
 * Undefined for a log with a main conversation.
 */
export function agentOf(lines: readonly (ClaudeLine | undefined)[]): ClaudeLine | undefined {
  const spoken = lines.filter((line) => line?.message !== undefined);
  return spoken.every((line) => line?.fields.isSidechain === true) ? spoken[0] : undefined;
}

/** Checks whether a person typed the line: it is not a tool result, a reminder or a summary. */
function isTyped({ type, fields, message }: ClaudeLine): boolean {
  if (type !== "user" || fields.isMeta === true || fields.isSidechain === true || fields.isCompactSummary === true)
    return false;
  if (isSentByProgram(fields)) return false;
  const content = message?.content;
  if (typeof content === "string") return !isHarnessText(content);
  const blocks = (listOf(content) ?? []).map(objectOf);
  if (blocks.some((block) => block?.type === "tool_result")) return false;
  return blocks.some((block) => block?.type === "text" && !isHarnessText(textOf(block.text) ?? ""));
}

/**
 * Finds the branch of every line; undefined is the main branch. Lines of sub-agents (`isSidechain`) are on separate
 * branches. So are paths that the user left by rewinding: a typed message that another typed message replaced, together
 * with its answers. In a sub-agent's own log its lines are the main branch.
 *
 * The lines form a graph, not a chain, because the results of parallel calls are leaves. That is why a line off the
 * newest path stays on the main branch unless a rewind explains it.
 */
export function claudeBranches(lines: readonly (ClaudeLine | undefined)[]): readonly (string | undefined)[] {
  const parents = parentsOf(lines);
  const abandoned = abandonedPaths(lines, parents);
  const branches: (string | undefined)[] = [];
  for (const [index, line] of lines.entries()) {
    const parent = parents[index] as number;
    branches.push(
      line?.fields.isSidechain === true ? sidechainOf(line, lines[parent], branches[parent]) : abandoned[index],
    );
  }
  const agent = agentOf(lines);
  const own = agent && branches[lines.indexOf(agent)];
  return own === undefined ? branches : branches.map((branch) => (branch === own ? undefined : branch));
}

function sidechainOf(line: ClaudeLine, parent: ClaudeLine | undefined, parentBranch: string | undefined): string {
  if (typeof line.fields.agentId === "string") return `sidechain/${shortId(line.fields.agentId)}`;
  const continues = parent?.fields.isSidechain === true && parentBranch !== undefined;
  return continues ? parentBranch : `sidechain/${shortId(line.uuid ?? `line-${line.line}`)}`;
}

/** The index of each line's parent, or −1 when it has none or its parent does not precede it. */
function parentsOf(lines: readonly (ClaudeLine | undefined)[]): readonly number[] {
  const byUuid = new Map<string, number>();
  return lines.map((line, index) => {
    const parent = line?.parentUuid === undefined ? undefined : byUuid.get(line.parentUuid);
    if (line?.uuid !== undefined && !byUuid.has(line.uuid)) byUuid.set(line.uuid, index);
    return parent ?? -1;
  });
}

/** The path name of each line that a rewind left behind. */
function abandonedPaths(
  lines: readonly (ClaudeLine | undefined)[],
  parents: readonly number[],
): readonly (string | undefined)[] {
  const onNewestPath = newestPath(lines, parents);
  const heads = abandonedHeads(lines, parents, onNewestPath);
  const headOf: (number | undefined)[] = [];
  const answered = new Set<number>();
  for (const [index, parent] of parents.entries()) {
    const head = heads.has(index) ? index : onNewestPath.has(index) ? undefined : headOf[parent];
    headOf.push(head);
    if (head !== undefined && lines[index]?.type === "assistant") answered.add(head);
  }
  return headOf.map((head) =>
    head !== undefined && answered.has(head) ? `abandoned/${shortId(lines[head]?.uuid ?? "")}` : undefined,
  );
}

/** The lines from the newest one of the main conversation back to its start. */
function newestPath(lines: readonly (ClaudeLine | undefined)[], parents: readonly number[]): ReadonlySet<number> {
  const path = new Set<number>();
  let index = lines.findLastIndex((line) => line?.uuid !== undefined && line.fields.isSidechain !== true);
  for (; index >= 0; index = parents[index] as number) path.add(index);
  return path;
}

/**
 * Typed lines off the newest path whose parent has a later typed line on that path: messages that the user replaced by
 * rewinding.
 */
function abandonedHeads(
  lines: readonly (ClaudeLine | undefined)[],
  parents: readonly number[],
  onNewestPath: ReadonlySet<number>,
): ReadonlySet<number> {
  const heads = new Set<number>();
  const replaced = new Set<number>();
  for (let index = lines.length - 1; index >= 0; index--) {
    const line = lines[index];
    const parent = parents[index] as number;
    if (line === undefined || parent === -1 || !isTyped(line)) continue;
    if (onNewestPath.has(index)) replaced.add(parent);
    else if (replaced.has(parent)) heads.add(index);
  }
  return heads;
}

/** Prefixes of texts that Claude Code, not a person, puts into a user turn. */
const HARNESS_PREFIXES = [
  "[Request interrupted by user",
  "<local-command-stdout>",
  "<local-command-stderr>",
  "<local-command-caveat>",
  "<bash-stdout>",
  "<bash-stderr>",
  "<system-reminder>",
  "<task-notification>",
  "<teammate-message ",
  "Another Claude session sent a message:\n",
] as const;

/** What an editor tells. The user's own words may follow it in the same text. */
const EDITOR_NOTE = /^<(ide_opened_file|ide_selection|ide_diagnostics)>[\s\S]*<\/\1>\s*$/;

/** Checks whether a text in a user turn comes from the harness rather than from a person. */
export function isHarnessText(text: string): boolean {
  return HARNESS_PREFIXES.some((prefix) => text.startsWith(prefix)) || EDITOR_NOTE.test(text);
}

/** Checks whether a line, or an attachment, says that another agent or a task sent it, and not a person. */
export function isSentByProgram({ origin, commandMode }: ForeignObject): boolean {
  const kind = textOf(objectOf(origin)?.kind) ?? commandMode;
  return kind === "peer" || kind === "coordinator" || kind === "task-notification";
}
