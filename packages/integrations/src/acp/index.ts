export type { AcpSession } from "./acp-session.ts";
export { AcpSessions, type AcpThread, type OpenAcpThread } from "./acp-sessions.ts";
export { foldUpdates } from "./fold-updates.ts";
export { messageUpdates, promptMessage } from "./messages.ts";
export { sendHistory, sendUsage } from "./session-history.ts";
