import { type Part, type Role, toolResultText } from "@threadfold/core";
import type { PolicyScene, PromptPiece } from "./prompt-policy.ts";

/** A message as far as a piece of a prompt needs it: one of a thread, or one of a request. */
export interface PieceSource {
  readonly role: Role;
  readonly parts: readonly Part[];
}

/** The counted text of a message: its text, the names and arguments of its calls, and its results, a line break between. Reasoning and media are not counted. */
export function pieceText({ parts }: PieceSource): string {
  return parts.map(partText).filter(Boolean).join("\n");
}

function partText(part: Part): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "tool-call":
      return `${part.toolName} ${part.invalidInput ?? JSON.stringify(part.input)}`;
    case "tool-result":
      return toolResultText(part.result.content);
    default:
      return "";
  }
}

const known = new WeakMap<PieceSource, PromptPiece>();

/** A message, unchanged, as a piece of a prompt. The same message gives the same piece. */
export function pieceOf(message: PieceSource): PromptPiece {
  const found = known.get(message);
  if (found !== undefined) return found;
  const piece = freshPiece(message);
  known.set(message, piece);
  return piece;
}

function freshPiece(message: PieceSource): PromptPiece {
  const callIds = message.parts.flatMap((part) => (part.type === "tool-call" ? [part.callId] : []));
  const resultIds = message.parts.flatMap((part) => (part.type === "tool-result" ? [part.result.callId] : []));
  return { role: message.role, text: pieceText(message), callIds, resultIds };
}

/** The system text of a scene, as the first pieces of every prompt. */
export function systemPieces({ system }: Pick<PolicyScene, "system">): readonly PromptPiece[] {
  return system.map((text) => ({ role: "system", text }));
}
