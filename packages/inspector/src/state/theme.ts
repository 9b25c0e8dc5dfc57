import { effect, signal } from "@preact/signals";

export const THEMES = ["system", "light", "dark"] as const;
type Theme = (typeof THEMES)[number];

const KEPT_AS = "threadfold-theme";

/** The chosen colours. A file that is opened from a disk may have nowhere to keep the choice. */
export const theme = signal<Theme>(keptTheme());

function keptTheme(): Theme {
  try {
    return THEMES.find((known) => known === localStorage.getItem(KEPT_AS)) ?? "system";
  } catch {
    return "system";
  }
}

/** Lets the document have the chosen colours, and keeps them for the next time. */
export const followTheme = (): void =>
  void effect(() => {
    document.documentElement.dataset["theme"] = theme.value;
    try {
      localStorage.setItem(KEPT_AS, theme.value);
    } catch {
      // Then it holds until the page is closed.
    }
  });
