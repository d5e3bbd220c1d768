-- What reviews of the games of a run found: one file beside the runs, reviews/<key of the run>.duckdb. A review is a judge, who plays
-- on from every position, with a number of playouts; each review has its own rows in all tables.

CREATE TABLE reviews (
  review  USMALLINT NOT NULL,
  run_key VARCHAR   NOT NULL,
  judge   VARCHAR   NOT NULL,
  effort  DOUBLE    NOT NULL,
  seed    UBIGINT   NOT NULL,
  version VARCHAR   NOT NULL,
  games   UINTEGER  NOT NULL
);
COMMENT ON TABLE reviews IS 'The reviews of the games of a run: one row for each judge, effort and seed.';
COMMENT ON COLUMN reviews.review IS 'Number of the review in this file, from 1.';
COMMENT ON COLUMN reviews.run_key IS 'Key of the reviewed run, which its copies share: made of the moment of its sealing, its seed and its command.';
COMMENT ON COLUMN reviews.judge IS 'The strategy that plays all seats on from every position.';
COMMENT ON COLUMN reviews.effort IS 'Factor of the number of playouts; 1 is the review of one game.';
COMMENT ON COLUMN reviews.seed IS 'Seed of the playouts; each game has luck of its own.';
COMMENT ON COLUMN reviews.version IS 'The version of Reroll that made the review.';
COMMENT ON COLUMN reviews.games IS 'Number of games that are reviewed so far.';

CREATE TABLE ledgers (
  review        USMALLINT NOT NULL,
  game_id       UINTEGER  NOT NULL,
  block         UINTEGER  NOT NULL,
  ruleset       VARCHAR   NOT NULL,
  seat          TINYINT   NOT NULL,
  strategy      VARCHAR   NOT NULL,
  start_points  DOUBLE    NOT NULL,
  luck_points   DOUBLE    NOT NULL,
  own_points    DOUBLE    NOT NULL,
  others_points DOUBLE    NOT NULL,
  points        DOUBLE    NOT NULL,
  start_wins    DOUBLE    NOT NULL,
  luck_wins     DOUBLE    NOT NULL,
  own_wins      DOUBLE    NOT NULL,
  others_wins   DOUBLE    NOT NULL,
  wins          DOUBLE    NOT NULL,
  luck_points_error DOUBLE NOT NULL,
  luck_wins_error   DOUBLE NOT NULL,
  spread        DOUBLE    NOT NULL
);
COMMENT ON TABLE ledgers IS 'Where the result of each seat of each reviewed game came from: start + luck + own + others = result. Where the lowest score wins, start - luck - own - others = result in points.';
COMMENT ON COLUMN ledgers.review IS 'The review.';
COMMENT ON COLUMN ledgers.game_id IS 'The game.';
COMMENT ON COLUMN ledgers.block IS 'Its block, the unit of all statistics.';
COMMENT ON COLUMN ledgers.ruleset IS 'Its ruleset.';
COMMENT ON COLUMN ledgers.seat IS 'The seat.';
COMMENT ON COLUMN ledgers.strategy IS 'Who sat there.';
COMMENT ON COLUMN ledgers.start_points IS 'Expected final score at the start.';
COMMENT ON COLUMN ledgers.luck_points IS 'Points by all rolls of the game; + is good for the seat.';
COMMENT ON COLUMN ledgers.own_points IS 'Points by the decisions of the seat, compared with those of the judge.';
COMMENT ON COLUMN ledgers.others_points IS 'Points by the decisions of all other seats.';
COMMENT ON COLUMN ledgers.points IS 'Final score.';
COMMENT ON COLUMN ledgers.start_wins IS 'Expected share of the win at the start.';
COMMENT ON COLUMN ledgers.luck_wins IS 'Share of the win by all rolls.';
COMMENT ON COLUMN ledgers.own_wins IS 'Share of the win by the decisions of the seat.';
COMMENT ON COLUMN ledgers.others_wins IS 'Share of the win by the decisions of all other seats.';
COMMENT ON COLUMN ledgers.wins IS 'Final share of the win.';
COMMENT ON COLUMN ledgers.luck_points_error IS 'Standard error of luck_points.';
COMMENT ON COLUMN ledgers.luck_wins_error IS 'Standard error of luck_wins.';
COMMENT ON COLUMN ledgers.spread IS 'Standard deviation of final scores in playouts of the start; losses of points are judged by it.';

