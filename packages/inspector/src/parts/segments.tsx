interface SegmentsProps<Value extends string> {
  readonly label: string;
  readonly options: readonly (readonly [value: Value, word: string, key?: string])[];
  readonly chosen: Value;
  readonly onChange: (value: Value) => void;
}

/** A choice of one option out of a few. */
export const Segments = <Value extends string>({ label, options, chosen, onChange }: SegmentsProps<Value>) => (
  <fieldset class="segments">
    <legend class="unseen">{label}</legend>
    {options.map(([value, word, key]) => (
      <button
        key={value}
        type="button"
        aria-pressed={value === chosen}
        title={key === undefined ? undefined : `${word} (${key})`}
        onClick={() => onChange(value)}
      >
        {word}
      </button>
    ))}
  </fieldset>
);
