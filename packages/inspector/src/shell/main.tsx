import { effect } from "@preact/signals";
import { PAGE_ROOT } from "@threadfold/inspection/rows";
import { render } from "preact";
import type { PromptPair } from "../model/prompt-pair.ts";
import { followPrinting } from "../parts/rows.tsx";
import { embeddedPiece, pageData, pageSource } from "../source/data-source.ts";
import { followTitle, type Inspector, InspectorProvider, openInspector } from "../state/inspector.ts";
import { followTheme } from "../state/theme.ts";
import { PromptPairView } from "../views/prompt-pair-view.tsx";
import { PageFrame } from "./page-frame.tsx";

const root = document.getElementById(PAGE_ROOT);
if (root !== null) void open(root);

/** Opens the data that the document names and draws it, or says why it cannot. */
async function open(place: HTMLElement): Promise<void> {
  followTheme();
  followPrinting();
  try {
    const data = pageData(document);
    if (data.kind === "prompts") return await openPair(place);
    const inspector = await openInspector(pageSource(document, data));
    followTitle(inspector);
    drawFrame(inspector, emptied(place));
  } catch (error) {
    render(<Failed message={error instanceof Error ? error.message : String(error)} />, emptied(place));
  }
}

/**
 * Redraws the page from its root whenever the place changes or the thread grows. A component that redraws itself leaves
 * the first description of it with whatever created it, and through that Preact keeps every later one, and what they
 * drew, reachable. When everything is drawn from the root, nothing keeps the first one.
 */
const drawFrame = (inspector: Inspector, place: HTMLElement): void =>
  void effect(() => {
    void [inspector.place.value, inspector.index.value];
    render(
      <InspectorProvider value={inspector}>
        <PageFrame />
      </InspectorProvider>,
      place,
    );
  });

async function openPair(place: HTMLElement): Promise<void> {
  const pair = (await (await embeddedPiece(document, "prompts")).json()) as PromptPair;
  document.title = `${pair.name} · changed prompt`;
  render(<PromptPairView pair={pair} />, emptied(place));
}

function emptied(place: HTMLElement): HTMLElement {
  place.replaceChildren();
  return place;
}

const Failed = ({ message }: { readonly message: string }) => (
  <main class="erased">
    <h1>The page cannot be displayed</h1>
    <p>{message}</p>
  </main>
);
