/*
 * The replay: builds the parts, holds the current ply, and handles input.
 */

let active = null; // of several replays on a page, the one that receives the keys and writes the address

/**
 * Create a replay inside an element.
 * @param {Node} parent an element or a shadow root
 * @param {unknown} raw the scene
 * @param {{ply?: number | null, height?: number | null, review?: unknown, isReviewed?: boolean | null,
 *   whatif?: string | null, standings?: unknown, isNext?: boolean}} options `ply`: the first ply if the
 *   address names none; `whatif`: the address of the page What if; `isNext`: the replay replaces that of another game, so
 *   the address still names a ply of that game
 */
function createReplay(parent, raw, options) {
  const game = readScene(raw);
  const root = html("section", { class: "replay", tabindex: "-1", "aria-label": "Game replay" });
  parent.append(root);
  if (game.problem) {
    root.append(html("p", { class: "problem", role: "alert" }, `This game cannot be shown. ${game.problem}`));
    updateTheme(root);
    return { goToPly() {}, setTheme: () => updateTheme(root), setReview() {}, destroy: () => root.remove() };
  }
  game.standings = readStandings(options.standings, game.seats.length);
  const last = game.steps.length - 1;
  const starts = roundStarts(game);
  const position = createPosition(game);
  const place = createAddress(game, options);
  let review = null;
  let rawReview = null;
  let measure = place.parameter("by") === "points" ? "points" : "win";
  let isGhostShown = true;
  let zoom = ZOOMS.indexOf(1);
  const player = createPlayer(() => position.at < last, () => step(1), showPlaying);
  const commands = {
    go: (at) => pause(at),
    first: () => pause(START),
    previous: () => pause(position.at - 1),
    next: () => pause(position.at + 1),
    last: () => pause(last),
    roundBack: () => pause(starts.findLast((at) => at < position.at) ?? START),
    roundOn: () => pause(starts.find((at) => at > position.at) ?? last),
    seat: (seat) => pause(nextOf(seat)),
    toggle() {
      if (!player.isPlaying && position.at >= last) go(START);
      player.toggle();
    },
    faster: () => setSpeed(SPEEDS[Math.min(SPEEDS.length - 1, SPEEDS.indexOf(player.speed) + 1)]),
    slower: () => setSpeed(SPEEDS[Math.max(0, SPEEDS.indexOf(player.speed) - 1)]),
    speed: setSpeed,
    larger: () => setZoom(zoom + 1),
    smaller: () => setZoom(zoom - 1),
    turn() {
      controls.showMessage(stage.turn());
      layout();
    },
    copy,
    help: () => help.toggle([...HELP.slice(0, -1), ...(options.whatif ? WHATIF_HELP : []), ...(review ? REVIEW_HELP : []), ...HELP.slice(-1)]),
    mistakeOn: () => jump(review?.mistakes.find((at) => at > position.at), "No later mistake."),
    mistakeBack: () => jump(review?.mistakes.findLast((at) => at < position.at), "No earlier mistake."),
    rollOn: () => jump(review?.largeRolls.find((at) => at > position.at), "No later lucky or unlucky roll."),
    rollBack: () => jump(review?.largeRolls.findLast((at) => at < position.at), "No earlier lucky or unlucky roll."),
    judge(newMeasure) {
      measure = newMeasure;
      place.remember("by", measure === "win" ? null : measure);
      setReview(rawReview);
    },
    ghost() {
      isGhostShown = !isGhostShown;
      showReview();
    },
    whatif() {
      const address = whatifAddress(position.at);
      if (address) location.assign(address);
    },
  };
  const moment = createMomentView(game);
  const stage = createStageView(game);
  const verdict = createVerdictView(game, commands);
  const controls = createControlsView(game, commands, Boolean(options.whatif));
  const course = createCourseView(game, commands.go);
  const plies = createPliesView(game, commands.go);
  const ledger = createLedgerView(game);
  const help = createHelpDialog();
  const dialog = help.node;
  const main = html("div", { class: "main" }, moment.node, verdict.node, stage.node, controls.node, course.node);
  root.append(createTitle(game, commands), html("div", { class: "body" }, main, plies.node), ledger.node, dialog);

  function nextOf(seat) {
    const at = game.steps.findIndex((step, index) => index > position.at && step.seat === seat);
    if (at < 0 && game.seats[seat]) controls.showMessage(`No later ply of ${game.seats[seat].name}.`);
    return at < 0 ? position.at : at;
  }

  function jump(at, message) {
    if (at !== undefined) pause(at);
    else if (review) controls.showMessage(review.isDone ? message : `${message.slice(0, -1)} so far.`);
  }

  /** Return the address of the what-if from a ply on; after a bad choice it names the better one. */
  function whatifAddress(at) {
    const decision = review?.decisions.get(at);
    const isBadChoice = decision && CLASSES[decision.judged].glyph && decision.better;
    return isBadChoice ? place.whatifAt(game.steps[at].ply, decision.better) : place.whatif(at);
  }

  function setZoom(index) {
    zoom = Math.max(0, Math.min(ZOOMS.length - 1, index));
    controls.showMessage(`Zoom ${Math.round(100 * ZOOMS[zoom])}\u202f%`);
    layout();
  }

  function setReview(raw, isReviewed) {
    rawReview = raw;
    const newReview = readReview(raw, game, measure);
    for (const view of [verdict, course, plies, ledger]) view.setReview(newReview);
    review = newReview?.problem ? null : newReview;
    if (typeof isReviewed === "boolean") place.remember("review", isReviewed ? "1" : null);
    if (active === root) place.write(position.at); // the page may have written an address without the ply
    showReview();
    layout();
  }

  function showReview() {
    const { at } = position;
    verdict.show(at, game.steps[at], (ply, action) => place.whatifAt(ply, action));
    verdict.showGhost(isGhostShown);
    controls.showWhatif(whatifAddress(at));
    stage.showGhost(isGhostShown ? betterSquares(review, at) : []);
  }

  function pause(at) {
    player.pause();
    go(at);
  }

  function step(count) {
    go(position.at + count);
  }

  /** Show a ply; -1 is the start. */
  function go(at) {
    const target = Math.max(START, Math.min(last, Math.round(at)));
    const isForward = target === position.at + 1;
    const touched = position.go(target);
    const current = game.steps[target];
    stage.show(position, touched, target, current, isForward && player.isCalm);
    moment.show(target, current);
    controls.show(target, current);
    course.show(target);
    plies.show(target);
    showReview();
    if (active === root) place.write(target);
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
    const address = place.link(position.at);
    if (await copyText(address)) controls.showMessage("Link copied");
    else controls.showMessage(createAddressField(address));
  }

  const listeners = new AbortController();
  listenToInput(root, { commands, dialog, stage, place, go: pause, at: () => position.at }, listeners.signal);
  const layout = watchLayout(root, { main, moment, stage, course, height: options.height, zoom: () => ZOOMS[zoom] }, listeners.signal);
  if (!active?.isConnected) active = root;
  updateTheme(root);
  controls.showSpeed(player.speed);
  go(place.first);
  setReview(options.review, options.isReviewed);
  return {
    goToPly: (ply) => pause(place.indexOf(ply)),
    setTheme: () => updateTheme(root),
    setReview,
    destroy() {
      player.pause();
      place.forget();
      listeners.abort();
      root.remove();
      if (active === root) active = null;
    },
  };
}

