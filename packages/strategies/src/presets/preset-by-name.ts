import { ThreadfoldError } from "@threadfold/core";
import { aiSdkPreset } from "./ai-sdk.ts";
import { ampHandoffPreset } from "./amp-handoff.ts";
import { claudeCodePreset } from "./claude-code.ts";
import { codexPreset } from "./codex.ts";
import type { CompactionPreset } from "./compaction-preset.ts";
import { goatPreset } from "./goat.ts";
import { opencodePreset } from "./opencode.ts";
import { piPreset } from "./pi.ts";
import { springSessionPreset, springSlidingPreset, springTokensPreset, springTurnsPreset } from "./spring-session.ts";
import { ladderPreset, threadfoldPreset } from "./threadfold.ts";

/** Every preset. To add one, write its file and list it here. */
export const PRESETS: readonly CompactionPreset[] = [
  threadfoldPreset,
  ladderPreset,
  goatPreset,
  claudeCodePreset,
  codexPreset,
  opencodePreset,
  ampHandoffPreset,
  piPreset,
  aiSdkPreset,
  springSessionPreset,
  springSlidingPreset,
  springTurnsPreset,
  springTokensPreset,
];

/**
 * Returns the preset with the given name.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` when there is no such preset; its hint lists the known names.
 */
export function presetByName(name: string): CompactionPreset {
  const preset = PRESETS.find((candidate) => candidate.name === name);
  if (preset !== undefined) return preset;
  const known = PRESETS.map((candidate) => candidate.name).join(", ");
  throw new ThreadfoldError("INVALID_CONFIG", `There is no preset ${name}.`, { hint: `Known presets: ${known}.` });
}
