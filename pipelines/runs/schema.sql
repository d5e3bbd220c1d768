-- The only definition of the tables of a run file. One run is one immutable DuckDB file.
--
-- Rows are in the order of the games, so DuckDB finds a game without an index; keys and indexes would cost much and gain
-- nothing on sorted data. Types are as narrow as the games need. Scores and points are INTEGER because a ruleset may
-- give any number of points; DuckDB compresses small numbers anyway. Seats count from 0; -1 is chance.

CREATE TABLE run (
  run        VARCHAR   NOT NULL,
  format     USMALLINT NOT NULL,
  title      VARCHAR   NOT NULL,
  kind       VARCHAR   NOT NULL,
  created_at TIMESTAMP NOT NULL,
  command    VARCHAR   NOT NULL,
  seed       UBIGINT   NOT NULL,
  design     JSON      NOT NULL,
  versions   JSON      NOT NULL,
  games      UINTEGER  NOT NULL,
  seconds    DOUBLE    NOT NULL
);
COMMENT ON TABLE run IS 'One row: what was run, when, by which command, with which versions.';
COMMENT ON COLUMN run.run IS 'Name of the run when it was made; a copied file may be called otherwise.';
COMMENT ON COLUMN run.format IS 'Format number of the file: it grows when older files can no longer be read like newer ones.';
COMMENT ON COLUMN run.title IS 'What people call it.';
COMMENT ON COLUMN run.kind IS 'Which experiment: simulate, compare or whatif; import, of games played elsewhere; or hand, a game in which people chose moves.';
COMMENT ON COLUMN run.created_at IS 'When it was sealed, UTC.';
COMMENT ON COLUMN run.command IS 'A command that makes the same games again, or reads them again.';
COMMENT ON COLUMN run.seed IS 'Seed of all luck; with block, round and seat it gives every random number. Of no meaning in an import.';
COMMENT ON COLUMN run.design IS 'The whole design: ruleset, line-up, seatings, blocks, seed, what is logged. Equal designs are equal documents.';
COMMENT ON COLUMN run.versions IS 'Versions of Reroll, of the rules, Python and DuckDB, and of the built-in strategies that played.';
COMMENT ON COLUMN run.games IS 'Number of games.';
COMMENT ON COLUMN run.seconds IS 'Seconds from start to seal, those of interrupted attempts included.';

CREATE TABLE rulesets (
  ruleset       VARCHAR   NOT NULL,
  game          VARCHAR   NOT NULL,
  players       UTINYINT  NOT NULL,
  lowest_wins   BOOLEAN   NOT NULL,
  board_width   USMALLINT NOT NULL,
  board_height  USMALLINT NOT NULL,
  start_scores  INTEGER[] NOT NULL,
  title         VARCHAR   NOT NULL,
  provenance    JSON      NOT NULL,
  rules_version USMALLINT NOT NULL,
  sha256        VARCHAR   NOT NULL,
  spec          JSON      NOT NULL
);
COMMENT ON TABLE rulesets IS 'The rulesets that were played, in full: a run replays without any other file.';
COMMENT ON COLUMN rulesets.ruleset IS 'Name, such as bloxx-3p.';
COMMENT ON COLUMN rulesets.game IS 'The game that it is a ruleset of.';
COMMENT ON COLUMN rulesets.players IS 'Number of seats.';
COMMENT ON COLUMN rulesets.lowest_wins IS 'Whether the lowest score wins.';
COMMENT ON COLUMN rulesets.board_width IS 'Squares in a row of a board: square c is in column c % board_width and row c // board_width, both from 0.';
COMMENT ON COLUMN rulesets.board_height IS 'Rows of a board.';
COMMENT ON COLUMN rulesets.start_scores IS 'Score of each seat before the first ply; that of seat s is start_scores[s + 1].';
COMMENT ON COLUMN rulesets.title IS 'What people call it.';
COMMENT ON COLUMN rulesets.provenance IS 'Where each table comes from: book, reconstructed or own.';
COMMENT ON COLUMN rulesets.rules_version IS 'Version of the rules that played; another version may give other games for the same seed.';
COMMENT ON COLUMN rulesets.sha256 IS 'Hash of the spec: equal hashes are equal rules, whatever the name.';
COMMENT ON COLUMN rulesets.spec IS 'The whole ruleset as a document.';

