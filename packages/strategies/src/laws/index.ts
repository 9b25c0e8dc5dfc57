export { type ScriptTokens, scriptMessages, scriptThread, shownIn } from "./script-thread.ts";
export { strategyLaws } from "./strategy-laws.ts";
