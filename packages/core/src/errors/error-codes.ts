/** What a caller should know about one kind of failure: whether a retry can help, and what to do about it. */
export interface ErrorCodeEntry {
  /** One sentence that says in general what went wrong. */
  readonly summary: string;
  /** True when the same call may succeed later with the same input. */
  readonly retryable: boolean;
  /** What the caller can do about it. A thrown error may carry a more precise hint. */
  readonly hint: string;
}

/**
 * The registry of every failure that Threadfold reports. Codes are stable: they are part of the public interface,
 * appear in JSON output and logs, and are never renamed. New codes are added at the end of their section.
 */
export const ERROR_CODES = {
  // Input that is not what it claims to be.
  INVALID_JSON: {
    summary: "The text is not JSON, or holds a value that canonical JSON cannot express.",
    retryable: false,
    hint: "Check the text at the reported position.",
  },
  INVALID_MESSAGE: {
    summary: "A message does not match the message schema.",
    retryable: false,
    hint: "Compare the message with the Message type; the error names the field.",
  },
  INVALID_PLAN: {
    summary: "A compaction plan does not match its schema or breaks an invariant.",
    retryable: false,
    hint: "Build plans with normalizePlan, and parse stored plans with parsePlan.",
  },
  INVALID_CONFIG: {
    summary: "A configuration value is out of range.",
    retryable: false,
    hint: "The error names the option and the accepted range.",
  },
  DUPLICATE_MESSAGE_ID: {
    summary: "A message id is already in the thread with different content.",
    retryable: false,
    hint: "Give the new message a new id; the thread is append-only.",
  },
  INVALID_PIN: {
    summary: "Setting or lifting a pin is not allowed.",
    retryable: false,
    hint: "Only an entry of equal or higher authority lifts a pin.",
  },
  INVALID_QUERY: {
    summary: "A search of a thread was requested in a way that cannot be answered.",
    retryable: false,
    hint: "The error names the field: times are ISO 8601, cursors come from the previous page.",
  },
  HISTORY_NOT_LOADED: {
    summary: "The operation needs a part of the thread that was left in the store.",
    retryable: false,
    hint: "Call `await session.loadHistory()`, or load the thread from its store, and try again.",
  },
  HISTORY_DIVERGED: {
    summary: "The host's history no longer begins with the part of it that the thread has.",
    retryable: false,
    hint: "Omit `onDiverged` to continue in a fork automatically, or pass the history that the thread has. If another process appended to the thread: `await session.refresh()`.",
  },
  // Importing.
  UNREADABLE_SOURCE: {
    summary: "The source file cannot be read.",
    retryable: false,
    hint: "Check that the path exists and that you may read it.",
  },
  EMPTY_SOURCE: {
    summary: "The source contains no message.",
    retryable: false,
    hint: "Check that the file is the session log and not an empty placeholder.",
  },
  UNKNOWN_FORMAT: {
    summary: "The source is not in a format that any importer knows.",
    retryable: false,
    hint: "Name the format with --from, or list the known ones with --help.",
  },
  WRONG_FORMAT: {
    summary: "The source is not in the requested format.",
    retryable: false,
    hint: "Omit the format to have it detected.",
  },
  SOURCE_TOO_LARGE: {
    summary: "The source exceeds a limit of size or depth.",
    retryable: false,
    hint: "Split the session, or raise the limit named in the error: --max-size of the command, or limits of the import.",
  },
  CORRUPT_ARCHIVE: {
    summary: "The compressed source is damaged or cut off.",
    retryable: false,
    hint: "Fetch or compress the file again.",
  },
  // Folding.
  BUDGET_INFEASIBLE: {
    summary: "No legal request fits the budget.",
    retryable: false,
    hint: "Raise the budget, lift a pin, remove an attachment, or shorten the system prompt; the error lists what takes up the space.",
  },
  PLAN_CONFLICT: {
    summary: "Another writer committed a plan first.",
    retryable: true,
    hint: "Load the current plan and fold again.",
  },
  PIN_MISSING: {
    summary: "A plan would hide a live pin.",
    retryable: false,
    hint: "This plan is refused; fold again or lift the pin explicitly.",
  },
  ILLEGAL_REQUEST: {
    summary: "The rendered request breaks a rule of the provider.",
    retryable: false,
    hint: "This is a defect: report the rule and the message id that the error names.",
  },
  SUMMARIZER_FAILED: {
    summary: "The summarizer did not return an acceptable summary.",
    retryable: true,
    hint: "The floor without a summarizer is used instead; see the cause.",
  },
  ABORTED: {
    summary: "The operation was aborted by its signal.",
    retryable: true,
    hint: "Nothing was changed; call again when you are ready.",
  },
  TIMED_OUT: {
    summary: "Something that was waited for did not answer in time.",
    retryable: true,
    hint: "The error names what it was, how long it was waited for, and the option that sets the limit.",
  },
  MODEL_CALL_FAILED: {
    summary: "A call to a language model failed.",
    retryable: true,
    hint: "The details name the kind of failure and the provider's status; see the cause.",
  },
  // Stores.
  THREAD_NOT_FOUND: {
    summary: "There is no such thread, or it may not be read.",
    retryable: false,
    hint: "Check the thread id and the store.",
  },
  MESSAGE_NOT_FOUND: {
    summary: "There is no such message in the thread.",
    retryable: false,
    hint: "Check the message id; ids are printed by the plan and the manifest.",
  },
  PLAN_NOT_FOUND: {
    summary: "There is no such plan version.",
    retryable: false,
    hint: "List the plans of the thread.",
  },
  ARTIFACT_NOT_FOUND: {
    summary: "There is no such artifact, or it may not be read.",
    retryable: false,
    hint: "Check the artifact id; expired artifacts are gone.",
  },
  VERSION_CONFLICT: {
    summary: "The thread is not at the expected version.",
    retryable: true,
    hint: "Call `await session.refresh()` and append again; if there is no session, load the thread first.",
  },
  IDEMPOTENCY_MISMATCH: {
    summary: "An idempotency key was reused with different content.",
    retryable: false,
    hint: "Use a new key for a new operation.",
  },
  STORE_UNAVAILABLE: {
    summary: "The store cannot be opened or reached.",
    retryable: true,
    hint: "Check the path or address, permissions and free space.",
  },
  STORE_FOREIGN: {
    summary: "The store file belongs to another program or a newer version.",
    retryable: false,
    hint: "Name another file; this one was not changed.",
  },
  STORE_CORRUPT: {
    summary: "Stored data does not verify.",
    retryable: false,
    hint: "Run verify; it names the first bad entry.",
  },
  STORE_UNSAFE_ROLE: {
    summary: "The database role could see or change what row-level security should keep from it.",
    retryable: false,
    hint: "Open the store as a role that owns no tables, is not a superuser and does not bypass row-level security.",
  },
  CONTENT_ERASED: {
    summary: "The content was erased on request; what is left is the record that it was there.",
    retryable: false,
    hint: "It cannot come back. The journal says when it was erased.",
  },
  UNSEAL_FAILED: {
    summary: "Sealed content cannot be opened.",
    retryable: false,
    hint: "It was changed, or sealed for another place, tenant or key.",
  },
  KEY_MISSING: {
    summary: "Something is sealed with a key that is not among the available keys.",
    retryable: true,
    hint: "Mount or restore the place where the keys are kept, then call again. No key is created instead.",
  },
  KEY_MISMATCH: {
    summary: "The available keys are not the ones that sealed what the store holds.",
    retryable: false,
    hint: "Pass the key store that sealed this store. Nothing was written.",
  },
  QUEUE_UNAVAILABLE: {
    summary: "The queue of background folds cannot be reached.",
    retryable: true,
    hint: "Check the queue's address and database; until it answers, sessions fold on their own.",
  },
  REQUEST_NOT_FOUND: {
    summary: "The thread's journal has no such request.",
    retryable: false,
    hint: "Use the reference of a request that `prepare` returned, with the same store; sessions with `journal: false` record none.",
  },
  THREAD_ARCHIVED: {
    summary: "The thread was moved out of the store into a segment.",
    retryable: false,
    hint: "Run `threadfold unarchive <thread>`, or call `unarchiveThread`, and try again.",
  },
  THREAD_IN_USE: {
    summary: "The thread is in use, so it cannot be archived now.",
    retryable: true,
    hint: "The error says by what. End that first, or wait until the thread has been idle for longer.",
  },
  // Verification.
  REPLAY_MISMATCH: {
    summary: "A recorded request cannot be reproduced byte for byte.",
    retryable: false,
    hint: "Check that the versions recorded with the request are installed.",
  },
  // Command line.
  USAGE: {
    summary: "The command was called in a way it does not understand.",
    retryable: false,
    hint: "Run the command with --help.",
  },
  OUTPUT_UNWRITABLE: {
    summary: "The output folder or file cannot be written.",
    retryable: false,
    hint: "Check the path, permissions and free space.",
  },
} as const satisfies Record<string, ErrorCodeEntry>;

/** The stable code of a failure. */
export type ErrorCode = keyof typeof ERROR_CODES;
