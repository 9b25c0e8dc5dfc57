import type { S3Client, S3ServiceException } from "@aws-sdk/client-s3";
import { checkTimeLimit, ThreadfoldError, type TimeLimit, timedOut, withinLimit } from "@threadfold/core";
import {
  type ClosableArtifacts,
  ObjectArtifacts,
  type ObjectArtifactsOptions,
  type ObjectFolder,
} from "../shared/object-artifacts.ts";
import { type Drivers, loadDriver } from "../shared/on-demand.ts";

/** An `S3Client` of the AWS SDK. Its own type is not used, because it exists only where the SDK is installed. */
export interface S3ArtifactsClient {
  readonly send: (command: never, options?: never) => Promise<unknown>;
  destroy(): void;
}

/** Options for opening artifacts in a bucket. */
export interface S3ArtifactsOptions extends ObjectArtifactsOptions {
  /** The client to use, which is closed with the store; by default one made from the address and the environment. */
  readonly client?: S3ArtifactsClient;
  /**
   * Time limit for a write, a read or one page of a listing, in milliseconds, including all tries and until the last
   * byte has arrived; all pages of a listing together may take twenty times as long. 60 000 by default.
   */
  readonly requestTimeoutMs?: number;
}

const REQUEST_TIMEOUT_MS = 60_000;

/**
 * Opens artifacts in a bucket of S3 or of a compatible service. Credentials come from where the AWS SDK looks for them.
 * Nothing is sent before the first call.
 *
 * @param address `s3://bucket/prefix`, with `?region=…` and, for a compatible service, `&endpoint=https://…`, which is
 * then addressed by path instead of host name.
 * @throws ThreadfoldError `INVALID_CONFIG` for an address of another kind, and when `@aws-sdk/client-s3` is not
 * installed.
 */
export async function openS3Artifacts(address: string, options: S3ArtifactsOptions = {}): Promise<ClosableArtifacts> {
  return new ObjectArtifacts(openS3Folder(address, options), options);
}