CREATE TABLE decisions (
  review        USMALLINT NOT NULL,
  game_id       UINTEGER  NOT NULL,
  block         UINTEGER  NOT NULL,
  ruleset       VARCHAR   NOT NULL,
  ply           USMALLINT NOT NULL,
  round         USMALLINT NOT NULL,
  phase         UTINYINT  NOT NULL,
  seat          TINYINT   NOT NULL,
  strategy      VARCHAR   NOT NULL,
  kind          VARCHAR   NOT NULL,
  piece         VARCHAR,
  roll          VARCHAR,
  lead          INTEGER   NOT NULL,
  choices       UINTEGER  NOT NULL,
  action        INTEGER   NOT NULL,
  best_action   INTEGER   NOT NULL,
  points        FLOAT     NOT NULL,
  best_points   FLOAT     NOT NULL,
  wins          FLOAT     NOT NULL,
  best_wins     FLOAT     NOT NULL,
  regret_points FLOAT     NOT NULL,
  points_error  FLOAT     NOT NULL,
  regret_wins   FLOAT     NOT NULL,
  wins_error    FLOAT     NOT NULL,
  class         VARCHAR   NOT NULL,
  points_class  VARCHAR   NOT NULL,
  playouts      UINTEGER  NOT NULL
);
COMMENT ON TABLE decisions IS 'Every decision between several actions of each reviewed game, ascending by review, game_id and ply.';
COMMENT ON COLUMN decisions.review IS 'The review.';
COMMENT ON COLUMN decisions.game_id IS 'The game.';
COMMENT ON COLUMN decisions.block IS 'Its block, the unit of all statistics.';
COMMENT ON COLUMN decisions.ruleset IS 'Its ruleset.';
COMMENT ON COLUMN decisions.ply IS 'Number of the ply, from 0.';
COMMENT ON COLUMN decisions.round IS 'Round, from 0.';
COMMENT ON COLUMN decisions.phase IS 'Third of the rounds of the game: 1, 2 or 3.';
COMMENT ON COLUMN decisions.seat IS 'Who chose.';
COMMENT ON COLUMN decisions.strategy IS 'The strategy that chose.';
COMMENT ON COLUMN decisions.kind IS 'Kind of the chosen action.';
COMMENT ON COLUMN decisions.piece IS 'The piece or shape of the chosen action, if there is one.';
COMMENT ON COLUMN decisions.roll IS 'The latest roll before the decision, in writing; null before the first roll.';
COMMENT ON COLUMN decisions.lead IS 'Points by which the seat was ahead of the best other one before the decision, negative if behind; 0 with one seat.';
COMMENT ON COLUMN decisions.choices IS 'Number of legal actions.';
COMMENT ON COLUMN decisions.action IS 'Number of the chosen action; table actions says what it means.';
COMMENT ON COLUMN decisions.best_action IS 'Number of the best action; the chosen one if none is better.';
COMMENT ON COLUMN decisions.points IS 'Expected final score of the seat after the chosen action.';
COMMENT ON COLUMN decisions.best_points IS 'Expected final score of the seat after the best action.';
COMMENT ON COLUMN decisions.wins IS 'Expected share of the win of the seat after the chosen action.';
COMMENT ON COLUMN decisions.best_wins IS 'Expected share of the win of the seat after the best action.';
COMMENT ON COLUMN decisions.regret_points IS 'Points that the choice lost against the best action, an estimate, which may be below 0; 0 if no action is better.';
COMMENT ON COLUMN decisions.points_error IS 'Standard error of the points lost against the most promising other action.';
COMMENT ON COLUMN decisions.regret_wins IS 'Share of the win that the choice lost, in the same way.';
COMMENT ON COLUMN decisions.wins_error IS 'Standard error of the share of the win lost against the most promising other action.';
COMMENT ON COLUMN decisions.class IS 'best, good, unclear, inaccuracy, mistake or blunder, by lost share of the win, or by points where the win was nearly decided.';
COMMENT ON COLUMN decisions.points_class IS 'The class by lost points alone.';
COMMENT ON COLUMN decisions.playouts IS 'Number of playouts of the chosen action.';

CREATE TABLE rolls (
  review       USMALLINT NOT NULL,
  game_id      UINTEGER  NOT NULL,
  block        UINTEGER  NOT NULL,
  ruleset      VARCHAR   NOT NULL,
  ply          USMALLINT NOT NULL,
  round        USMALLINT NOT NULL,
  phase        UTINYINT  NOT NULL,
  roll         VARCHAR   NOT NULL,
  active_seat  TINYINT,
  seat         TINYINT   NOT NULL,
  strategy     VARCHAR   NOT NULL,
  luck_points  FLOAT     NOT NULL,
  points_error FLOAT     NOT NULL,
  luck_wins    FLOAT     NOT NULL,
  wins_error   FLOAT     NOT NULL
);
COMMENT ON TABLE rolls IS 'What every roll of each reviewed game gave to each seat: the value after it minus the mean value of all its outcomes.';
COMMENT ON COLUMN rolls.review IS 'The review.';
COMMENT ON COLUMN rolls.game_id IS 'The game.';
COMMENT ON COLUMN rolls.block IS 'Its block, the unit of all statistics.';
COMMENT ON COLUMN rolls.ruleset IS 'Its ruleset.';
COMMENT ON COLUMN rolls.ply IS 'Number of the ply, from 0.';
COMMENT ON COLUMN rolls.round IS 'Round, from 0.';
COMMENT ON COLUMN rolls.phase IS 'Third of the rounds of the game: 1, 2 or 3.';
COMMENT ON COLUMN rolls.roll IS 'The roll in writing.';
COMMENT ON COLUMN rolls.active_seat IS 'The seat that acts first after it; null if none does.';
COMMENT ON COLUMN rolls.seat IS 'The seat to which the roll gave something.';
COMMENT ON COLUMN rolls.strategy IS 'Who sat there.';
COMMENT ON COLUMN rolls.luck_points IS 'Points by the roll; + is good for the seat, also where the lowest score wins.';
COMMENT ON COLUMN rolls.points_error IS 'Standard error of luck_points.';
COMMENT ON COLUMN rolls.luck_wins IS 'Share of the win by the roll.';
COMMENT ON COLUMN rolls.wins_error IS 'Standard error of luck_wins.';
