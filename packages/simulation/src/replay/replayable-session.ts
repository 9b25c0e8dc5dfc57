import { PieceIndex } from "../measure/prompt-meter.ts";
import { SessionMemory } from "../memory/session-memory.ts";
import { type SessionNeeds, sessionNeeds } from "../needs/session-needs.ts";
import type { RecordedSession } from "../recording/recorded-session.ts";

/** A session with what all of its replays share. */
export interface ReplayableSession {
  readonly session: RecordedSession;
  readonly needs: SessionNeeds;
  readonly pieces: PieceIndex;
  readonly memory: SessionMemory;
}

/** Makes a session ready to be replayed under many policies. */
export function replayableSession(session: RecordedSession): ReplayableSession {
  const needs = sessionNeeds(session);
  const pieces = new PieceIndex(needs.scanner);
  return { session, needs, pieces, memory: new SessionMemory(session, needs, pieces) };
}
