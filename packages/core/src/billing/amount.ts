import type { ModelRow } from "../providers/models.ts";

/** An amount in input-token equivalents, one being the price of an uncached input token, and in US dollars. */
export interface Amount {
  readonly bill: number;
  /** Null where a price is not known. */
  readonly dollars: number | null;
}

const MILLION = 1_000_000;

/** What so many input-token equivalents come to, of a prompt of so many tokens: long ones may be dearer. */
export function amountOf(bill: number, row: ModelRow | undefined, promptTokens: number): Amount {
  const { input } = pricesAt(row, promptTokens);
  return { bill, dollars: input === null ? null : (bill * input) / MILLION };
}

/** Price of a call in US dollars: its input, in input-token equivalents, and its output tokens; null where one is not known. */
export function dollarsFor(
  bill: number,
  outputTokens: number,
  row: ModelRow | undefined,
  promptTokens: number,
): number | null {
  const { input, output } = pricesAt(row, promptTokens);
  return input === null || output === null ? null : (bill * input + outputTokens * output) / MILLION;
}

/** Prices of a million tokens when the prompt is so long. */
function pricesAt({ inputPrice, outputPrice, longPrompts }: Partial<ModelRow> = {}, promptTokens: number) {
  const long = longPrompts !== undefined && promptTokens > longPrompts.aboveTokens ? longPrompts : ONE;
  return {
    input: inputPrice === undefined ? null : inputPrice * long.inputFactor,
    output: outputPrice === undefined ? null : outputPrice * long.outputFactor,
  };
}

const ONE = { inputFactor: 1, outputFactor: 1 };

/** A sum in dollars; null where one of the amounts is not known. */
export const dollarsOf = (amounts: readonly Pick<Amount, "dollars">[]): number | null =>
  amounts.reduce<number | null>((sum, { dollars }) => (sum === null || dollars === null ? null : sum + dollars), 0);

/** What amounts come to together. */
export const totalOf = (amounts: readonly Amount[]): Amount => ({
  bill: sumOf(amounts, ({ bill }) => bill),
  dollars: dollarsOf(amounts),
});

export const sumOf = <Item>(items: readonly Item[], of: (item: Item) => number): number =>
  items.reduce((sum, item) => sum + of(item), 0);
