export { ARTIFACT_URI_TEMPLATE, type ArtifactAddress, artifactAddress, artifactUri } from "./artifacts.ts";
export { EXPLAIN_TOOL_NAME, LIST_FOLDED_TOOL_NAME } from "./folds.ts";
export {
  type HttpListenOptions,
  localTokenVerifier,
  MCP_PATH,
  serveThreadOverHttp,
  type ThreadHttpHandler,
  type ThreadHttpOptions,
  threadHttpHandler,
} from "./serve-over-http.ts";
export { SearchedThreads, type ThreadAccess } from "./thread-archive.ts";
export { type StdioOptions, serveThreadOverStdio, type ThreadServerOptions, threadServer } from "./thread-server.ts";
export type { ToolCallReport, ToolProblem } from "./tool-call.ts";
