import { ARCHIVES } from "./archive-schema.ts";

/** Tables whose rows are only ever added, except for what an erasure empties and a sweep removes. */
export const APPEND_ONLY_TABLES = [
  "threads",
  "entries",
  "entry_bodies",
  "receipts",
  "plans",
  "plan_bodies",
  "journal",
  "artifact_contents",
  "erasures",
] as const;

/** Every table with rows of a tenant. */
export const TENANT_TABLES = [...APPEND_ONLY_TABLES, "artifacts", "recall_passages", "archives"] as const;

/** SQLSTATE for a row that is refused because its thread was erased. */
export const ERASED_STATE = "TF001";

/** Tables that accept no rows of an erased thread. The journal is not one of them: it holds the proof. */
const CLOSED_TABLES = ["entries", "plans", "artifacts", "recall_passages"];

/**
 * Functions that decide whether a logged row may change: never, except for what an erasure empties and a sweep removes.
 */
const DECIDED_BY: Readonly<Partial<Record<(typeof APPEND_ONLY_TABLES)[number], string>>> = {
  entry_bodies: "only_emptied",
  plan_bodies: "only_emptied",
  receipts: "only_emptied",
  artifact_contents: "only_emptied_or_expired",
};

/**
 * Tables of the first version. `@.` stands for the schema. Every row names its tenant as JSON (`null` is a store
 * without tenants), and refers to its thread together with the tenant, so that no row can belong to another tenant's
 * thread. Message and pin ids are stored as `textKey` writes them, because a text in PostgreSQL cannot contain NUL.
 *
 * Whoever may use the store can erase threads and sweep expired artifacts: no role and no setting turns the guards off
 * for that. The guards themselves decide what is allowed: content becomes empty once its thread is marked as erased,
 * and an artifact is removed once it has expired by the server's clock.
 */
