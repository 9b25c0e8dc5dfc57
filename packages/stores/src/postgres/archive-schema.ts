/** SQLSTATE for a row that is refused because its thread is archived. */
export const ARCHIVED_STATE = "TF002";

/** Tables that accept no rows of an archived thread. */
const MOVED_TABLES = ["entries", "receipts", "plans", "journal", "artifacts", "recall_passages", "erasures"];

/** Tables whose rows could not be deleted before threads could be archived. */
const KEPT_TABLES = ["entries", "plans", "journal"];

/**
 * Segments of threads: where each is, and what lists show of a thread whose rows were moved there. While a thread is
 * cold, its rows may be deleted and none can be added. It can only become hot again if log, plans and journal end, when
 * the transaction does, as they did before: a role that may move threads out cannot make the end of one disappear that
 * way.
 */
export const ARCHIVES = `
CREATE TABLE @.archives (
  thread_key   bigint PRIMARY KEY,
  tenant       text COLLATE "C" NOT NULL,
  is_cold      boolean NOT NULL,
  is_dropped   boolean NOT NULL CHECK (NOT (is_dropped AND is_cold)), -- whether the segment is about to be taken away
  place        text NOT NULL,                   -- address of the folder or bucket
  segment_key  text NOT NULL,
  root         text NOT NULL,                   -- of the Merkle tree over the segment's lines
  lines        bigint NOT NULL,
  bytes        bigint NOT NULL,
  archived_at  text NOT NULL,
  copies       text NOT NULL,                   -- JSON: ids of forks and handoffs of the thread
  version      bigint NOT NULL,
  digest       text NOT NULL,                   -- the thread's
  plan_version bigint NOT NULL,
  journal_size bigint NOT NULL,
  journal_hash text NOT NULL,
  created_at   bigint NOT NULL,                 -- milliseconds since the epoch
  appended_at  bigint NOT NULL,
  committed_at bigint,
  FOREIGN KEY (thread_key, tenant) REFERENCES @.threads (thread_key, tenant)
);

CREATE FUNCTION @.is_archived(thread bigint) RETURNS boolean LANGUAGE sql VOLATILE AS $$
  SELECT EXISTS (SELECT 1 FROM @.archives WHERE thread_key = thread AND is_cold)
$$;

CREATE FUNCTION @.refuse_archived() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM fresh JOIN @.archives USING (thread_key) WHERE is_cold) THEN
    RAISE EXCEPTION 'the thread is archived' USING ERRCODE = '${ARCHIVED_STATE}';
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION @.only_archived() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND @.is_archived(OLD.thread_key) THEN RETURN OLD; END IF;
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END $$;

CREATE OR REPLACE FUNCTION @.only_emptied() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF TG_TABLE_NAME = 'receipts' THEN OLD.request_digest := ''; ELSE OLD.body := ''; END IF;
    IF NEW IS NOT DISTINCT FROM OLD AND EXISTS (SELECT 1 FROM @.erasures WHERE thread_key = OLD.thread_key) THEN
      RETURN NEW;
    END IF;
  ELSIF @.is_archived(OLD.thread_key) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END $$;

CREATE OR REPLACE FUNCTION @.only_emptied_or_expired() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  artifact @.artifacts%ROWTYPE;
BEGIN
  SELECT * INTO artifact FROM @.artifacts WHERE artifact_key = OLD.artifact_key;
  IF TG_OP = 'UPDATE' THEN
    OLD.content := '';
    IF NEW IS NOT DISTINCT FROM OLD AND EXISTS (SELECT 1 FROM @.erasures WHERE thread_key = artifact.thread_key) THEN
      RETURN NEW;
    END IF;
  ELSIF @.has_expired(artifact.created_at, artifact.ttl_seconds) OR @.is_archived(artifact.thread_key) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END $$;

CREATE OR REPLACE FUNCTION @.only_expired() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF @.has_expired(OLD.created_at, OLD.ttl_seconds) OR @.is_archived(OLD.thread_key) THEN RETURN OLD; END IF;
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END $$;

CREATE FUNCTION @.keep_archive() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    IF OLD.is_dropped THEN RETURN OLD; END IF;
    RAISE EXCEPTION 'the segment is there';
  END IF;
  OLD.is_cold := NEW.is_cold;
  IF NEW.is_dropped THEN OLD.is_dropped := true; END IF;
  IF NEW IS NOT DISTINCT FROM OLD THEN RETURN NEW; END IF;
  RAISE EXCEPTION 'archives keep what they are';
END $$;

CREATE FUNCTION @.require_whole() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.is_cold OR (
    NEW.digest = (SELECT link FROM @.entries WHERE thread_key = NEW.thread_key AND version = NEW.version)
    AND NEW.plan_version = (SELECT count(*) FROM @.plans WHERE thread_key = NEW.thread_key)
    AND NEW.version = (SELECT count(*) FROM @.entries WHERE thread_key = NEW.thread_key)
    AND NEW.journal_size = (SELECT count(*) FROM @.journal WHERE thread_key = NEW.thread_key)
    AND NEW.journal_hash = coalesce(
      (SELECT hash FROM @.journal WHERE thread_key = NEW.thread_key AND sequence = NEW.journal_size), '')
  ) THEN
    RETURN NULL;
  END IF;
  RAISE EXCEPTION 'the thread is not back as it was';
END $$;

CREATE TRIGGER archives_keep BEFORE UPDATE OR DELETE ON @.archives FOR EACH ROW EXECUTE FUNCTION @.keep_archive();
CREATE CONSTRAINT TRIGGER archives_whole AFTER UPDATE ON @.archives DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION @.require_whole();
CREATE TRIGGER archives_no_truncate BEFORE TRUNCATE ON @.archives FOR EACH STATEMENT EXECUTE FUNCTION @.refuse_change();
${KEPT_TABLES.map(guardUnlessArchived).join("")}
${MOVED_TABLES.map(refuseArchived).join("")}
`;

function guardUnlessArchived(table: string): string {
  const name = `${table}_no_update_or_delete`;
  return (
    `DROP TRIGGER ${name} ON @.${table};\n` +
    `CREATE TRIGGER ${name} BEFORE UPDATE OR DELETE ON @.${table} FOR EACH ROW EXECUTE FUNCTION @.only_archived();\n`
  );
}

function refuseArchived(table: string): string {
  return (
    `CREATE TRIGGER ${table}_not_archived AFTER INSERT ON @.${table} REFERENCING NEW TABLE AS fresh ` +
    "FOR EACH STATEMENT EXECUTE FUNCTION @.refuse_archived();\n"
  );
}
