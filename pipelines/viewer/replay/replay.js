/*
 * The replay: builds the parts, holds the current ply, and handles input.
 */

import { createAccountView } from "./account.js";
import { createAddress } from "./address.js";
import { COMPARE, COMPARING, createBestMovesView, describeNoMoves, describeValuing } from "./best_moves.js";
import { copyText, createAddressField, createControlsView } from "./controls.js";
import { createCourseView } from "./course.js";
import { html } from "./draw.js";
import { createFinishView, readCloseness } from "./finish.js";
import { createTitle, watchLayout } from "./frame.js";
import { CHOICE_HELP, createHelpDialog, HELP, LEARN_HELP, MOVES_HELP, NO_MOVES_HELP, PLAY_ON_HELP, REVIEW_HELP, WHATIF_HELP } from "./help.js";
import { active, listenToInput } from "./input.js";
import { createLedgerView } from "./ledger.js";
import { createMomentView } from "./moment.js";
import { describePlace, filledSquares, moveColour, moverAt, roundStarts, turnEnds } from "./moves.js";
import { createPairTools, createPairView, readContinuations } from "./pair.js";
import { createPlayer, plyPace, speedCommands, trackCommands } from "./player.js";
import { createPliesView } from "./plies.js";
import { readReview } from "./review.js";
import { createPosition, readComments, readScene, readStandings, START } from "./scene.js";
import { createStageView } from "./stage.js";
import { createProblem, updateTheme } from "./theme.js";
import { asRecord, asSeat } from "./values.js";
import { createVerdictView } from "./verdict.js";
import { createZoom } from "./zoom.js";

/**
 * Create a replay inside an element.
 * @param {Node} parent an element or a shadow root
 * @param {unknown} raw the scene
 * @param {{ply?: number | null, height?: number | null, review?: unknown, comments?: unknown, isReviewed?: boolean | null,
 *   lesson?: unknown, nextLesson?: Function | null, play?: string | null, standings?: unknown, closeness?: unknown, hasNext?: boolean, asking?: Function | null, learning?: Function | null, command?: Function | null,
 *   questionKeys?: string[], isNext?: boolean, plays?: boolean, isGuest?: boolean, onPly?: (ply: number) => void}} options
 *   `ply`: the first ply if the address names none; `comments`: what people wrote on moves, by ply; `play`: the address of this page;
 *   `asking`: the result of `createAsking`, if somebody answers What if questions; `questionKeys`: those of these questions in the address; `learning`: that of `createLearning`, if somebody judges moves; `command` tells the page to open the next game or to review this one; `hasNext`: whether the run has a
 *   next game; `lesson`: a lesson as JSON data, which the board asks at once, and `nextLesson` opens the next one; `plays`: it begins to play; `isNext`: the replay replaces that of another game, so the address still names a ply of that game;
 *   `isGuest`: the replay is a part of another page, so it leaves the address and the wheel alone, takes keys only while it
 *   has the focus, and asks for no review; `onPly` is called with every ply that is shown
 */
