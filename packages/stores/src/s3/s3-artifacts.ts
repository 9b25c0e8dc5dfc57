import type { S3Client } from "@aws-sdk/client-s3";
import { checkTimeLimit, ThreadfoldError } from "@threadfold/core";
import { loadDriver } from "../load-driver.ts";
import { type ClosableArtifacts, ObjectArtifacts, type ObjectArtifactsOptions } from "../objects/object-artifacts.ts";
import { s3Folder } from "./s3-folder.ts";

/** How artifacts in a bucket are opened. */
export interface S3ArtifactsOptions extends ObjectArtifactsOptions {
  /** The client to use, which is closed with the store; one by the address and the environment by default. */
  readonly client?: S3Client;
  /**
   * How long putting, reading or listing may take, in milliseconds, with all tries and until the last byte is there; a
   * listing has twenty times as long. 60 000 by default.
   */
  readonly requestTimeoutMs?: number;
}

const REQUEST_TIMEOUT_MS = 60_000;

/**
 * Opens artifacts in a bucket of S3 or of what speaks like it. Credentials come from where the AWS SDK looks for them.
 * Nothing is sent before the first call.
 *
 * @param address `s3://bucket/prefix`, with `?region=…` and, for a service of another kind, `&endpoint=https://…`, which is
 * then asked by path and not by host name.
 * @throws ThreadfoldError `INVALID_CONFIG` for an address of another kind, and when `@aws-sdk/client-s3` is not installed.
 */
export async function openS3Artifacts(address: string, options: S3ArtifactsOptions = {}): Promise<ClosableArtifacts> {
  const { bucket, prefix, region, endpoint } = parseAddress(address);
  const requestTimeoutMs = checkTimeLimit("requestTimeoutMs", options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS);
  const client =
    options.client ??
    new (loadDriver("@aws-sdk/client-s3").S3Client)({
      ...(region !== null && { region }),
      ...(endpoint !== null && { endpoint, forcePathStyle: true }),
    });
  return new ObjectArtifacts(s3Folder(client, bucket, prefix, requestTimeoutMs), options);
}

interface S3Address {
  readonly bucket: string;
  /** Empty, or ends in `/`. */
  readonly prefix: string;
  readonly region: string | null;
  readonly endpoint: string | null;
}

function parseAddress(address: string): S3Address {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const known = [...(url?.searchParams.keys() ?? [])].every((name) => name === "region" || name === "endpoint");
  if (url === undefined || url.protocol !== "s3:" || url.hostname === "" || url.username !== "" || !known) {
    throw new ThreadfoldError("INVALID_CONFIG", "A bucket is named by s3://bucket/prefix?region=…&endpoint=…", {
      hint: "Credentials have no place in the address; the AWS SDK takes them from the environment.",
    });
  }
  const path = decodeURIComponent(url.pathname).replace(/^\/+|\/+$/g, "");
  return {
    bucket: url.hostname,
    prefix: path === "" ? "" : `${path}/`,
    region: url.searchParams.get("region"),
    endpoint: url.searchParams.get("endpoint"),
  };
}
