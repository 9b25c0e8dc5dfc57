import {
  asMessageId,
  canonicalJson,
  type MessageId,
  parseJson,
  SUMMARY_SECTIONS,
  type SummarizeRequest,
  type SummaryChange,
  type SummarySection,
  sha256,
  sourcedItems,
  summaryItemSchemas,
} from "@threadfold/core";
import * as z from "@threadfold/core/schema";

/**
 * A change that is independent of any thread: each source is an index into the span's messages (`s3`) or the previous
 * summary's sources (`p3`), items of the previous summary are named by index, and turns count from the span's first.
 */
type PortableChange = SummaryChange;

const DIGEST_LENGTH = 64;

/** Returns a cache entry as text: the seal of key and content, followed by the content. */
export function writeEntry(key: string, changes: readonly PortableChange[], secret: string | null): string {
  const content = canonicalJson(changes);
  return seal(key, content, secret) + content;
}

/**
 * Returns the changes of an entry; null when it is corrupt, was moved to another key or written without the secret, or
 * does not have the shape of changes. A host's store may return what is not even text.
 */
export function readEntry(key: string, entry: unknown, secret: string | null): readonly PortableChange[] | null {
  if (typeof entry !== "string") return null;
  const content = entry.slice(DIGEST_LENGTH);
  if (seal(key, content, secret) !== entry.slice(0, DIGEST_LENGTH)) return null;
  let value: unknown;
  try {
    value = parseJson(content);
  } catch {
    return null;
  }
  const parsed = portableChangesSchema.safeParse(value);
  return parsed.success ? (parsed.data as unknown as readonly PortableChange[]) : null;
}

/** With a secret, a digest of a digest, so that nothing can be appended to what was sealed. */
function seal(key: string, content: string, secret: string | null): string {
  if (secret === null) return sha256(`${key}\n${content}`);
  return sha256(canonicalJson([secret, sha256(canonicalJson([secret, key, content]))]));
}

/** The schema of a cache entry's content. Built when an entry is first read. */
const portableChangesSchema = z.lazy(() => z.array(changeSchema()));

const sourcesSchema = z.array(z.string().regex(/^[sp]\d{1,9}$/)).min(1);

function changeSchema(): z.ZodType {
  const itemId = z.string().regex(/^\d{1,9}$/);
  const told = z.object({ text: z.string(), sources: sourcesSchema });
  const ofSections = SUMMARY_SECTIONS.flatMap((name) => {
    const [section, item] = [z.literal(name), itemSchema(name)];
    return [
      z.strictObject({ op: z.literal("add"), section, item }),
      z.strictObject({ op: z.literal("supersede"), section, itemId, item }),
    ];
  });
  return z.union([
    ...ofSections,
    z.strictObject({ op: z.literal("resolve"), section: z.enum(SUMMARY_SECTIONS), itemId, reason: z.string() }),
    z.strictObject({ op: z.literal("set-original-task"), task: told }),
    z.strictObject({ op: z.literal("set-narrative"), narrative: told }),
    z.strictObject({ op: z.literal("set-current-task"), task: z.string().nullable() }),
    z.strictObject({ op: z.literal("set-current-plan"), plan: z.array(z.string()).nullable() }),
  ]);
}

function itemSchema(section: SummarySection): z.ZodType {
  const schema = (summaryItemSchemas[section] as z.ZodObject).omit({ id: true }).extend({ sources: sourcesSchema });
  // A turn relative to the span may be negative for what an older summary said.
  if (section === "decisions") return schema.extend({ turn: z.int() });
  return section === "openItems" ? schema.extend({ turn: z.int().optional() }) : schema;
}

/**
 * Makes a request's changes independent of its thread; null when they name a message or item that the request lacks.
 */
export function toPortable(
  changes: readonly SummaryChange[],
  request: SummarizeRequest,
): readonly PortableChange[] | null {
  const names = namesOf(request);
  return translate(changes, {
    source: (id) => names.sourceNames.get(id as MessageId),
    itemId: (section, id) => names.itemNames.get(`${section} ${id}`),
    turn: (turn) => turn - request.span.firstTurn,
  });
}

/** Translates portable changes back into a request's thread; null when they name an index that the request lacks. */
export function fromPortable(
  changes: readonly PortableChange[],
  request: SummarizeRequest,
): readonly SummaryChange[] | null {
  const names = namesOf(request);
  return translate(changes, {
    source: (name) =>
      name.startsWith("s") ? request.messages[Number(name.slice(1))]?.id : names.previousSources[Number(name.slice(1))],
    itemId: (section, name) => request.previous?.[section][Number(name)]?.id,
    turn: (turn) => Math.max(0, turn + request.span.firstTurn),
  });
}

interface Translation {
  source(name: string): string | undefined;
  itemId(section: SummarySection, name: string): string | undefined;
  turn(turn: number): number;
}

function translate(changes: readonly SummaryChange[], to: Translation): readonly SummaryChange[] | null {
  const translated: SummaryChange[] = [];
  for (const change of changes) {
    const next = translateChange(change, to);
    if (next === null) return null;
    translated.push(next);
  }
  return translated;
}

function translateChange(change: SummaryChange, to: Translation): SummaryChange | null {
  switch (change.op) {
    case "set-current-task":
    case "set-current-plan":
      return change;
    case "set-original-task": {
      const task = translateItem(change.task, to);
      return task === null ? null : { ...change, task };
    }
    case "set-narrative": {
      const narrative = translateItem(change.narrative, to);
      return narrative === null ? null : { ...change, narrative };
    }
    case "resolve": {
      const itemId = to.itemId(change.section, change.itemId);
      return itemId === undefined ? null : { ...change, itemId };
    }
    case "add": {
      const item = translateItem(change.item, to);
      return item === null ? null : ({ ...change, item } as SummaryChange);
    }
    case "supersede": {
      const item = translateItem(change.item, to);
      const itemId = to.itemId(change.section, change.itemId);
      return item === null || itemId === undefined ? null : ({ ...change, itemId, item } as SummaryChange);
    }
  }
}

function translateItem<Item extends { readonly sources: readonly MessageId[] }>(
  item: Item,
  to: Translation,
): Item | null {
  const sources = item.sources.map((source) => to.source(source));
  if (sources.includes(undefined)) return null;
  const turn = "turn" in item && typeof item.turn === "number" ? { turn: to.turn(item.turn) } : {};
  return { ...item, ...turn, sources: sources.map((source) => asMessageId(source as string)) };
}

/** The portable names of a request's messages and items. */
function namesOf({ messages, previous }: SummarizeRequest): {
  readonly sourceNames: ReadonlyMap<MessageId, string>;
  readonly itemNames: ReadonlyMap<string, string>;
  readonly previousSources: readonly MessageId[];
} {
  const previousSources = previous === null ? [] : sourcedItems(previous).flatMap(({ sources }) => sources);
  const sourceNames = new Map<MessageId, string>();
  previousSources.forEach((id, index) => void (sourceNames.has(id) || sourceNames.set(id, `p${index}`)));
  messages.forEach(({ id }, index) => void sourceNames.set(id, `s${index}`));
  const itemNames = new Map(
    previous === null
      ? []
      : SUMMARY_SECTIONS.flatMap((section) =>
          previous[section].map(({ id }, index): [string, string] => [`${section} ${id}`, String(index)]),
        ),
  );
  return { sourceNames, itemNames, previousSources };
}