export function createReplay(parent, raw, options) {
  const game = readScene(raw);
  const root = html("section", { class: "replay", tabindex: "-1", "aria-label": "Game replay" });
  parent.append(root);
  if (game.problem) return createProblem(root, `This game cannot be shown. ${game.problem}`);
  game.standings = readStandings(options.standings, game.seats.length);
  game.closeness = readCloseness(options.closeness);
  const last = game.steps.length - 1;
  const position = createPosition(game); // what the boards show: while a move is chosen, the position before it
  const place = createAddress(game, options);
  const isAsking = Boolean(options.asking);
  let current = START;
  let review = null;
  let rawReview = null;
  let isShown = false; // whether people have seen the replay, with a review or without
  let comments = new Map();
  let measure = place.parameter("by") === "points" ? "points" : "win";
  let only = null; // the seat whose slips are listed
  let isGhostShown = true;
  let pair = null; // two continuations, shown in place of the game
  const gameTrack = {
    get at() {
      return current;
    },
    last,
    rounds: roundStarts(game),
    turnEnds: turnEnds(game),
    go: goToPly,
    pace: (at) => plyPace(game, at),
  };
  const track = () => pair?.track ?? gameTrack;
  const player = createPlayer(() => track().at < track().last, () => go(track().at + 1), showPlaying, () => track().pace(track().at));
  const commands = {
    ...trackCommands(track, pause),
    ...speedCommands(player, setSpeed),
    seat: (seat) => { if (!pair) pause(nextOf(seat)); },
    hasMove: (index) => !pair && bestMoves.has(index),
    chooseMove: (index) => bestMoves.choose(index),
    toggle() {
      if (!player.isPlaying && track().at >= track().last) go(START);
      player.toggle();
    },
    canWheel: (count) => !options.isGuest && (learn?.isHiding || panel?.isChoosing || (count > 0 ? track().at < track().last : track().at > START)),
    wheel(count) {
      if (learn?.isHiding) learn.turnAim(count);
      else if (!(panel?.isChoosing && panel.turnAim(count))) pause(track().at + count);
    },
    larger: () => zoom.larger(),
    smaller: () => zoom.smaller(),
    turn() {
      controls.showMessage(stage.turn());
      layout();
    },
    copy: options.isGuest ? null : copy,
    help: () => help.toggle([...(isAsking || review ? NO_MOVES_HELP : HELP).slice(0, -1).filter(([key]) => key !== "L" || commands.copy), ...(isAsking ? WHATIF_HELP : []), ...(options.play ? PLAY_ON_HELP : []), ...(isAsking || review ? MOVES_HELP : []), ...(isAsking ? CHOICE_HELP : []), ...(review ? REVIEW_HELP : []), ...(learn?.isOpen ? LEARN_HELP : []), ...HELP.slice(-1)]),
    mistakeOn: () => jump(review?.mistakes.find((at) => at > current), "No later slip."),
    mistakeBack: () => jump(review?.mistakes.findLast((at) => at < current), "No earlier slip."),
    rollOn: () => jump(review?.largeRolls.find((at) => at > current), "No later lucky or unlucky roll."),
    rollBack: () => jump(review?.largeRolls.findLast((at) => at < current), "No earlier lucky or unlucky roll."),
    judge(newMeasure) {
      measure = newMeasure;
      place.remember("by", measure === "win" ? null : measure);
      setReview(rawReview);
    },
    value: isAsking ? () => {
      panel.valueMoves(current);
      showReview();
    } : null,
    learn: options.learning ? () => {
      player.pause();
      if (panel?.isOpen) closePanel();
      learn.open(review, current);
      root.toggleAttribute("data-asking", true);
      showStageOnPhone();
    } : null,
    ghost() {
      isGhostShown = !isGhostShown;
      showReview();
    },
    whatif() {
      if (!isAsking) return;
      if (panel.isOpen) {
        closePanel();
        return;
      }
      openPanel();
      showStageOnPhone();
    },
    playOn() {
      const address = place.playOn(current);
      if (address) location.assign(address);
    },
    tryMove: isAsking ? (action, isPlayed) => {
      if (isPlayed && !panel.isOpen) return;
      openPanel();
      panel.tryMove(action);
    } : null,
  };
  const moment = createMomentView(game);
  const stage = createStageView(game);
  const listeners = new AbortController();
  const zoom = createZoom(stage, { zoom: 1 }, { layout: () => layout(), told: (value) => controls.showMessage(`Zoom ${Math.round(100 * value)}\u202f%`) }, listeners.signal);
  const account = createAccountView(game, showOnly, Boolean(options.isGuest));
  const verdict = createVerdictView(game, commands, account.whose);
  const controls = createControlsView(game, commands, { hasPanel: isAsking, hasPlay: Boolean(options.play) });
  const course = createCourseView(game, commands.go);
  const plies = createPliesView(game, commands.go);
  const ledger = createLedgerView(game, commands.go, Boolean(options.isGuest));
  const bestMoves = createBestMovesView(stage, commands);
  const help = createHelpDialog();
  const panel = options.asking?.(game, stage, { zoom, changed: showBoards, valued: showValues, close: closePanel, go: pause, watch: showPair, many: place.manyLink, name: place.ask, replay: place.replayLink, isGuest: Boolean(options.isGuest) }) ?? null;
  const learn = options.learning ? options.learning(game, stage, { zoom, go: goToPly, changed: showBoards, value: (at) => panel.valueMoves(at), close: closeLearning, next: options.nextLesson ?? null, whose: account.whose }) : null;
  const finish = createFinishView(game, {
    start: commands.first,
    nextGame: options.command && options.hasNext ? () => options.command("open") : null,
    review: options.command ? () => options.command("review") : null,
  });
  controls.node.prepend(...[panel?.bar, learn?.bar].filter(Boolean));
  const main = html("div", { class: "main in-column" }, account.node, moment.node, verdict.node, stage.node, controls.node, course.node);
  const side = html("div", { class: "side in-column" }, learn?.node ?? "", bestMoves.node, panel?.node ?? "", finish.node, plies.node);
  root.append(createTitle(game, commands, options.isGuest ? "h3" : "h1"), html("div", { class: "body" }, main, side), panel?.below ?? "", ledger.node, help.node);

  /**
   * Move the course and the buttons of the review beside the boards, and the verdict beside the dice, where they take no height from
   * the boards; or back. On phones the buttons stand above the best moves, and those that go from slip to slip are with
   * the controls.
   */
  function putAside(isAside, isPhone) {
    const holder = isAside || isPhone ? side : verdict.node;
    if (verdict.tools.parentNode === holder && controls.node.contains(verdict.jump) === (isPhone && !isAside)) return;
    verdict.tools.append(verdict.measures);
    if (isPhone && !isAside) controls.node.prepend(verdict.jump);
    else verdict.tools.prepend(verdict.jump);
    if (isAside) {
      side.prepend(account.node, verdict.tools, course.node);
      moment.told.append(verdict.node);
    } else {
      main.prepend(account.node);
      if (isPhone) bestMoves.node.before(verdict.tools);
      else holder.append(verdict.tools);
      stage.node.before(verdict.node);
      main.append(course.node);
    }
  }

  /** Where the course stands beside the boards, move it below them, or back. */
  function putBelow(isBelow) {
    if (isBelow === (course.node.parentNode === main)) return;
    if (isBelow) main.append(course.node);
    else verdict.tools.after(course.node);
  }

  function showStageOnPhone() {
    if (root.clientWidth < 600) stage.node.scrollIntoView({ block: "start" });
  }

  function showOnly(seat) {
    only = seat;
    place.remember("only-player", only === null ? null : String(only + 1));
    setReview(rawReview);
    if (learn?.isOpen && review?.mistakes.length) learn.open(review, current);
    else if (learn?.isOpen) closeLearning();
  }

  function closeLearning() {
    learn.close();
    place.remember("lesson", null);
    if (active.root === root) place.write(current);
    showMoves();
    root.focus({ preventScroll: true });
  }

  /** Show the boards and the list of moves, which could not scroll while it was hidden. */
  function showMoves() {
    root.toggleAttribute("data-asking", false);
    showBoards();
    plies.show(current);
  }

  function openPanel() {
    if (learn?.isOpen) closeLearning();
    root.toggleAttribute("data-asking", true);
    panel.open(current);
    controls.showAsking(true);
    showBoards();
  }

  function closePanel() {
    closePair();
    panel.close();
    place.leaveQuestion();
    if (active.root === root) place.write(current);
    controls.showAsking(false);
    showMoves();
    root.focus({ preventScroll: true });
  }

  /** Show two continuations in place of the game; the same slider, buttons and keys step both. */
  function showPair(raw, about) {
    closePair();
    const read = readContinuations(raw);
    if (read.problem) return controls.showMessage(read.problem);
    const tools = createPairTools({ ...about, number: read.number, n: read.n }, closePair);
    const view = createPairView(read, { names: read.names, tools });
    pair = {
      view,
      track: { get at() { return view.at; }, last: view.last, rounds: view.rounds, turnEnds: view.turnEnds, go: goToMoment, pace: (at) => (at > START && view.isPreparation(at) ? 0.6 : 1) },
    };
    view.onPoint(commands.go);
    stage.node.before(view.node);
    root.toggleAttribute("data-pair", true);
    controls.setLast(view.last);
    layout();
    if (root.clientWidth < 600) view.node.scrollIntoView({ block: "start" });
    goToMoment(START);
  }

  function closePair() {
    if (!pair) return;
    player.pause();
    pair.view.node.remove();
    pair = null;
    root.toggleAttribute("data-pair", false);
    controls.setLast(last);
    layout();
    goToPly(current);
  }

  function goToMoment(at) {
    pair.view.go(at, player.isCalm);
    controls.show(at, pair.view.describe(at));
  }

  function nextOf(seat) {
    const at = game.steps.findIndex((step, index) => index > current && step.seat === seat);
    if (at < 0 && game.seats[seat]) controls.showMessage(`No later move of ${game.seats[seat].name}.`);
    return at < 0 ? current : at;
  }

  function jump(at, message) {
    if (pair) return;
    if (at !== undefined) pause(at);
    else if (review) controls.showMessage(review.isDone ? message : `${message.slice(0, -1)} so far.`);
  }

  function setReview(raw, isReviewed) {
    if (!rawReview && raw) only = asSeat(asRecord(raw).only, game.seats.length);
    rawReview = raw;
    const newReview = readReview(raw, game, measure, only, panel?.decisions);
    const isNew = Boolean(isShown && newReview && !review); // a person has just asked for it
    for (const view of [verdict, course, plies, ledger]) view.setReview(newReview);
    review = newReview?.problem ? null : newReview;
    account.setReview(review, only);
    if (learn?.isOpen && !review) closeLearning();
    learn?.follow(review);
    finish.setReview(Boolean(newReview));
    if (typeof isReviewed === "boolean") place.remember("review", isReviewed ? "1" : null);
    if (active.root === root) place.write(current); // the page may have written an address without the ply
    showReview();
    layout();
    isShown = true;
    if (isNew && root.clientWidth < 600) moment.node.scrollIntoView({ block: "start" });
  }

  /** Show the values that the moves at a ply have got, in a review also what they say of the move that was played. */
  function showValues() {
    if (review) {
      setReview(rawReview);
      options.command?.("valued"); // the account and the story, which the page writes, say the same
    }
    showBoards();
  }

  function setComments(raw) {
    comments = readComments(raw);
    plies.setComments(comments);
    showMoment();
  }

  /** Show the current move with what people wrote on it. */
  function showMoment() {
    const step = game.steps[current];
    moment.show(current, step, { comment: comments.get(step?.ply), isToMove: Boolean(panel?.isChoosing || learn?.isHiding), isBlind: Boolean(learn?.isBlind) });
  }

  function showReview() {
    verdict.show(current, game.steps[current], (ply, action) => place.whatifAt(ply, action), showBestMoves());
  }

  /** Show the best moves of a decision: those that the What if panel has valued, or else those of the review; return them. */
  function showBestMoves() {
    const solved = learn?.solvedAt(current) ?? null;
    if ((!panel?.isOpen && !review && !solved) || learn?.isHiding) {
      bestMoves.hide(learn?.tries ?? []);
      return [];
    }
    const at = panel?.isOpen ? Math.max(0, current) : current;
    const step = game.steps[at];
    const valued = panel?.valueAt(at, measure) ?? null;
    const isOfPanel = valued?.decision || (panel?.isOpen && !valued?.problem);
    const decision = solved ?? (isOfPanel ? valued?.decision : review?.decisions.get(at));
    const moves = decision?.moves ?? [];
    panel?.setCovered(isGhostShown && (moves.length > 0 || !valued));
    const players = moves.length ? describeValuing(decision, review?.players) : "";
    bestMoves.show({
      at,
      moves,
      played: step?.notation ?? "",
      player: game.seats[step?.seat]?.name ?? "",
      players,
      colour: step ? moveColour(game, step) : "ink",
      isByPoints: Boolean(decision?.isByPoints),
      isOnBoard: isGhostShown,
      asked: panel?.askedAt(at) ?? learn?.answerAt(at) ?? null,
      tries: learn?.tries ?? [],
      others: panel?.isChoosing ? [{ squares: filledSquares(game, step) }] : [],
      valuing: !panel || panel.isOpen || !moves.length || decision.playouts ? "" : panel.isValuing(at) ? COMPARING : COMPARE,
      note: valued?.problem || (decision ? "" : describeNoMoves(step, Boolean(panel?.isOpen ? valued : review?.isDone))),
    });
    return moves;
  }

  function pause(at) {
    player.pause();
    go(at);
  }

  /** Go to a ply of the game, or to a moment of the two continuations; -1 is the start. A lesson stays where it is until it is solved. */
  function go(at) {
    if (learn?.isBlind) return;
    track().go(Math.max(START, Math.min(track().last, Math.round(at))));
  }

  function goToPly(target) {
    const isForward = target === current + 1;
    current = target;
    const step = game.steps[target];
    panel?.showPly(target);
    showBoards(isForward && player.isCalm);
    controls.show(target, step ? `${describePlace(game, target)}: ${step.caption}` : "Start");
    controls.showPlayOn(place.playOn(target));
    course.show(target);
    plies.show(target);
    finish.show(target === last && game.ranks !== null);
    if (active.root === root) place.write(target);
    options.onPly?.(step?.ply ?? START);
  }

  /** Show the position after the current ply on the boards, or the one before it while another move is chosen. */
  function showBoards(isFresh = false) {
    root.toggleAttribute("data-blind", Boolean(learn?.isBlind));
    const at = panel?.isChoosing || learn?.isAsking(current) ? Math.max(0, current) - 1 : current;
    const touched = position.go(at);
    stage.show(position, touched, at, game.steps[at], isFresh && at === current);
    stage.putFirst(moverAt(game, current));
    showMoment();
    showReview();
  }

  function setSpeed(value) {
    player.setSpeed(value);
    controls.showSpeed(player.speed);
    controls.showMessage(`Speed ${player.speed}\u00d7`);
  }

  function showPlaying(isPlaying) {
    controls.showPlaying(isPlaying);
    moment.setQuiet(isPlaying);
    verdict.setQuiet(isPlaying);
  }

  async function copy() {
    const address = place.link(current);
    if (await copyText(address)) controls.showMessage("Link copied");
    else controls.showMessage(createAddressField(address));
  }

  /** Tell who keeps what the page shows what the answer to the question of the address says. */
  function tellAnswer({ detail }) {
    detail.answer = panel?.verdictAt(current) ?? "";
  }

  /** Show the move and the question that the address names now. */
  function followAddress() {
    if (!place.isHere) return;
    const query = place.readQuestion();
    if (place.named !== null && place.named !== current) pause(place.named);
    if (query !== null || panel?.isOpen) showQuestion(query ?? "");
  }

  /** Open the What if panel, on the question of a query or on none. */
  function showQuestion(query) {
    if (!panel) return;
    if (!panel.isOpen) openPanel();
    panel.follow(query);
  }

  if (!options.isGuest) document.addEventListener("shown-answer", tellAnswer, { signal: listeners.signal });
  listenToInput(root, {
    commands,
    dialog: help.node,
    area: main,
    followAddress,
    activate: () => { active.root = root; },
    isActive: () => active.root === root && !options.isGuest,
    first: (event) => (pair ? (event.key === "Escape" ? closePair : null) : ((learn?.isOpen ? learn : panel)?.commandOfKey(event, stage.turns) ?? null)),
  }, listeners.signal);
  const layout = watchLayout(root, { putAside, putBelow, main, moment, stage, course, height: options.height, zoom: () => zoom.value, pair: () => pair?.view ?? null }, listeners.signal);
  if (!active.root?.isConnected) active.root = root;
  updateTheme(root);
  controls.showSpeed(player.speed);
  const isAsked = place.readQuestion() !== null;
  go(place.first);
  if (isAsked && panel) openPanel();
  setComments(options.comments);
  setReview(options.review, options.isReviewed);
  if (options.lesson && learn?.openLesson(options.lesson)) root.toggleAttribute("data-asking", true);
  if (options.plays && player.isCalm) player.toggle();
  return {
    goToPly: (ply) => pause(place.indexOf(ply)),
    setTheme: () => updateTheme(root),
    setReview,
    setComments,
    showQuestion,
    followAddress,
    destroy() {
      player.pause();
      place.forget();
      panel?.destroy();
      learn?.destroy();
      listeners.abort();
      root.remove();
      if (active.root === root) active.root = null;
    },
  };
}
