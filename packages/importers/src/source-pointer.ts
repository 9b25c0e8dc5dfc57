/** Where in the source something stands. */
export interface SourcePointer {
  /** Line of the record, from 1. For a JSON document, the line that it starts on. */
  readonly line: number;
  /** JSON Pointer (RFC 6901) into the record, when it holds many messages. */
  readonly path?: string;
}
