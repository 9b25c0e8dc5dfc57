import { Icon } from "./icon.tsx";

interface UnfoldProps {
  readonly isOpen: boolean;
  readonly what: string;
  readonly onChange: (isOpen: boolean) => void;
}

/** Shows or hides what is in a row. It is no stop of the tab key: `[` and `]` do the same for the chosen row. */
export const UnfoldButton = ({ isOpen, what, onChange }: UnfoldProps) => (
  <button
    type="button"
    class={`plain unfold ${isOpen ? "open" : ""}`}
    tabIndex={-1}
    aria-expanded={isOpen}
    aria-label={`${isOpen ? "Fold" : "Unfold"} ${what}`}
    onClick={(event) => {
      event.stopPropagation();
      onChange(!isOpen);
    }}
  >
    <Icon name="after" />
  </button>
);
