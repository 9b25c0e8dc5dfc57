import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

/** Where the packages of Linux distributions put Chromium; THREADFOLD_CHROMIUM names another place. */
const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** Flags for a browser that makes no requests on its own and runs as root in a container. */
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** The Chromium that tests use, or a note that there is none. */
export interface FoundChromium {
  readonly path: string;
  readonly isThere: boolean;
  /** Added to the suite's name: empty when the browser is installed, otherwise says what was skipped. */
  readonly note: string;
}

/**
 * Looks for Chromium.
 *
 * @throws Error when there is none and `THREADFOLD_REQUIRE_SERVICES` is 1, so that the suite fails.
 */
export function findChromium(): FoundChromium {
  const named = process.env["THREADFOLD_CHROMIUM"];
  const path = (named === undefined ? PLACES : [named]).find((place) => existsSync(place)) ?? "";
  const absence =
    "there is no Chromium: node scripts/install-test-programs.mjs installs Debian's, see THREADFOLD_CHROMIUM";
  if (path === "" && process.env["THREADFOLD_REQUIRE_SERVICES"] === "1") throw new Error(absence);
  return { path, isThere: path !== "", note: path === "" ? ` (skipped: ${absence})` : "" };
}

/** Starts Chromium without a window. */
export const startChromium = (flags: readonly string[] = []): Promise<Browser> =>
  chromium.launch({ executablePath: findChromium().path, args: [...FLAGS, ...flags] });