const VERSION_1 = `
CREATE TABLE @.threads (
  thread_key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant     text COLLATE "C" NOT NULL,
  thread_id  text COLLATE "C" NOT NULL,
  UNIQUE (tenant, thread_id),
  UNIQUE (thread_key, tenant)
);

-- Headers of entries; bodies stand apart, so that a range of headers is read without them.
CREATE TABLE @.entries (
  thread_key  bigint NOT NULL,
  version     bigint NOT NULL,                  -- of the thread with this entry, from 1
  tenant      text COLLATE "C" NOT NULL,
  kind        text NOT NULL CHECK (kind IN ('message', 'pin', 'pin-lifted')),
  message_id  text COLLATE "C",
  pin_id      text COLLATE "C",
  messages    bigint NOT NULL,                  -- messages of the thread up to here; a message's ordinal is one less
  turn        bigint NOT NULL,
  step        bigint NOT NULL,
  digest      text NOT NULL,                    -- SHA-256 of the body
  link        text NOT NULL,                    -- SHA-256 of the link before and the digest: the thread's digest here
  appended_at bigint NOT NULL,                  -- milliseconds since the epoch
  PRIMARY KEY (thread_key, version),
  FOREIGN KEY (thread_key, tenant) REFERENCES @.threads (thread_key, tenant)
);
CREATE UNIQUE INDEX entries_by_message ON @.entries (thread_key, message_id) WHERE message_id IS NOT NULL;
CREATE INDEX entries_by_pin ON @.entries (thread_key, pin_id, version) WHERE pin_id IS NOT NULL;

-- Canonical JSON.
CREATE TABLE @.entry_bodies (
  thread_key bigint NOT NULL,
  version    bigint NOT NULL,
  tenant     text COLLATE "C" NOT NULL,
  body       text NOT NULL,
  PRIMARY KEY (thread_key, version),
  FOREIGN KEY (thread_key, tenant) REFERENCES @.threads (thread_key, tenant)
);

-- What was answered to appends that had a key.
CREATE TABLE @.receipts (
  thread_key      bigint NOT NULL,
  idempotency_key text COLLATE "C" NOT NULL,
  tenant          text COLLATE "C" NOT NULL,
  request_digest  text NOT NULL,
  version         bigint NOT NULL,
  appended        bigint NOT NULL,
  PRIMARY KEY (thread_key, idempotency_key),
  FOREIGN KEY (thread_key, tenant) REFERENCES @.threads (thread_key, tenant)
);

CREATE TABLE @.plans (
  thread_key       bigint NOT NULL,
  version          bigint NOT NULL,             -- from 1, without a gap
  tenant           text COLLATE "C" NOT NULL,
  plan_id          text NOT NULL,
  thread_version   bigint NOT NULL,
  created_at       text NOT NULL,
  original_tokens  double precision NOT NULL,
  compacted_tokens double precision NOT NULL,
  committed_at     bigint NOT NULL,             -- milliseconds since the epoch
  PRIMARY KEY (thread_key, version),
  FOREIGN KEY (thread_key, tenant) REFERENCES @.threads (thread_key, tenant)
);

-- Canonical JSON.
CREATE TABLE @.plan_bodies (
  thread_key bigint NOT NULL,
  version    bigint NOT NULL,
  tenant     text COLLATE "C" NOT NULL,
  body       text NOT NULL,
  PRIMARY KEY (thread_key, version),
  FOREIGN KEY (thread_key, tenant) REFERENCES @.threads (thread_key, tenant)
);

CREATE TABLE @.journal (
  thread_key    bigint NOT NULL,
  sequence      bigint NOT NULL,                -- from 1, without a gap
  tenant        text COLLATE "C" NOT NULL,
  at            text NOT NULL,
  record        text NOT NULL,                  -- canonical JSON
  previous_hash text NOT NULL,
  hash          text NOT NULL,
  PRIMARY KEY (thread_key, sequence),
  FOREIGN KEY (thread_key, tenant) REFERENCES @.threads (thread_key, tenant)
);

CREATE TABLE @.artifacts (
  artifact_key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant       text COLLATE "C" NOT NULL,
  artifact_id  text COLLATE "C" NOT NULL,
  thread_key   bigint NOT NULL,
  tenant_id    text,                            -- of the artifact's metadata
  created_at   text NOT NULL,
  ttl_seconds  double precision,
  sensitivity  text NOT NULL,
  media_type   text NOT NULL,
  bytes        bigint NOT NULL,
  UNIQUE (tenant, artifact_id),
  UNIQUE (artifact_key, tenant),
  FOREIGN KEY (thread_key, tenant) REFERENCES @.threads (thread_key, tenant)
);
CREATE INDEX artifacts_by_thread ON @.artifacts (thread_key, artifact_key);

-- UTF-8 bytes, for a content may hold NUL.
CREATE TABLE @.artifact_contents (
  artifact_key bigint PRIMARY KEY,
  tenant       text COLLATE "C" NOT NULL,
  content      bytea NOT NULL,
  FOREIGN KEY (artifact_key, tenant) REFERENCES @.artifacts (artifact_key, tenant)
);

-- Passages and their words, each word with its thread's key. They hold nothing that the log does not.
CREATE TABLE @.recall_passages (
  passage_key  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant       text COLLATE "C" NOT NULL,
  thread_key   bigint NOT NULL,
  ordinal      bigint NOT NULL,
  first_offset bigint NOT NULL,
  words        bigint NOT NULL,
  place        text NOT NULL,                   -- JSON
  terms        text[] NOT NULL,
  UNIQUE (thread_key, ordinal, first_offset),
  FOREIGN KEY (thread_key, tenant) REFERENCES @.threads (thread_key, tenant)
);
CREATE INDEX recall_passages_by_term ON @.recall_passages USING gin (terms);

-- Threads whose content was erased.
CREATE TABLE @.erasures (
  thread_key bigint PRIMARY KEY,
  tenant     text COLLATE "C" NOT NULL,
  FOREIGN KEY (thread_key, tenant) REFERENCES @.threads (thread_key, tenant)
);

CREATE FUNCTION @.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END $$;

CREATE FUNCTION @.require_next() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  place text := TG_ARGV[0];
  newest bigint;
BEGIN
  EXECUTE format('SELECT coalesce(max(%I), 0) FROM %I.%I WHERE thread_key = $1', place, TG_TABLE_SCHEMA, TG_TABLE_NAME)
    INTO newest USING NEW.thread_key;
  IF (to_jsonb(NEW) ->> place)::bigint IS DISTINCT FROM newest + 1 THEN
    RAISE EXCEPTION '% grows by one at its end', TG_TABLE_NAME;
  END IF;
  RETURN NEW;
END $$;

-- Storing content again may renew when it expires and tighten who sees it; what it is stays.
CREATE FUNCTION @.keep_identity() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.artifact_key, NEW.tenant, NEW.artifact_id, NEW.thread_key, NEW.tenant_id, NEW.media_type, NEW.bytes)
    IS DISTINCT FROM
    (OLD.artifact_key, OLD.tenant, OLD.artifact_id, OLD.thread_key, OLD.tenant_id, OLD.media_type, OLD.bytes) THEN
    RAISE EXCEPTION 'artifacts keep what they are';
  END IF;
  RETURN NEW;
END $$;

CREATE FUNCTION @.refuse_erased() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM fresh JOIN @.erasures USING (thread_key)) THEN
    RAISE EXCEPTION 'the thread was erased' USING ERRCODE = '${ERASED_STATE}';
  END IF;
  RETURN NULL;
END $$;

-- Milliseconds since the epoch, and null for never: what the store reckons, down to the fractions that it drops and the
-- year 0 that PostgreSQL calls 1 BC.
CREATE FUNCTION @.expires_at(created_at text, ttl_seconds double precision) RETURNS double precision
LANGUAGE sql STABLE AS $$
  SELECT (extract(epoch FROM (CASE WHEN whole LIKE '0000-%' THEN '0001' || substr(whole, 5) || ' BC' ELSE whole END)::timestamptz)
    * 1000)::double precision + ttl_seconds * 1000
  FROM (SELECT regexp_replace(created_at, '([.][0-9]{3})[0-9]+', '\\1') AS whole) AS given
$$;

CREATE FUNCTION @.has_expired(created_at text, ttl_seconds double precision) RETURNS boolean LANGUAGE sql VOLATILE AS $$
  SELECT coalesce(@.expires_at(created_at, ttl_seconds) <= extract(epoch FROM clock_timestamp()) * 1000, false)
$$;

CREATE FUNCTION @.only_emptied() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF TG_TABLE_NAME = 'receipts' THEN OLD.request_digest := ''; ELSE OLD.body := ''; END IF;
    IF NEW IS NOT DISTINCT FROM OLD AND EXISTS (SELECT 1 FROM @.erasures WHERE thread_key = OLD.thread_key) THEN
      RETURN NEW;
    END IF;
  END IF;
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END $$;

CREATE FUNCTION @.only_emptied_or_expired() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  artifact @.artifacts%ROWTYPE;
BEGIN
  SELECT * INTO artifact FROM @.artifacts WHERE artifact_key = OLD.artifact_key;
  IF TG_OP = 'UPDATE' THEN
    OLD.content := '';
    IF NEW IS NOT DISTINCT FROM OLD AND EXISTS (SELECT 1 FROM @.erasures WHERE thread_key = artifact.thread_key) THEN
      RETURN NEW;
    END IF;
  ELSIF @.has_expired(artifact.created_at, artifact.ttl_seconds) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END $$;

CREATE FUNCTION @.only_expired() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF @.has_expired(OLD.created_at, OLD.ttl_seconds) THEN RETURN OLD; END IF;
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END $$;

-- Storing content again never shortens its time: else whoever may renew could have it swept early.
CREATE FUNCTION @.keep_time() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF coalesce(@.expires_at(NEW.created_at, NEW.ttl_seconds), 'Infinity')
    < coalesce(@.expires_at(OLD.created_at, OLD.ttl_seconds), 'Infinity') THEN
    RAISE EXCEPTION 'artifacts are kept as long as was said';
  END IF;
  RETURN NEW;
END $$;

${APPEND_ONLY_TABLES.map((table) => guard(table, "UPDATE OR DELETE", DECIDED_BY[table]) + guardTruncate(table)).join("")}
${guard("artifacts", "DELETE", "only_expired")}${guardTruncate("artifacts")}
CREATE TRIGGER artifacts_keep_identity BEFORE UPDATE ON @.artifacts FOR EACH ROW EXECUTE FUNCTION @.keep_identity();
CREATE TRIGGER artifacts_keep_time BEFORE UPDATE ON @.artifacts FOR EACH ROW EXECUTE FUNCTION @.keep_time();
${gapless("entries", "version")}${gapless("plans", "version")}${gapless("journal", "sequence")}${CLOSED_TABLES.map(refuseErased).join("")}
`;

