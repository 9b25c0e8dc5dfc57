import { ContextSession, formatById, importSessionFile, type PreparedRequest, presetByName } from "threadfold";
import type { GoldenCase } from "./golden-case.ts";
import { promptPage } from "./prompt-page.ts";

/** All golden times are this one. */
const PINNED_TIME = Date.UTC(2026, 0, 1);

/** The golden files of a case by name, as they come out now. */
export async function renderCase({ source, options }: GoldenCase): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  for (const format of options.formats) {
    const prepared = await fold(source, options, format);
    if (prepared.violations.length > 0 || prepared.missingPins.length > 0) {
      throw new Error(
        `${format}: ${JSON.stringify(prepared.violations)} missing pins: ${prepared.missingPins.join(", ")}`,
      );
    }
    files.set(`${format}.json`, pretty(prepared.payload));
    if (format !== options.formats[0]) continue;
    files.set("plan.json", pretty(prepared.plan));
    files.set("prompt.md", promptPage(prepared));
  }
  return files;
}

async function fold(source: string, options: GoldenCase["options"], format: string): Promise<PreparedRequest> {
  const imported = await importSessionFile(source);
  const session = await ContextSession.open({
    threadId: imported.threadId,
    preset: presetByName(options.preset),
    config: options.config,
    format: formatById(format),
    frame: { system: imported.system, tools: imported.tools },
    clock: { now: () => PINNED_TIME },
  });
  await session.append(imported.messages);
  return session.prepare();
}

const pretty = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
