import { PAGE_ROOT } from "@threadfold/inspection/rows";
import { render } from "preact";
import { followPrinting } from "../parts/printing.ts";
import { pageSource } from "../source/data-source.ts";
import { followTitle, InspectorProvider, openInspector } from "../state/inspector.ts";
import { followTheme } from "../state/theme.ts";
import { PageFrame } from "./page-frame.tsx";

const root = document.getElementById(PAGE_ROOT);
if (root !== null) void open(root);

/** Opens what the document names, and draws it; or says why it cannot. */
async function open(place: HTMLElement): Promise<void> {
  followTheme();
  followPrinting();
  try {
    const inspector = await openInspector(pageSource(document));
    followTitle(inspector);
    place.replaceChildren();
    render(
      <InspectorProvider value={inspector}>
        <PageFrame />
      </InspectorProvider>,
      place,
    );
  } catch (error) {
    render(<Failed message={error instanceof Error ? error.message : String(error)} />, place);
  }
}

const Failed = ({ message }: { readonly message: string }) => (
  <main class="erased">
    <h1>The page cannot be drawn</h1>
    <p>{message}</p>
  </main>
);
