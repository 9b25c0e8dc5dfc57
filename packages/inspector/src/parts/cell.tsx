import type { ComponentChildren } from "preact";

interface CellProps {
  readonly class?: string;
  readonly title?: string;
  readonly children?: ComponentChildren;
}

/** A cell of a row of {@link Rows}: the grid has the focus, never a cell. */
export const Cell = ({ children, ...rest }: CellProps) => (
  <span role="gridcell" {...rest}>
    {children}
  </span>
);

/** The unfolded content below the cells of a row. */
export const RowBody = ({ children }: { readonly children: ComponentChildren }) => (
  <div role="gridcell" class="row-body">
    {children}
  </div>
);

/** Returns the column headers of a list. */
export const columnHeads = (titles: readonly string[]) =>
  titles.map((title) => (
    <span key={title} role="columnheader">
      {title}
    </span>
  ));
