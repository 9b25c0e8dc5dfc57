export { AcpSessions, type AcpThread, type OpenAcpThread, sendHistory, sendUsage } from "./acp-sessions.ts";
export type { AcpSession } from "./fold-updates.ts";
export { foldUpdates } from "./fold-updates.ts";
export { messageUpdates, promptMessage } from "./messages.ts";
