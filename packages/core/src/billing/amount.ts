import type { ModelRow } from "../providers/models.ts";

/** An amount in US dollars and in input-token equivalents, one of which is the price of an uncached input token. */
export interface Amount {
  readonly bill: number;
  /** Null when a price is not known. */
  readonly dollars: number | null;
}

const MILLION = 1_000_000;

/** Returns the amount of `bill` input-token equivalents; long prompts may cost more per token. */
export function amountOf(bill: number, row: ModelRow | undefined, promptTokens: number): Amount {
  const { input } = pricesAt(row, promptTokens);
  return { bill, dollars: input === null ? null : (bill * input) / MILLION };
}

/** Returns the price of a call's input, `bill` input-token equivalents, and output in US dollars; null if not known. */
export function dollarsFor(
  bill: number,
  outputTokens: number,
  row: ModelRow | undefined,
  promptTokens: number,
): number | null {
  const { input, output } = pricesAt(row, promptTokens);
  return input === null || output === null ? null : (bill * input + outputTokens * output) / MILLION;
}

/** Prices per million tokens for a prompt of this length. */
function pricesAt({ inputPrice, outputPrice, longPrompts }: Partial<ModelRow> = {}, promptTokens: number) {
  const long = longPrompts !== undefined && promptTokens > longPrompts.aboveTokens ? longPrompts : ONE;
  return {
    input: inputPrice === undefined ? null : inputPrice * long.inputFactor,
    output: outputPrice === undefined ? null : outputPrice * long.outputFactor,
  };
}

const ONE = { inputFactor: 1, outputFactor: 1 };

/** Returns the sum in dollars; null when one of the amounts is not known. */
export const dollarsOf = (amounts: readonly Pick<Amount, "dollars">[]): number | null =>
  amounts.reduce<number | null>((sum, { dollars }) => (sum === null || dollars === null ? null : sum + dollars), 0);

/** Returns the sum of amounts. */
export const totalOf = (amounts: readonly Amount[]): Amount => ({
  bill: sumOf(amounts, ({ bill }) => bill),
  dollars: dollarsOf(amounts),
});

export const sumOf = <Item>(items: readonly Item[], of: (item: Item) => number): number =>
  items.reduce((sum, item) => sum + of(item), 0);