CREATE TABLE pieces (
  ruleset VARCHAR   NOT NULL,
  piece   VARCHAR   NOT NULL,
  area    USMALLINT NOT NULL
);
COMMENT ON TABLE pieces IS 'The pieces or shapes of every ruleset, played or not; no rows for games without pieces.';
COMMENT ON COLUMN pieces.ruleset IS 'The ruleset.';
COMMENT ON COLUMN pieces.piece IS 'Name of the piece, as in table actions.';
COMMENT ON COLUMN pieces.area IS 'Number of squares that it covers.';

CREATE TABLE strategies (
  strategy VARCHAR NOT NULL,
  notation VARCHAR NOT NULL,
  name     VARCHAR NOT NULL,
  game     VARCHAR NOT NULL,
  title    VARCHAR NOT NULL,
  params   JSON    NOT NULL,
  program  VARCHAR
);
COMMENT ON TABLE strategies IS 'The strategies that played.';
COMMENT ON COLUMN strategies.strategy IS 'What all other tables call it: the name= of its notation if it has one, else the notation.';
COMMENT ON COLUMN strategies.notation IS 'Name with every parameter, such as rollout:playouts=64; commands take it.';
COMMENT ON COLUMN strategies.name IS 'Name without parameters, such as rollout.';
COMMENT ON COLUMN strategies.game IS 'The game that it plays.';
COMMENT ON COLUMN strategies.title IS 'What it does, in a sentence.';
COMMENT ON COLUMN strategies.params IS 'Its parameters.';
COMMENT ON COLUMN strategies.program IS 'Name and version that a program gives itself, and in how many games it failed; null for a strategy that is not a program.';

CREATE TABLE decision_times (
  strategy  VARCHAR  NOT NULL,
  seat      TINYINT  NOT NULL,
  decisions UINTEGER NOT NULL,
  seconds   DOUBLE   NOT NULL
);
COMMENT ON TABLE decision_times IS 'Thinking time of every strategy and seat, in runs with own strategies or programs; other runs do not time decisions.';
COMMENT ON COLUMN decision_times.strategy IS 'The strategy.';
COMMENT ON COLUMN decision_times.seat IS 'The seat that it had.';
COMMENT ON COLUMN decision_times.decisions IS 'Number of its decisions on this seat.';
COMMENT ON COLUMN decision_times.seconds IS 'Seconds that they took together; the first decision of a program includes its start.';

CREATE TABLE games (
  game_id  UINTEGER  NOT NULL,
  ruleset  VARCHAR   NOT NULL,
  block    UINTEGER  NOT NULL,
  rotation UTINYINT  NOT NULL,
  rounds   USMALLINT NOT NULL,
  plies    UINTEGER  NOT NULL,
  logged   BOOLEAN   NOT NULL
);
COMMENT ON TABLE games IS 'Every game, ascending by game_id.';
COMMENT ON COLUMN games.game_id IS 'From 0: block x number of seatings + rotation.';
COMMENT ON COLUMN games.ruleset IS 'Its ruleset.';
COMMENT ON COLUMN games.block IS 'All games of a block have the same luck; the unit of all statistics. In an import usually one game each.';
COMMENT ON COLUMN games.rotation IS 'Number of the seating within the block; the design in table run says who sits where in each.';
COMMENT ON COLUMN games.rounds IS 'Rounds that were begun.';
COMMENT ON COLUMN games.plies IS 'Plies of the game, logged or not.';
COMMENT ON COLUMN games.logged IS 'Whether its plies are kept in this file.';

CREATE TABLE seats (
  game_id   UINTEGER NOT NULL,
  seat      TINYINT  NOT NULL,
  strategy  VARCHAR  NOT NULL,
  score     INTEGER  NOT NULL,
  rank      UTINYINT NOT NULL,
  win_share DOUBLE   NOT NULL
);
COMMENT ON TABLE seats IS 'The result of every seat of every game, ascending by game_id and seat.';
COMMENT ON COLUMN seats.game_id IS 'The game.';
COMMENT ON COLUMN seats.seat IS 'Place in the order of play, from 0.';
COMMENT ON COLUMN seats.strategy IS 'Who sat there.';
COMMENT ON COLUMN seats.score IS 'Final score, the number of the rulebook.';
COMMENT ON COLUMN seats.rank IS '1 + the number of strictly better seats.';
COMMENT ON COLUMN seats.win_share IS '1 for the winner; winners that tie share: 1/2, 1/3, 1/4.';

