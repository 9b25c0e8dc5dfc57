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

/** Opens what the document names, and draws it; or says why it cannot. */
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
 * Draws the page from its root whenever one goes somewhere or the thread grows. A component that draws itself again leaves
 * the first description of it with whoever made it, and from there Preact reaches every later one and what they had drawn:
 * drawn from its root alone, nothing keeps the first one.
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
  document.title = `${pair.name} · another prompt`;
  render(<PromptPairView pair={pair} />, emptied(place));
}

function emptied(place: HTMLElement): HTMLElement {
  place.replaceChildren();
  return place;
}

const Failed = ({ message }: { readonly message: string }) => (
  <main class="erased">
    <h1>The page cannot be drawn</h1>
    <p>{message}</p>
  </main>
);