/** Returns the objects under such an address. @throws ThreadfoldError `INVALID_CONFIG`. */
export function openS3Folder(
  address: string,
  options: Pick<S3ArtifactsOptions, "client" | "requestTimeoutMs"> = {},
): ObjectFolder {
  const { bucket, prefix, region, endpoint } = parseAddress(address);
  const requestTimeoutMs = checkTimeLimit("requestTimeoutMs", options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS);
  const client =
    (options.client as S3Client | undefined) ??
    new (loadDriver("@aws-sdk/client-s3").S3Client)({
      ...(region !== null && { region }),
      ...(endpoint !== null && { endpoint, forcePathStyle: true }),
    });
  return s3Folder(client, bucket, prefix, requestTimeoutMs);
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
    throw new ThreadfoldError("INVALID_CONFIG", "Name a bucket as s3://bucket/prefix?region=…&endpoint=…", {
      hint: "Credentials do not belong in the address; the AWS SDK takes them from the environment.",
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

type Sdk = Drivers["@aws-sdk/client-s3"];

/** Number of tries for a write that the service rejects because another write to the same key is in progress. */
const TRIES = 5;
/** A listing takes several requests, and may take as long as this many. */
const LISTING_REQUESTS = 20;

/**
 * Returns the objects in a bucket under a prefix; `ObjectArtifacts` reads back what is new. Writes are conditional
 * (`If-None-Match: *`), so that the first one stays.
 *
 * @param requestTimeoutMs time limit for one operation with all its tries, until its last byte is read, in
 * milliseconds.
 */
function s3Folder(client: S3Client, bucket: string, prefix: string, requestTimeoutMs: number): ObjectFolder {
  const place = (key: string): { readonly Bucket: string; readonly Key: string } => ({
    Bucket: bucket,
    Key: prefix + key,
  });
  const sdk = loadDriver("@aws-sdk/client-s3");
  const limited = <Result>(work: (signal: AbortSignal) => Promise<Result>, milliseconds = requestTimeoutMs) =>
    guarded(bucket, () =>
      withinLimit(work, {
        ...{ milliseconds, waitedFor: `the bucket ${bucket}`, option: "requestTimeoutMs", timers: globalThis },
        late: bucketSilent,
      }),
    );
  /** Returns all pages of a listing, of keys or of the folders that contain them. */
  const listed = (under: string, of: "keys" | "folders"): Promise<readonly string[]> =>
    limited(async (signal) => {
      const page: ListPage = (token) => {
        signal.throwIfAborted();
        const both = (late: AbortSignal) => AbortSignal.any([signal, late]);
        return limited((late) => listPage(sdk, client, place(under), of, token, both(late)));
      };
      return (await listKeys(bucket, page)).map((key) => key.slice(prefix.length)).sort();
    }, LISTING_REQUESTS * requestTimeoutMs);
  return {
    putNew: (key, bytes) => limited((signal) => putNew(sdk, client, place(key), bytes, signal)),
    get: (key) => limited((signal) => read(sdk, client, place(key), signal)),
    // The service responds the same whether or not something was there.
    remove: (key) =>
      limited(async (abortSignal) => {
        await client.send(new sdk.DeleteObjectCommand(place(key)), { abortSignal });
      }),
    list: (under) => listed(under, "keys"),
    folders: async (under) => (await listed(under, "folders")).map((key) => key.slice(under.length, -1)),
    close: async () => client.destroy(),
  };
}

async function putNew(
  { PutObjectCommand }: Sdk,
  client: S3Client,
  place: { readonly Bucket: string; readonly Key: string },
  bytes: Uint8Array,
  abortSignal: AbortSignal,
): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    try {
      const put = new PutObjectCommand({ ...place, Body: bytes, ContentLength: bytes.length, IfNoneMatch: "*" });
      await client.send(put, { abortSignal });
      return true;
    } catch (error) {
      if (statusOf(error) === 412) return false;
      if (statusOf(error) !== 409 || attempt === TRIES) throw error;
    }
  }
}

async function read(
  { GetObjectCommand }: Sdk,
  client: S3Client,
  place: { readonly Bucket: string; readonly Key: string },
  abortSignal: AbortSignal,
): Promise<Uint8Array | null> {
  try {
    const { Body: body } = await client.send(new GetObjectCommand(place), { abortSignal });
    return (await body?.transformToByteArray()) ?? null;
  } catch (error) {
    if (isServiceError(error) && error.name === "NoSuchKey") return null;
    throw error;
  }
}

interface KeyPage {
  readonly keys: readonly string[];
  /** Token of the next page; absent on the last one. */
  readonly next: string | undefined;
}

type ListPage = (token: string | undefined) => Promise<KeyPage>;

async function listPage(
  { ListObjectsV2Command }: Sdk,
  client: S3Client,
  { Bucket, Key: Prefix }: { readonly Bucket: string; readonly Key: string },
  of: "keys" | "folders",
  token: string | undefined,
  abortSignal: AbortSignal,
): Promise<KeyPage> {
  const from = token === undefined ? {} : { ContinuationToken: token };
  const list = new ListObjectsV2Command({ Bucket, Prefix, ...(of === "folders" && { Delimiter: "/" }), ...from });
  const page = await client.send(list, { abortSignal });
  const found =
    of === "keys" ? page.Contents?.map(({ Key: key }) => key) : page.CommonPrefixes?.map((one) => one.Prefix);
  const keys = (found ?? []).filter((key) => key !== undefined);
  return { keys, next: page.IsTruncated === true ? page.NextContinuationToken : undefined };
}

async function listKeys(bucket: string, listed: ListPage): Promise<readonly string[]> {
  const keys: string[] = [];
  let token: string | undefined;
  do {
    const page = await listed(token);
    keys.push(...page.keys);
    if (page.next !== undefined && page.next === token) throw endless(bucket);
    token = page.next;
  } while (token !== undefined);
  return keys;
}

const endless = (bucket: string): ThreadfoldError =>
  new ThreadfoldError("STORE_UNAVAILABLE", `The bucket ${bucket} lists the same page again and again.`, {
    details: { bucket },
  });

function bucketSilent(limit: TimeLimit): ThreadfoldError {
  const { message, hint, details } = timedOut(limit);
  return new ThreadfoldError("STORE_UNAVAILABLE", message, { hint, details });
}

/** A client from the host may come from another copy of the SDK, whose classes are different ones. */
const isServiceError = (error: unknown): error is S3ServiceException =>
  error instanceof Error && "$fault" in error && "$metadata" in error;

const statusOf = (error: unknown): number | undefined =>
  isServiceError(error) ? error.$metadata.httpStatusCode : undefined;

async function guarded<Result>(bucket: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    if (ThreadfoldError.isInstance(cause)) throw cause;
    const reason = isServiceError(cause) ? `${cause.name}, ${statusOf(cause)}` : codeOf(cause);
    throw new ThreadfoldError("STORE_UNAVAILABLE", `The bucket ${bucket} cannot be used now: ${reason}.`, {
      hint: "Check the endpoint, region and credentials, and that the bucket exists.",
      details: { bucket },
    });
  }
}

function codeOf(cause: unknown): string {
  return (cause as NodeJS.ErrnoException).code ?? (cause instanceof Error ? cause.name : "unknown");
}