CREATE TABLE parts (
  game_id UINTEGER NOT NULL,
  seat    TINYINT  NOT NULL,
  part    VARCHAR  NOT NULL,
  count   INTEGER  NOT NULL,
  points  INTEGER  NOT NULL
);
COMMENT ON TABLE parts IS 'What every score is made of, ascending by game_id and seat; the points of a seat add up to its score.';
COMMENT ON COLUMN parts.game_id IS 'The game.';
COMMENT ON COLUMN parts.seat IS 'The seat.';
COMMENT ON COLUMN parts.part IS 'Name of the part, such as gaps.';
COMMENT ON COLUMN parts.count IS 'How many there were, such as 7 gaps.';
COMMENT ON COLUMN parts.points IS 'What they brought, such as -7.';

CREATE TABLE ply_rows (
  game_id UINTEGER  NOT NULL,
  ply     USMALLINT NOT NULL,
  round   USMALLINT NOT NULL,
  seat    TINYINT   NOT NULL,
  action  INTEGER   NOT NULL,
  options INTEGER,
  score   INTEGER
);
COMMENT ON TABLE ply_rows IS 'What is kept of plies: all but the kind, which follows from the action. Ask the view plies.';
COMMENT ON COLUMN ply_rows.game_id IS 'The game.';
COMMENT ON COLUMN ply_rows.ply IS 'Number of the ply, from 0.';
COMMENT ON COLUMN ply_rows.round IS 'Round, from 0.';
COMMENT ON COLUMN ply_rows.seat IS 'Who acted: a seat, or -1 for chance.';
COMMENT ON COLUMN ply_rows.action IS 'Number of the action under the ruleset of the game.';
COMMENT ON COLUMN ply_rows.options IS 'Number of legal actions there were; null for chance.';
COMMENT ON COLUMN ply_rows.score IS 'Score of the acting seat after the ply; null for chance.';

-- Sealing replaces '' by an expression that computes the kind from the number of the action.
CREATE VIEW plies AS
SELECT game_id, ply, round, seat, '' AS kind, action, options, score FROM ply_rows;
COMMENT ON VIEW plies IS 'Every event of every logged game, ascending by game_id and ply.';
COMMENT ON COLUMN plies.game_id IS 'The game.';
COMMENT ON COLUMN plies.ply IS 'Number of the ply, from 0.';
COMMENT ON COLUMN plies.round IS 'Round, from 0.';
COMMENT ON COLUMN plies.seat IS 'Who acted: a seat, or -1 for chance.';
COMMENT ON COLUMN plies.kind IS 'Kind of the action, such as roll or place.';
COMMENT ON COLUMN plies.action IS 'Number of the action under the ruleset of the game; table actions says what it means.';
COMMENT ON COLUMN plies.options IS 'Number of legal actions there were; null for chance.';
COMMENT ON COLUMN plies.score IS 'Score of the acting seat after the ply, as if the game ended there; null for chance.';

CREATE TABLE actions (
  ruleset  VARCHAR NOT NULL,
  action   INTEGER NOT NULL,
  kind     VARCHAR NOT NULL,
  notation VARCHAR NOT NULL,
  piece    VARCHAR,
  die      VARCHAR,
  dice     VARCHAR[] NOT NULL,
  cells    USMALLINT[] NOT NULL
);
COMMENT ON TABLE actions IS 'What the numbers of actions mean; only actions that occur in plies, ascending.';
COMMENT ON COLUMN actions.ruleset IS 'The ruleset under which the number has this meaning.';
COMMENT ON COLUMN actions.action IS 'Number of the action.';
COMMENT ON COLUMN actions.kind IS 'Kind of the action.';
COMMENT ON COLUMN actions.notation IS 'The action in writing.';
COMMENT ON COLUMN actions.piece IS 'The piece or shape, if there is one.';
COMMENT ON COLUMN actions.die IS 'The die that was used, if there is one.';
COMMENT ON COLUMN actions.dice IS 'Faces of the dice that were rolled or kept, in order; empty for other actions.';
COMMENT ON COLUMN actions.cells IS 'Squares covered, as column + width x row from a1 = 0; empty if none.';

