import { whole } from "../format/figures.ts";
import { onOneLine } from "./long-text.tsx";

/** A value that a list can be filtered by, and the number of rows that have it. */
export interface Choice {
  readonly value: string;
  readonly word: string;
  readonly count: number;
  readonly tone?: string;
}

interface ChoiceChipsProps {
  readonly label: string;
  readonly choices: readonly Choice[];
  /** The chosen values; if there are none, everything is shown. */
  readonly chosen: ReadonlySet<string>;
  readonly onChange: (chosen: ReadonlySet<string>) => void;
}

/** Filters a list: each chip shows how many rows it stands for. */
export const ChoiceChips = ({ label, choices, chosen, onChange }: ChoiceChipsProps) => (
  <fieldset class="chips">
    <legend class="unseen">{label}</legend>
    {choices.map(({ value, word, count, tone }) => (
      <button
        key={value}
        type="button"
        class="chip"
        aria-pressed={chosen.has(value)}
        disabled={count === 0 && !chosen.has(value)}
        onClick={() => onChange(toggled(chosen, value))}
      >
        {tone !== undefined && <i class={`dot tone-${tone}`} />}
        {onOneLine(word)} <span class="number">{whole(count)}</span>
      </button>
    ))}
  </fieldset>
);

function toggled(chosen: ReadonlySet<string>, value: string): ReadonlySet<string> {
  const next = new Set(chosen);
  if (!next.delete(value)) next.add(value);
  return next;
}

/** Counts the items of a list by key. */
export function countBy<Item>(items: readonly Item[], of: (item: Item) => string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(of(item), (counts.get(of(item)) ?? 0) + 1);
  return counts;
}