const ZOOMS = [0.6, 0.8, 1, 1.25, 1.5, 2, 2.5];

function createTitle(game, commands) {
  const facts = [game.ruleset, game.run && `run ${game.run}`, game.gameId === null ? "" : `game ${game.gameId}`].filter(Boolean);
  const button = (glyph, label, key, command) => {
    const element = html("button", { type: "button", "aria-label": label, title: `${label} (${key})` }, glyph);
    element.addEventListener("click", command);
    return element;
  };
  const view = html(
    "div",
    { class: "view", role: "group", "aria-label": "View" },
    button(createIcon("turn"), "Turn the board", "F", commands.turn),
    button("\u2212", "Smaller", "\u2212", commands.smaller),
    button("+", "Larger", "+", commands.larger),
  );
  return html("header", { class: "title" }, html("h1", {}, game.title || game.name || "Game"), html("p", {}, facts.join(" \u00b7 ")), view);
}

const TYPING_SELECTOR = "input:not([type=range]), textarea, select, [contenteditable]:not([contenteditable=false]), dialog";

/** Handle keys, swipes and changes of the address. */
function listenToInput(root, { commands, dialog, stage, place, go, at }, signal) {
  root.addEventListener("pointerdown", (event) => {
    active = root;
    if (!event.target.closest("input, select, [role=listbox], dialog")) root.focus({ preventScroll: true });
  }, { signal });
  // A click must not focus a button, because the space bar would press it again: the replay gets the focus.
  root.addEventListener("mousedown", (event) => {
    if (event.target.closest("button")) event.preventDefault();
  }, { signal });
  root.addEventListener("focusin", () => { active = root; }, { signal });
  document.addEventListener("keydown", (event) => {
    const from = event.composedPath()[0];
    const isInside = event.composedPath().includes(root);
    const hasNoFocus = from === document.body || from === document.documentElement;
    if (event.defaultPrevented || !(isInside || (hasNoFocus && active === root))) return;
    if (dialog.open) {
      if (event.key === "?") dialog.close();
      return;
    }
    if (from.matches?.(TYPING_SELECTOR)) return;
    if (event.key === " " && from.matches?.("button")) return;
    const command = commandOfKey(event, commands);
    if (!command) return;
    event.preventDefault();
    command();
  }, { signal });
  addEventListener("popstate", () => {
    if (active === root && place.named !== null && place.named !== at()) go(place.named);
  }, { signal });
  listenToSwipes(stage.node, commands, signal);
}

