import {
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
  S3ServiceException,
} from "@aws-sdk/client-s3";
import { ThreadfoldError } from "@threadfold/core";
import type { ObjectFolder } from "../objects/object-folder.ts";

/** How often a write is tried that the service calls off because another one of the same key was under way. */
const TRIES = 5;

/** Objects in a bucket, under a prefix. Writes are conditional (`If-None-Match: *`), so that the first one stays. */
export function s3Folder(client: S3Client, bucket: string, prefix: string): ObjectFolder {
  const place = (key: string): { readonly Bucket: string; readonly Key: string } => ({
    Bucket: bucket,
    Key: prefix + key,
  });
  return {
    putNew: (key, bytes) => guarded(bucket, () => putNew(client, place(key), bytes)),
    get: (key) => guarded(bucket, () => read(client, place(key))),
    list: (under) => guarded(bucket, () => listKeys(client, bucket, prefix, under)),
    close: async () => client.destroy(),
  };
}

async function putNew(
  client: S3Client,
  place: { readonly Bucket: string; readonly Key: string },
  bytes: Uint8Array,
): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.send(new PutObjectCommand({ ...place, Body: bytes, ContentLength: bytes.length, IfNoneMatch: "*" }));
      return true;
    } catch (error) {
      if (statusOf(error) === 412) return false;
      if (statusOf(error) !== 409 || attempt === TRIES) throw error;
    }
  }
}

async function read(
  client: S3Client,
  place: { readonly Bucket: string; readonly Key: string },
): Promise<Uint8Array | null> {
  try {
    const { Body: body } = await client.send(new GetObjectCommand(place));
    return (await body?.transformToByteArray()) ?? null;
  } catch (error) {
    if (error instanceof S3ServiceException && error.name === "NoSuchKey") return null;
    throw error;
  }
}

async function listKeys(client: S3Client, bucket: string, prefix: string, under: string): Promise<readonly string[]> {
  const keys: string[] = [];
  let token: string | undefined;
  do {
    const next = token === undefined ? {} : { ContinuationToken: token };
    const page = await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix + under, ...next }));
    for (const { Key: key } of page.Contents ?? []) if (key !== undefined) keys.push(key.slice(prefix.length));
    token = page.IsTruncated === true ? page.NextContinuationToken : undefined;
  } while (token !== undefined);
  return keys.sort();
}

const statusOf = (error: unknown): number | undefined =>
  error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;

async function guarded<Result>(bucket: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    if (ThreadfoldError.isInstance(cause)) throw cause;
    const reason = cause instanceof S3ServiceException ? `${cause.name}, ${statusOf(cause)}` : codeOf(cause);
    throw new ThreadfoldError("STORE_UNAVAILABLE", `The bucket ${bucket} cannot be used now: ${reason}.`, {
      hint: "Check the endpoint, region and credentials, and that the bucket is there.",
      details: { bucket },
    });
  }
}

function codeOf(cause: unknown): string {
  return (cause as NodeJS.ErrnoException).code ?? (cause instanceof Error ? cause.name : "unknown");
}
