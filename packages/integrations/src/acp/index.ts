export { AcpSessions, type AcpThread, type OpenAcpThread, sendHistory, sendUsage } from "./acp-sessions.ts";
export { type AcpSession, foldUpdates } from "./fold-updates.ts";
export { messageUpdates, promptMessage } from "./messages.ts";
