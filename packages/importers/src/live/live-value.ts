import type { SourcePointer } from "../source-pointer.ts";

/** One message or item of a live conversation, as JSON has it. */
export interface LiveValue {
  readonly value: unknown;
  /** The id that a message made of it gets: its own one, or one of its place. */
  readonly id: string;
  readonly at: SourcePointer;
}
