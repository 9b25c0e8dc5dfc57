import {
  MODELS,
  type ModelRow,
  modelRow,
  promptCachePriceFor,
  promptCachePriceOfModel,
  suggestedCap,
  ThreadfoldError,
} from "@threadfold/core";
import { type CliCommand, NDJSON_OPTION } from "../command/cli-command.ts";
import { figure, table } from "../output/page.ts";

/** `models`: lists what is known about all models, or about one. */
export const modelsCommand: CliCommand = {
  arguments: [{ name: "model", description: "name of one model, as in requests", optional: true }],
  options: [NDJSON_OPTION],
  examples: ["models", "models anthropic/claude-opus-5.5", "models --json"],
  async run({ arguments: [model] }) {
    const rows = model === undefined ? MODELS : [knownRow(model)];
    const models = rows.map(describe);
    return {
      data: { models },
      items: models,
      text: ({ paint }) => {
        const [head = "", ...lines] = table([TITLES, ...models.map(cells)], ALIGNMENTS);
        const notes =
          model === undefined
            ? []
            : rows.flatMap((row) => [`From: ${row.source}.`, ...longPrompts(row), row.note ?? []].flat());
        return [paint("bold", head), ...lines, ...notes].join("\n");
      },
    };
  },
};

function knownRow(model: string): ModelRow {
  const row = modelRow(model);
  if (row !== undefined) return row;
  throw new ThreadfoldError("INVALID_CONFIG", `The model ${model} is not known.`, {
    hint: "Run threadfold models for those that are. In code, set maxInputTokens, or pass a session a row of your own: models: [{ name, windowTokens, asOf, source }].",
    details: { name: "model" },
  });
}

/** A model's row with the cap that it suggests and the prices of its prompt cache. */
const describe = (row: ModelRow) => {
  const known = promptCachePriceOfModel(row.name);
  const price = known && promptCachePriceFor(known, row.name);
  const cache = price && { id: price.id, read: price.read, write: price.write, ttlSeconds: price.ttlSeconds };
  return { ...row, cap: suggestedCap(row), cache: cache ?? null };
};

const longPrompts = ({ longPrompts: long }: ModelRow): readonly string[] => {
  if (long === undefined) return [];
  const { aboveTokens, inputFactor, outputFactor } = long;
  return [
    `A prompt above ${figure(aboveTokens)} tokens costs ${inputFactor} times as much, its answer ${outputFactor} times.`,
  ];
};

const TITLES = ["model", "window", "cap", "output", "$ in", "$ out", "cache", "as of"] as const;
const ALIGNMENTS = ["left", "right", "right", "right", "right", "right", "left", "left"] as const;

const orDash = (value: number | undefined, print: (value: number) => string): string =>
  value === undefined ? "-" : print(value);

const cells = (row: ReturnType<typeof describe>): readonly string[] => [
  row.name,
  figure(row.windowTokens),
  figure(row.cap),
  orDash(row.maxOutputTokens, figure),
  orDash(row.inputPrice, String),
  orDash(row.outputPrice, String),
  row.cache === null ? "-" : `${row.cache.read} read, ${row.cache.write} written`,
  row.asOf,
];
