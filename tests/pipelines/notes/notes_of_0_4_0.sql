-- The notes of a library, written by Reroll 0.4.0 and dumped with iterdump of Python's sqlite3.
PRAGMA user_version = 3;
BEGIN TRANSACTION;
CREATE TABLE baseline (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  kind     TEXT NOT NULL CHECK (kind IN ('strategy', 'run')),
  name     TEXT NOT NULL,
  run_key  TEXT
) STRICT;
CREATE TABLE labels (
  note_id TEXT NOT NULL REFERENCES notes ON DELETE CASCADE,
  sort    TEXT NOT NULL CHECK (sort IN ('tag', 'collection')),
  folded  TEXT NOT NULL,
  label   TEXT NOT NULL,
  PRIMARY KEY (note_id, sort, folded)
) STRICT, WITHOUT ROWID;
INSERT INTO "labels" VALUES('0c9d8c958aac48dfbc7ae211ef72a37d','collection','lesson 1','Lesson 1');
INSERT INTO "labels" VALUES('0c9d8c958aac48dfbc7ae211ef72a37d','tag','late','late');
INSERT INTO "labels" VALUES('511c5a4c62394d6f9eadf44758eaab02','collection','lesson 1','Lesson 1');
CREATE TABLE notes (
  note_id      TEXT PRIMARY KEY,
  kind         TEXT NOT NULL,
  page         TEXT NOT NULL,
  address      TEXT NOT NULL,
  run_key      TEXT,
  title        TEXT NOT NULL,
  text         TEXT NOT NULL,
  is_favourite INTEGER NOT NULL,
  created_at   TEXT NOT NULL,
  changed_at   TEXT NOT NULL,
  version      INTEGER NOT NULL,
  searched     TEXT NOT NULL
) STRICT;
INSERT INTO "notes" VALUES('0c9d8c958aac48dfbc7ae211ef72a37d','ply','replay','{"run": ["demo"], "game": ["3"], "ply": ["17"]}','aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa','The other die','why?',0,'2026-11-27T23:20:04.704767','2026-11-27T23:20:04.704767',1,'the other die
why?
late
lesson 1');
INSERT INTO "notes" VALUES('511c5a4c62394d6f9eadf44758eaab02','what-if','whatif','{"run": ["demo"], "games": ["lost:0"], "where": ["round:2"], "seat": ["0"], "strategy": ["planner"]}','aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa','Planner','',1,'2026-11-27T23:20:04.741186','2026-11-27T23:20:04.741186',1,'planner

lesson 1');
CREATE TABLE orders (
  folded   TEXT PRIMARY KEY,
  note_ids TEXT NOT NULL
) STRICT;
INSERT INTO "orders" VALUES('lesson 1','["511c5a4c62394d6f9eadf44758eaab02", "0c9d8c958aac48dfbc7ae211ef72a37d"]');
CREATE INDEX notes_by_change ON notes (changed_at);
CREATE INDEX notes_by_run ON notes (run_key);
CREATE INDEX labels_by_name ON labels (sort, folded);
COMMIT;
