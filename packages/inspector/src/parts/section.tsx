import type { ComponentChildren } from "preact";

/** A part of a panel with a heading. */
export const Section = ({
  title,
  note,
  children,
}: {
  readonly title: string;
  readonly note?: ComponentChildren;
  readonly children: ComponentChildren;
}) => (
  <section class="section">
    <h3>
      {title}
      {note !== undefined && <span class="quiet"> {note}</span>}
    </h3>
    {children}
  </section>
);

/** A placeholder for an empty part of the page, and what would fill it. */
export const Empty = ({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) => (
  <div class="empty">
    <p>{title}</p>
    {children !== undefined && <p class="quiet">{children}</p>}
  </div>
);

/** A figure with a label. */
export const Figure = ({
  name,
  children,
  note,
  tone = "",
}: {
  readonly name: string;
  readonly children: ComponentChildren;
  readonly note?: ComponentChildren;
  readonly tone?: string;
}) => (
  <div class="figure">
    <dt>{name}</dt>
    <dd class={tone}>{children}</dd>
    {note !== undefined && <dd class="quiet">{note}</dd>}
  </div>
);

interface ScrolledProps {
  readonly label: string;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** A part of the page that scrolls on its own, by keyboard as well. */
export const Scrolled = ({ label, children, class: name = "" }: ScrolledProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
  <section class={`scrolled ${name}`} tabIndex={0} aria-label={label}>
    {children}
  </section>
);
