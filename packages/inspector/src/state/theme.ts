import { effect, signal } from "@preact/signals";

export const THEMES = ["system", "light", "dark"] as const;
type Theme = (typeof THEMES)[number];

const KEPT_AS = "threadfold-theme";

/** The chosen colours. A page opened from a file may have no storage for the choice. */
export const theme = signal<Theme>(keptTheme());

function keptTheme(): Theme {
  try {
    return THEMES.find((known) => known === localStorage.getItem(KEPT_AS)) ?? "system";
  } catch {
    return "system";
  }
}

/** Applies the chosen colours to the document and stores them for the next time. */
export const followTheme = (): void =>
  void effect(() => {
    document.documentElement.dataset["theme"] = theme.value;
    try {
      localStorage.setItem(KEPT_AS, theme.value);
    } catch {
      // Then the choice lasts until the page is closed.
    }
  });
