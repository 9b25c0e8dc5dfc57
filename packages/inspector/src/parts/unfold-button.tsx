import { Icon } from "./icon.tsx";
import { onOneLine } from "./long-text.tsx";

interface UnfoldProps {
  readonly isOpen: boolean;
  readonly what: string;
  readonly onChange: (isOpen: boolean) => void;
}

/** Shows or hides the content of a row. It is not a tab stop: `[` and `]` do the same for the chosen row. */
export const UnfoldButton = ({ isOpen, what, onChange }: UnfoldProps) => (
  <button
    type="button"
    class={`plain unfold ${isOpen ? "open" : ""}`}
    tabIndex={-1}
    aria-expanded={isOpen}
    aria-label={`${isOpen ? "Fold" : "Unfold"} ${onOneLine(what)}`}
    onClick={(event) => {
      event.stopPropagation();
      onChange(!isOpen);
    }}
  >
    <Icon name="after" />
  </button>
);
