/** Anthropic's tool result clearing. */
export interface ClearToolUsesEdit {
  readonly type: "clear_tool_uses_20250919";
  readonly trigger: { readonly type: "tool_uses"; readonly value: number };
  readonly keep: { readonly type: "tool_uses"; readonly value: number };
  readonly clear_tool_inputs?: boolean;
  readonly exclude_tools?: readonly string[];
}

/** Anthropic's clearing of thinking. */
export interface ClearThinkingEdit {
  readonly type: "clear_thinking_20251015";
  readonly keep: { readonly type: "thinking_turns"; readonly value: number };
}

/** Anthropic's compaction. */
export interface CompactEdit {
  readonly type: "compact_20260112";
  readonly trigger: { readonly type: "input_tokens"; readonly value: number };
  readonly instructions?: string;
  readonly pause_after_compaction?: boolean;
}

/** The field of a request that asks for server-side edits. Absent when none is asked for. */
export interface AnthropicNativeFields {
  readonly context_management?: {
    /** Thinking comes first, as the API wants it where edits are combined. */
    readonly edits: readonly (ClearThinkingEdit | ClearToolUsesEdit | CompactEdit)[];
  };
}

/** Asked for by requests that clear. */
export const CONTEXT_EDITING_BETA = "context-management-2025-06-27";
/** Asked for by requests that compact, and by every request that carries a compaction block (`wire.md`, Compaction objects). */
export const COMPACTION_BETA = "compact-2026-01-12";
/** The provider takes no lower threshold. */
export const LEAST_COMPACTION_TOKENS = 50_000;
