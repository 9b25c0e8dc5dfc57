import type { MessageBody } from "@threadfold/inspection/rows";

/** A message as one text: its parts below each other, calls by the name of their tool. */
export const bodyText = ({ parts }: MessageBody): string =>
  parts.map((part) => (part.type === "tool-call" ? `${part.tool}(${part.text})` : part.text)).join("\n");
