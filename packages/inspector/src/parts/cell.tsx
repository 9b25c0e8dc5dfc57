import type { ComponentChildren } from "preact";

interface CellProps {
  readonly class?: string;
  readonly title?: string;
  readonly children?: ComponentChildren;
}

/** A cell of a row of {@link Rows}: the grid has the focus, and none of its cells. */
export const Cell = ({ children, ...rest }: CellProps) => (
  <span role="gridcell" {...rest}>
    {children}
  </span>
);

/** What is unfolded below the cells of a row. */
export const RowBody = ({ children }: { readonly children: ComponentChildren }) => (
  <div role="gridcell" class="row-body">
    {children}
  </div>
);

/** Names of the columns of a list, for its head. */
export const columnHeads = (titles: readonly string[]) =>
  titles.map((title) => (
    <span key={title} role="columnheader">
      {title}
    </span>
  ));