function listenToSwipes(node, commands, signal) {
  let from = null;
  node.addEventListener("pointerdown", (event) => {
    if (node.hasAttribute("data-zoomed")) return; // a finger scrolls a zoomed stage
    from = event.pointerType !== "mouse" && event.isPrimary ? event : null;
  }, { signal });
  node.addEventListener("pointercancel", () => { from = null; }, { signal });
  addEventListener("pointerup", (event) => {
    if (!from || event.pointerId !== from.pointerId) return;
    const across = event.clientX - from.clientX;
    const along = event.clientY - from.clientY;
    from = null;
    if (Math.abs(across) < 40 || Math.abs(across) < 2 * Math.abs(along)) return;
    if (across < 0) commands.next();
    else commands.previous();
  }, { signal });
}

/** Lay out the replay whenever the available room changes; return the function that does so. */
function watchLayout(root, { main, moment, stage, course, height, zoom }, signal) {
  let known = "";
  function layout() {
    const width = stage.node.clientWidth;
    if (!width) return;
    const isPhone = root.clientWidth < 600;
    moment.resize(width, isPhone);
    // If other things stand above the replay, people scroll once and then see all of it.
    const top = Math.max(0, Math.min(72, root.getBoundingClientRect().top + scrollY));
    const whole = height ? height : Math.max(480, innerHeight - top);
    // The parts above and below the boards keep their sizes, so the boards get the rest.
    const rest = main.offsetTop + main.offsetHeight - stage.node.offsetHeight - course.spare;
    const room = isPhone ? 0.66 * innerHeight : Math.max(250, whole - rest - 16);
    const now = `${root.clientWidth} ${width} ${innerHeight} ${Math.round(rest / 8)} ${zoom()} ${stage.turns}`;
    if (now === known) return;
    known = now;
    stage.layout({ width, height: room, isPhone, zoom: zoom() });
    course.resize(isPhone ? 0 : room - stage.node.offsetHeight);
  }
  const observer = new ResizeObserver(() => requestAnimationFrame(layout));
  observer.observe(root);
  addEventListener("resize", layout, { signal });
  signal.addEventListener("abort", () => observer.disconnect());
  return layout;
}
