import type { ModelRow } from "../providers/models.ts";

/** An amount in input-token equivalents, one being the price of an uncached input token, and in US dollars. */
export interface Amount {
  readonly bill: number;
  /** Null where a price is not known. */
  readonly dollars: number | null;
}

const MILLION = 1_000_000;

/** What so many input-token equivalents come to. */
export const amountOf = (bill: number, row: ModelRow | undefined): Amount => ({
  bill,
  dollars: row?.inputPrice === undefined ? null : (bill * row.inputPrice) / MILLION,
});

/** Price of input, in input-token equivalents, and of output tokens, in US dollars; null where one is not known. */
export function dollarsFor(bill: number, outputTokens: number, row: ModelRow | undefined): number | null {
  const { inputPrice, outputPrice } = row ?? {};
  if (inputPrice === undefined || outputPrice === undefined) return null;
  return (bill * inputPrice + outputTokens * outputPrice) / MILLION;
}

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
