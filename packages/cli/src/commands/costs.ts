import { type CacheBill, cacheBill, type JournalEntry, type SummaryBill, ThreadfoldError } from "@threadfold/core";
import { type CliCall, type CliCommand, NDJSON_OPTION } from "../command/cli-command.ts";
import { count, figure, type Page, plainText, table, wrap } from "../output/page.ts";
import { PRICED_MODEL_OPTION, parsePricedModel, STORE_OPTION } from "../parse/options.ts";
import { readingStore } from "../store/store-address.ts";
import { storedThreads } from "../store/stored-thread.ts";

/** The keys by which costs can be grouped. */
const COST_KEYS = ["day", "thread", "model"] as const;
type CostKey = (typeof COST_KEYS)[number];

/** Totals of calls. All fields but `calls`, `summaryCalls`, `compactions`, `dollars` and `unpricedCalls` are tokens. */
interface CostTotals {
  readonly calls: number;
  /** Input as billed, split into tokens read from the prompt cache, tokens written to it, and the rest. */
  readonly uncachedTokens: number;
  readonly readTokens: number;
  readonly writtenTokens: number;
  readonly outputTokens: number;
  /** Calls for summaries. Their tokens are counted separately; their price is included in `dollars`. */
  readonly summaryCalls: number;
  readonly summaryInputTokens: number;
  readonly summaryOutputTokens: number;
  /** The provider's own compactions, counted separately like summaries. */
  readonly compactions: number;
  readonly compactionInputTokens: number;
  readonly compactionOutputTokens: number;
  /** US dollars of all calls with a known price. */
  readonly dollars: number;
  /** Calls without a known price, including those for summaries and compactions. */
  readonly unpricedCalls: number;
}

/** One call of a thread, for an answer or for summaries, or one compaction by the provider. */
interface Cost extends CostTotals {
  /** Date in UTC, `2026-11-01`. */
  readonly day: string;
  readonly thread: string;
  /** Null when the journal names none. */
  readonly model: string | null;
}

/** Grouped costs, with those of `day`, `thread` and `model` by which they are grouped. */
type CostRow = CostTotals & Partial<Pick<Cost, CostKey>>;

/** `costs`: says what all threads of a store used and cost, based on the bill of each. */
export const costsCommand: CliCommand = {
  arguments: [],
  options: [
    {
      flags: "--by <keys>",
      description: `what rows are grouped by: ${COST_KEYS.join(", ")}`,
      fallback: "day,thread",
      choices: COST_KEYS,
      list: true,
    },
    { flags: "--since <date>", description: "only calls from this day on, in UTC, such as 2026-11-01" },
    PRICED_MODEL_OPTION,
    NDJSON_OPTION,
    STORE_OPTION,
  ],
  examples: [
    "costs --store sessions.db",
    "costs --by day --since 2026-11-01 --store sessions.db",
    "costs --by model,thread --store sessions.db --json",
  ],
  run({ options }, { io }) {
    const keys = costKeys(options);
    const since = firstDay(options);
    const model = parsePricedModel(options);
    return readingStore(options, io.env, async (store) => {
      const costs: Cost[] = [];
      const archived: string[] = [];
      for (const { threadId, archivedAt } of await storedThreads(store)) {
        if (archivedAt !== undefined) {
          archived.push(threadId);
          continue;
        }
        const entries = await store.journal.read(threadId);
        // The whole journal is billed before it is filtered by date: the state of a cache depends on earlier calls.
        const bill = cacheBill(entries, model === undefined ? {} : { model });
        costs.push(...costsOf(threadId, bill, entries, model ?? null).filter(({ day }) => day >= since));
      }
      const rows = costRows(costs, keys);
      const totals = totalOf(costs);
      const unpricedModels = [...new Set(costs.filter(isUnpriced).map((cost) => cost.model))];
      return {
        data: { by: keys, since: since === "" ? null : since, rows, totals, unpricedModels, archived },
        items: rows,
        text: (page: Page) => costsPage(rows, keys, totals, unpricedModels, page),
        notes:
          archived.length === 0
            ? []
            : [
                `Not included: ${count(archived.length, "thread")} that ${archived.length === 1 ? "is" : "are"} archived.`,
              ],
      };
    });
  },
};

