import { keepLaws } from "@threadfold/core/laws";
import { describe, it } from "vitest";
import { ExtractiveSummarizer } from "../extractive/extractive-summarizer.ts";
import { summarizerLaws } from "./summarizer-laws.ts";

keepLaws("the extractive summarizer", summarizerLaws(new ExtractiveSummarizer()), { describe, it });
