import type { ComponentChildren } from "preact";

interface FigureTableProps {
  readonly titles: readonly string[];
  readonly rows: readonly {
    readonly key: string;
    readonly cells: readonly ComponentChildren[];
    readonly class?: string;
  }[];
  /** Totals, below all rows. */
  readonly foot?: readonly ComponentChildren[];
}

/** A table of figures: the first column names the row, the others are right-aligned. */
export const FigureTable = ({ titles, rows, foot }: FigureTableProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
  <section class="wide-table" tabIndex={0} aria-label={titles.join(", ")}>
    <table class="plain-table ledger">
      <thead>
        <tr>
          {titles.map((title, at) => (
            <th key={title} scope="col" class={at === 0 ? "" : "number"}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, cells, class: name = "" }) => (
          <tr key={key} class={name}>
            <FigureCells cells={cells} />
          </tr>
        ))}
      </tbody>
      {foot !== undefined && (
        <tfoot>
          <tr>
            <FigureCells cells={foot} />
          </tr>
        </tfoot>
      )}
    </table>
  </section>
);

const FigureCells = ({ cells: [name, ...figures] }: { readonly cells: readonly ComponentChildren[] }) => (
  <>
    <th scope="row">{name}</th>
    {figures.map((figure, at) => (
      <td key={at} class="number">
        {figure}
      </td>
    ))}
  </>
);
