import type { ComponentChildren } from "preact";

interface ScrolledProps {
  readonly label: string;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** A part of the page that scrolls by itself, by keys as well. */
export const Scrolled = ({ label, children, class: name = "" }: ScrolledProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys
  <section class={`scrolled ${name}`} tabIndex={0} aria-label={label}>
    {children}
  </section>
);