/**
 * The migrations, oldest first: number n brings a schema from version n − 1 to n. A released migration is never edited.
 */
export const MIGRATIONS: readonly string[] = [VERSION_1, ARCHIVES];

/** The schema version that this code reads and writes. */
export const SCHEMA_VERSION = MIGRATIONS.length;

function guard(table: string, verbs: string, decides = "refuse_change"): string {
  const name = `${table}_no_${verbs.toLowerCase().replaceAll(" ", "_")}`;
  return `CREATE TRIGGER ${name} BEFORE ${verbs} ON @.${table} FOR EACH ROW EXECUTE FUNCTION @.${decides}();\n`;
}

function guardTruncate(table: string): string {
  return `CREATE TRIGGER ${table}_no_truncate BEFORE TRUNCATE ON @.${table} FOR EACH STATEMENT EXECUTE FUNCTION @.refuse_change();\n`;
}

function gapless(table: string, column: string): string {
  return `CREATE TRIGGER ${table}_gapless BEFORE INSERT ON @.${table} FOR EACH ROW EXECUTE FUNCTION @.require_next('${column}');\n`;
}

/** Checks once at the end of a statement, however many rows it adds. */
function refuseErased(table: string): string {
  return (
    `CREATE TRIGGER ${table}_not_erased AFTER INSERT ON @.${table} REFERENCING NEW TABLE AS fresh ` +
    "FOR EACH STATEMENT EXECUTE FUNCTION @.refuse_erased();\n"
  );
}

/** Returns an id as it is stored: a text in PostgreSQL cannot contain NUL. Different ids stay different. */
export const textKey = (id: string): string => id.replaceAll("\\", "\\\\").replaceAll("\0", "\\0");

/** Returns the id that was stored. */
export const textOfKey = (key: string): string =>
  key.replaceAll(/\\(.)/g, (_, letter: string) => (letter === "0" ? "\0" : letter));