/** Parses `--by`. @throws ThreadfoldError `USAGE`. */
function costKeys({ by }: CliCall["options"]): readonly CostKey[] {
  const given = (Array.isArray(by) ? by : []).flatMap((text: string) => text.split(",")).map((text) => text.trim());
  const unknown = given.find((text) => !COST_KEYS.some((key) => key === text));
  if (unknown === undefined) return COST_KEYS.filter((key) => given.includes(key));
  throw new ThreadfoldError("USAGE", `--by is ${JSON.stringify(unknown)}; it must be day, thread or model.`, {
    hint: "Separate several with commas: --by day,thread.",
  });
}

/** Returns the day given with `--since`; an empty string means every day. @throws ThreadfoldError `USAGE`. */
function firstDay({ since }: CliCall["options"]): string {
  if (since === undefined) return "";
  const day = typeof since === "string" && /^\d{4}-\d{2}-\d{2}$/.test(since) ? since : "";
  const time = Date.parse(`${day}T00:00:00.000Z`);
  // `Date.parse` reads 2026-02-31 as the third of March.
  if (!Number.isNaN(time) && new Date(time).toISOString().startsWith(day)) return day;
  throw new ThreadfoldError("USAGE", `--since is ${JSON.stringify(since)}; it must be a date such as 2026-11-01.`);
}

const NOTHING: CostTotals = {
  ...{ calls: 0, uncachedTokens: 0, readTokens: 0, writtenTokens: 0, outputTokens: 0 },
  ...{ summaryCalls: 0, summaryInputTokens: 0, summaryOutputTokens: 0, dollars: 0, unpricedCalls: 0 },
  ...{ compactions: 0, compactionInputTokens: 0, compactionOutputTokens: 0 },
};

/** The costs of each call of a bill. */
function costsOf(
  thread: string,
  { calls, summaries }: CacheBill,
  entries: readonly JournalEntry[],
  assumedModel: string | null,
): readonly Cost[] {
  const times = new Map(entries.map(({ sequence, at }) => [sequence, at]));
  const dayOf = (at = ""): string => at.slice(0, "2026-11-01".length);
  return [
    ...calls.map(({ at, model, input, inputTokens, outputTokens, dollars }) => ({
      ...{ ...NOTHING, day: dayOf(at), thread, model: model ?? assumedModel, calls: 1, ...priced(dollars) },
      uncachedTokens: input?.uncachedTokens ?? inputTokens,
      readTokens: input?.readTokens ?? 0,
      writtenTokens: input?.writtenTokens ?? 0,
      outputTokens: outputTokens ?? 0,
    })),
    ...summaries.map((summary) => ({
      ...{ ...NOTHING, day: dayOf(times.get(summary.sequence)), thread, model: modelOf(summary, assumedModel) },
      ...{ ...priced(summary.dollars, summary.calls), ...asked(summary) },
    })),
  ];
}

/** The provider compacts with the answering model; the model of summaries may have a name or not. */
const modelOf = ({ by, model }: SummaryBill, assumedModel: string | null): string | null =>
  model ?? (by === "provider" ? assumedModel : null);

const asked = ({ by, calls, inputTokens, outputTokens }: SummaryBill): Partial<CostTotals> =>
  by === "provider"
    ? { compactions: calls, compactionInputTokens: inputTokens, compactionOutputTokens: outputTokens }
    : { summaryCalls: calls, summaryInputTokens: inputTokens, summaryOutputTokens: outputTokens };

const priced = (dollars: number | null, calls = 1): Pick<CostTotals, "dollars" | "unpricedCalls"> =>
  dollars === null ? { dollars: 0, unpricedCalls: calls } : { dollars, unpricedCalls: 0 };

const isUnpriced = ({ unpricedCalls }: CostTotals): boolean => unpricedCalls > 0;

const totalOf = (costs: readonly CostTotals[]): CostTotals =>
  costs.reduce((sum, cost) => {
    const names = Object.keys(NOTHING) as (keyof CostTotals)[];
    return Object.fromEntries(names.map((name) => [name, sum[name] + cost[name]])) as unknown as CostTotals;
  }, NOTHING);

