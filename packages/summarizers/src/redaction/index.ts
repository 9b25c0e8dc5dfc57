export { redactJson } from "./redact-json.ts";
export {
  REDACTION_VERSION,
  type Redaction,
  redactionMarker,
  redactSecrets,
  type SecretStretch,
  secretStretches,
} from "./redact-secrets.ts";
export { redactingSummarizer } from "./redacting-summarizer.ts";