-- turn and active_seat are computed when a query asks for them. A seat keeps its turn as long as only chance acts between
-- its decisions of a round. DuckDB 2.0 stores lag(seat, 2) in a form that DuckDB 1.5 refuses, so lag has no offset here.
CREATE VIEW log AS
SELECT
  p.game_id, p.ply, p.round,
  CASE WHEN p.seat >= 0 THEN
    (count(*) FILTER (p.begins_turn) OVER (PARTITION BY p.game_id, p.seat ORDER BY p.ply) - 1)::USMALLINT
  END AS turn,
  CASE WHEN p.rolls = 0 THEN p.seat ELSE
    first_value(CASE WHEN p.seat >= 0 THEN p.seat END IGNORE NULLS) OVER (
      PARTITION BY p.game_id, p.rolls ORDER BY p.ply ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
  END AS active_seat,
  p.seat, a.kind, a.notation, a.piece, a.die, a.dice, a.cells, p.options, p.score, p.action, g.ruleset
FROM (
  SELECT
    *, count(*) FILTER (seat < 0) OVER plies_before AS rolls,
    (lag(seat) OVER plies_before = -1 AND first_value(seat) OVER second_ply_before = seat
      AND first_value(round) OVER second_ply_before = round) IS NOT TRUE AS begins_turn
  FROM ply_rows
  WINDOW
    plies_before AS (PARTITION BY game_id ORDER BY ply),
    second_ply_before AS (PARTITION BY game_id ORDER BY ply ROWS BETWEEN 2 PRECEDING AND 2 PRECEDING)
) p
JOIN games g ON g.game_id = p.game_id
JOIN actions a ON a.ruleset = g.ruleset AND a.action = p.action;
COMMENT ON VIEW log IS 'The plies with their actions in writing. Order by game_id and ply.';
COMMENT ON COLUMN log.game_id IS 'The game.';
COMMENT ON COLUMN log.ply IS 'Number of the ply, from 0.';
COMMENT ON COLUMN log.round IS 'Round, from 0.';
COMMENT ON COLUMN log.turn IS 'Number of the turn of the acting seat, from 0, counted for each seat; null for chance.';
COMMENT ON COLUMN log.active_seat IS 'Whose turn it is: the seat that acts first after the latest roll; without a roll the acting seat.';
COMMENT ON COLUMN log.seat IS 'Who acted: a seat, or -1 for chance.';
COMMENT ON COLUMN log.kind IS 'Kind of the action.';
COMMENT ON COLUMN log.notation IS 'The action in writing.';
COMMENT ON COLUMN log.piece IS 'The piece or shape, if there is one.';
COMMENT ON COLUMN log.die IS 'The die that was used, if there is one.';
COMMENT ON COLUMN log.dice IS 'Faces of the dice that were rolled or kept, in order; empty for other actions.';
COMMENT ON COLUMN log.cells IS 'Squares covered, as column + width x row from a1 = 0.';
COMMENT ON COLUMN log.options IS 'Number of legal actions there were; null for chance.';
COMMENT ON COLUMN log.score IS 'Score of the acting seat after the ply; null for chance.';
COMMENT ON COLUMN log.action IS 'Number of the action.';
COMMENT ON COLUMN log.ruleset IS 'Ruleset of the game.';

-- Roll-ups: no page has to scan seats or plies. A mean is sum / n; its standard error follows from the sum of squares.
-- Columns that end in _sum and _square_sum are sums, never values of a single result.

CREATE TABLE score_histogram (
  ruleset  VARCHAR  NOT NULL,
  strategy VARCHAR  NOT NULL,
  seat     TINYINT  NOT NULL,
  score    INTEGER  NOT NULL,
  games    UINTEGER NOT NULL
);
COMMENT ON TABLE score_histogram IS 'How often each final score came up.';
COMMENT ON COLUMN score_histogram.ruleset IS 'The ruleset.';
COMMENT ON COLUMN score_histogram.strategy IS 'The strategy.';
COMMENT ON COLUMN score_histogram.seat IS 'The seat that it had.';
COMMENT ON COLUMN score_histogram.score IS 'The final score.';
COMMENT ON COLUMN score_histogram.games IS 'Games in which the strategy on this seat had that score.';

CREATE TABLE block_scores (
  ruleset          VARCHAR  NOT NULL,
  strategy         VARCHAR  NOT NULL,
  seats_per_block  USMALLINT NOT NULL,
  n                UINTEGER NOT NULL,
  score_sum        BIGINT   NOT NULL,
  score_square_sum HUGEINT  NOT NULL
);
COMMENT ON TABLE block_scores IS 'Scores summed by block, the unit of all statistics: what the interval of a mean rests on.';
COMMENT ON COLUMN block_scores.ruleset IS 'The ruleset.';
COMMENT ON COLUMN block_scores.strategy IS 'The strategy.';
COMMENT ON COLUMN block_scores.seats_per_block IS 'How many results the strategy has in each of these blocks.';
COMMENT ON COLUMN block_scores.n IS 'How many blocks the sums are over.';
COMMENT ON COLUMN block_scores.score_sum IS 'Sum over blocks of the block''s sum of scores.';
COMMENT ON COLUMN block_scores.score_square_sum IS 'Sum over blocks of the square of the block''s sum of scores.';

CREATE TABLE part_totals (
  ruleset           VARCHAR  NOT NULL,
  strategy          VARCHAR  NOT NULL,
  seat              TINYINT  NOT NULL,
  part              VARCHAR  NOT NULL,
  n                 UINTEGER NOT NULL,
  count_sum         BIGINT   NOT NULL,
  count_square_sum  BIGINT   NOT NULL,
  points_sum        BIGINT   NOT NULL,
  points_square_sum BIGINT   NOT NULL
);
COMMENT ON TABLE part_totals IS 'What scores were made of, summed over games.';
COMMENT ON COLUMN part_totals.ruleset IS 'The ruleset.';
COMMENT ON COLUMN part_totals.strategy IS 'The strategy.';
COMMENT ON COLUMN part_totals.seat IS 'The seat that it had.';
COMMENT ON COLUMN part_totals.part IS 'Name of the part.';
COMMENT ON COLUMN part_totals.n IS 'How many results the sums are over.';
COMMENT ON COLUMN part_totals.count_sum IS 'Sum of the counts.';
COMMENT ON COLUMN part_totals.count_square_sum IS 'Sum of the squared counts.';
COMMENT ON COLUMN part_totals.points_sum IS 'Sum of the points.';
COMMENT ON COLUMN part_totals.points_square_sum IS 'Sum of the squared points.';

CREATE TABLE part_histogram (
  ruleset  VARCHAR  NOT NULL,
  strategy VARCHAR  NOT NULL,
  part     VARCHAR  NOT NULL,
  points   INTEGER  NOT NULL,
  seats    UINTEGER NOT NULL
);
COMMENT ON TABLE part_histogram IS 'How often a part of the score brought how many points, all seats together.';
COMMENT ON COLUMN part_histogram.ruleset IS 'The ruleset.';
COMMENT ON COLUMN part_histogram.strategy IS 'The strategy.';
COMMENT ON COLUMN part_histogram.part IS 'Name of the part.';
COMMENT ON COLUMN part_histogram.points IS 'The points it brought.';
COMMENT ON COLUMN part_histogram.seats IS 'Results with that many points from the part.';

CREATE TABLE game_lengths (
  ruleset VARCHAR   NOT NULL,
  rounds  USMALLINT NOT NULL,
  plies   UINTEGER  NOT NULL,
  games   UINTEGER  NOT NULL
);
COMMENT ON TABLE game_lengths IS 'How long games were.';
COMMENT ON COLUMN game_lengths.ruleset IS 'The ruleset.';
COMMENT ON COLUMN game_lengths.rounds IS 'Rounds of a game.';
COMMENT ON COLUMN game_lengths.plies IS 'Plies of a game.';
COMMENT ON COLUMN game_lengths.games IS 'Games of that length.';

CREATE TABLE score_by_round (
  ruleset          VARCHAR   NOT NULL,
  strategy         VARCHAR   NOT NULL,
  round            USMALLINT NOT NULL,
  n                UINTEGER  NOT NULL,
  score_sum        BIGINT    NOT NULL,
  score_square_sum BIGINT    NOT NULL
);
COMMENT ON TABLE score_by_round IS 'Scores in the course of logged games: of each seat as of its last ply up to the end of the round.';
COMMENT ON COLUMN score_by_round.ruleset IS 'The ruleset.';
COMMENT ON COLUMN score_by_round.strategy IS 'The strategy.';
COMMENT ON COLUMN score_by_round.round IS 'Round, from 0; a game counts in the rounds that it had.';
COMMENT ON COLUMN score_by_round.n IS 'How many scores the sums are over.';
COMMENT ON COLUMN score_by_round.score_sum IS 'Sum of the scores.';
COMMENT ON COLUMN score_by_round.score_square_sum IS 'Sum of the squared scores.';

CREATE TABLE squares (
  ruleset  VARCHAR   NOT NULL,
  strategy VARCHAR   NOT NULL,
  kind     VARCHAR   NOT NULL,
  piece    VARCHAR,
  cell     USMALLINT NOT NULL,
  plies    UINTEGER  NOT NULL
);
COMMENT ON TABLE squares IS 'How often each square was covered in logged games.';
COMMENT ON COLUMN squares.ruleset IS 'The ruleset.';
COMMENT ON COLUMN squares.strategy IS 'The strategy that covered it.';
COMMENT ON COLUMN squares.kind IS 'Kind of the actions.';
COMMENT ON COLUMN squares.piece IS 'Piece or shape that covered it, if the game has any.';
COMMENT ON COLUMN squares.cell IS 'The square, as column + width x row from a1 = 0.';
COMMENT ON COLUMN squares.plies IS 'Plies that covered it.';