/** Groups costs and sorts the rows by day, then by thread and model. */
function costRows(costs: readonly Cost[], keys: readonly CostKey[]): readonly CostRow[] {
  const groups = Map.groupBy(costs, (cost) => JSON.stringify(keys.map((key) => cost[key])));
  const rows = [...groups.values()].flatMap((own) => {
    const [first] = own;
    if (first === undefined) return [];
    return [{ ...Object.fromEntries(keys.map((key) => [key, first[key]])), ...totalOf(own) }];
  });
  const order = (row: CostRow): readonly string[] => keys.map((key) => row[key] ?? "");
  return rows.sort((a, b) => compareTexts(order(a), order(b)));
}

function compareTexts(a: readonly string[], b: readonly string[]): number {
  const place = a.findIndex((text, index) => text !== b[index]);
  return place === -1 ? 0 : (a[place] ?? "") < (b[place] ?? "") ? -1 : 1;
}

function costsPage(
  rows: readonly CostRow[],
  keys: readonly CostKey[],
  totals: CostTotals,
  unpricedModels: readonly (string | null)[],
  { paint, columns }: Page,
): string {
  if (rows.length === 0) return "No call was recorded.";
  const cells = (row: CostRow, names: readonly string[]): readonly string[] => [
    ...names,
    figure(row.calls),
    figure(row.uncachedTokens),
    figure(row.readTokens),
    figure(row.writtenTokens),
    figure(row.outputTokens),
    dollarsCell(row),
  ];
  const named = rows.map((row) =>
    cells(
      row,
      keys.map((key) => plainText(row[key] ?? "not named")),
    ),
  );
  const total = cells(
    totals,
    keys.map((_, index) => (index === 0 ? "total" : "")),
  );
  const head = [...keys, "calls", "input", "cache read", "written", "output", "dollars"];
  const lines = table(
    [head, ...named, total],
    head.map((_, column) => (column < keys.length ? "left" : "right")),
  );
  const marked = lines.map((line, place) => (place === 0 || place === lines.length - 1 ? paint("bold", line) : line));
  const notes = [besideNote(totals), priceNote(totals, unpricedModels)].filter((note) => note !== "");
  return [...marked, ...notes.flatMap((note) => ["", ...wrap(note, columns)])].join("\n");
}

/** Dollars, followed by a plus when some calls have no known price; a dash when none has one. */
function dollarsCell(totals: CostTotals): string {
  const { dollars, unpricedCalls } = totals;
  if (isPriceless(totals)) return "-";
  return `$${dollars.toFixed(4)}${unpricedCalls > 0 ? "+" : ""}`;
}

/** True when none of the calls has a known price. */
const isPriceless = ({ unpricedCalls, calls, summaryCalls, compactions }: CostTotals): boolean =>
  unpricedCalls > 0 && unpricedCalls === calls + summaryCalls + compactions;

function besideNote(totals: CostTotals): string {
  const of = (input: number, output: number): string => `of ${figure(input)} tokens in and ${figure(output)} out`;
  const { summaryCalls, compactions } = totals;
  const summaries = `${count(summaryCalls, "call")} for summaries, ${of(totals.summaryInputTokens, totals.summaryOutputTokens)}`;
  const compacted = `${count(compactions, "compaction")} by the provider, ${of(totals.compactionInputTokens, totals.compactionOutputTokens)}`;
  const parts = [...(summaryCalls > 0 ? [summaries] : []), ...(compactions > 0 ? [compacted] : [])];
  return parts.length === 0 ? "" : `The dollars include ${parts.join(", and ")}.`;
}

function priceNote(totals: CostTotals, models: readonly (string | null)[]): string {
  const { unpricedCalls } = totals;
  if (unpricedCalls === 0) return "";
  const named = models.flatMap((model) => (model === null ? [] : [plainText(model)]));
  const whose = named.length === 0 ? "" : ` (${named.join(", ")})`;
  const others = isPriceless(totals) ? "" : "; the dollars cover the other calls";
  const advice = models.includes(null) ? " For calls that name no model, say which one it was with --model." : "";
  return `The price of ${count(unpricedCalls, "call")} is not known${whose}${others}.${advice}`;
}
