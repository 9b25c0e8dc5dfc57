import type { ProviderFormat } from "../formats/provider-format.ts";
import type { RenderInput, Rendering } from "../input/render-input.ts";
import { GrowingRendering } from "./growing-rendering.ts";

/**
 * Applies a plan to a thread and makes the request that a format sends (seed 002, Prompt Renderer): the view is drafted
 * message by message, made legal by the format's requirements, and counted. Pure: the same input gives the same bytes
 * (P2), and between two plans a longer thread only adds to the end (P7). For a thread that is rendered turn by turn see
 * {@link GrowingRendering}.
 */
export const renderRequest = (input: RenderInput, format: ProviderFormat): Rendering =>
  GrowingRendering.whole(input, format).rendering;
