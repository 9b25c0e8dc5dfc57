export { type ScriptTokens, scriptMessages, scriptThread, shownIn } from "./script-thread.ts";
export { strategyContexts } from "./strategy-context-arbitrary.ts";
export { strategyLaws } from "./strategy-laws.ts";
