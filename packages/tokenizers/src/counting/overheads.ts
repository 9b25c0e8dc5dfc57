/**
 * What a provider charges beyond the text itself, in tokens. Pure data, so that a provider is a row of a table and not
 * code.
 */
export interface TokenOverheads {
  /** Once per request. */
  readonly request: number;
  /** Once per message: role and separators. */
  readonly message: number;
  /** Once per tool call, beyond its name and arguments. */
  readonly toolCall: number;
  /** Once per tool result, beyond its body. */
  readonly toolResult: number;
  /** Once per request that defines any tool. */
  readonly anyTool: number;
  /** Once per defined tool, beyond its name, description and schema. */
  readonly tool: number;
  /** A picture of any size: providers scale pictures down, so the largest figure is a bound. */
  readonly image: number;
  /** A document whose text cannot be seen here. */
  readonly file: number;
}
