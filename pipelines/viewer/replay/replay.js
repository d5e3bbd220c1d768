/*
 * The replay: puts the parts together, knows the current ply, and listens.
 */

let active = null; // of several replays on a page, the one that has the page's keys and its address

/**
 * Build a replay inside an element.
 * @param {Node} parent an element or a shadow root
 * @param {unknown} raw the scene
 * @param {{ply?: number | null, height?: number | null, review?: unknown, isReviewed?: boolean | null,
 *   whatif?: string | null, standings?: unknown, isNext?: boolean}} options `ply` to begin with, if the address names none; `whatif`: the
 *   page beside this one that asks; `isNext`: it takes the place of another game, so the address speaks of that
 */
function createReplay(parent, raw, options) {
  const game = readScene(raw);
  const root = html("section", { class: "replay", tabindex: "-1", "aria-label": "Game replay" });
  parent.append(root);
  if (game.problem) {
    root.append(html("p", { class: "problem", role: "alert" }, `This game cannot be shown. ${game.problem}`));
    markTheme(root);
    return { goToPly() {}, setTheme: () => markTheme(root), setReview() {}, destroy: () => root.remove() };
  }
  game.standings = readStandings(options.standings, game.seats.length);
  const last = game.steps.length - 1;
  const starts = roundStarts(game);
  const position = positionOf(game);
  const place = addressOf(game, options);
  let review = null;
  let isGhostShown = true;
  let zoom = ZOOMS.indexOf(1);
  const player = playerOf(() => position.at < last, () => step(1), showPlaying);
  const deeds = {
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
      controls.say(stage.turn());
      layout();
    },
    copy,
    help: () => help.toggle([...HELP.slice(0, -1), ...(options.whatif ? WHATIF_HELP : []), ...(review ? REVIEW_HELP : []), ...HELP.slice(-1)]),
    mistakeOn: () => jump(review?.mistakes.find((at) => at > position.at), "No later mistake."),
    mistakeBack: () => jump(review?.mistakes.findLast((at) => at < position.at), "No earlier mistake."),
    rollOn: () => jump(review?.largeRolls.find((at) => at > position.at), "No later lucky or unlucky roll."),
    rollBack: () => jump(review?.largeRolls.findLast((at) => at < position.at), "No earlier lucky or unlucky roll."),
    ghost() {
      isGhostShown = !isGhostShown;
      showReview();
    },
    whatif() {
      const address = whatifAddress(position.at);
      if (address) location.assign(address);
    },
  };
  const moment = momentView(game);
  const stage = stageView(game);
  const verdict = verdictView(game, deeds);
  const controls = controlsView(game, deeds, Boolean(options.whatif));
  const course = courseView(game, deeds.go);
  const plies = pliesView(game, deeds.go);
  const ledger = ledgerView(game);
  const help = helpDialog();
  const dialog = help.node;
  const main = html("div", { class: "main" }, moment.node, verdict.node, stage.node, controls.node, course.node);
  root.append(titleNode(game, deeds), html("div", { class: "body" }, main, plies.node), ledger.node, dialog);

  function nextOf(seat) {
    const at = game.steps.findIndex((made, index) => index > position.at && made.seat === seat);
    if (at < 0 && game.seats[seat]) controls.say(`No later ply of ${game.seats[seat].name}.`);
    return at < 0 ? position.at : at;
  }

  function jump(at, otherwise) {
    if (at !== undefined) pause(at);
    else if (review) controls.say(review.isDone ? otherwise : `${otherwise.slice(0, -1)} so far.`);
  }

  /** The address that asks what if from a ply on: after a choice that gave something away, with the better one. */
  function whatifAddress(at) {
    const decision = review?.decisions.get(at);
    const isSlip = decision && CLASSES[decision.judged].glyph && decision.better;
    return isSlip ? place.whatifAt(game.steps[at].ply, decision.better) : place.whatif(at);
  }

  function setZoom(wanted) {
    zoom = Math.max(0, Math.min(ZOOMS.length - 1, wanted));
    controls.say(`Zoom ${Math.round(100 * ZOOMS[zoom])}\u202f%`);
    layout();
  }

  function setReview(raw, isReviewed) {
    const found = readReview(raw, game);
    for (const view of [verdict, course, plies, ledger]) view.setReview(found);
    review = found?.problem ? null : found;
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
    stage.showGhost(isGhostShown ? ghostOf(review, at) : []);
  }

  function pause(at) {
    player.pause();
    go(at);
  }

  function step(count) {
    go(position.at + count);
  }

  /** Show a ply: -1 is the start. */
  function go(wanted) {
    const target = Math.max(START, Math.min(last, Math.round(wanted)));
    const isForward = target === position.at + 1;
    const touched = position.go(target);
    const made = game.steps[target];
    stage.show(position, touched, target, made, isForward && player.isCalm);
    moment.show(target, made);
    controls.show(target, made);
    course.show(target);
    plies.show(target);
    showReview();
    if (active === root) place.write(target);
  }

  function setSpeed(value) {
    player.setSpeed(value);
    controls.showSpeed(player.speed);
    controls.say(`Speed ${player.speed}\u00d7`);
  }

  function showPlaying(isPlaying) {
    controls.showPlaying(isPlaying);
    moment.hush(isPlaying);
    verdict.hush(isPlaying);
  }

  async function copy() {
    const address = place.link(position.at);
    if (await copyText(address)) controls.say("Link copied");
    else controls.say(addressField(address));
  }

  const listeners = new AbortController();
  listen(root, { deeds, dialog, stage, place, go: pause, at: () => position.at }, listeners.signal);
  const layout = layoutWatch(root, { main, moment, stage, course, height: options.height, zoom: () => ZOOMS[zoom] }, listeners.signal);
  if (!active?.isConnected) active = root;
  markTheme(root);
  controls.showSpeed(player.speed);
  go(place.first);
  setReview(options.review, options.isReviewed);
  return {
    goToPly: (ply) => pause(place.indexOf(ply)),
    setTheme: () => markTheme(root),
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

function titleNode(game, deeds) {
  const facts = [game.ruleset, game.run && `run ${game.run}`, game.gameId === null ? "" : `game ${game.gameId}`].filter(Boolean);
  const button = (glyph, label, key, deed) => {
    const made = html("button", { type: "button", "aria-label": label, title: `${label} (${key})` }, glyph);
    made.addEventListener("click", deed);
    return made;
  };
  const view = html(
    "div",
    { class: "view", role: "group", "aria-label": "View" },
    button(icon("turn"), "Turn the board", "F", deeds.turn),
    button("\u2212", "Smaller", "\u2212", deeds.smaller),
    button("+", "Larger", "+", deeds.larger),
  );
  return html("header", { class: "title" }, html("h1", {}, game.title || game.name || "Game"), html("p", {}, facts.join(" \u00b7 ")), view);
}

const TYPING = "input:not([type=range]), textarea, select, [contenteditable]:not([contenteditable=false]), dialog";

/** Keys, swipes and the address bar. */
function listen(root, { deeds, dialog, stage, place, go, at }, signal) {
  root.addEventListener("pointerdown", (event) => {
    active = root;
    if (!event.target.closest("input, select, [role=listbox], dialog")) root.focus({ preventScroll: true });
  }, { signal });
  // A click must not leave a button holding the space bar: the focus goes to the replay as a whole instead.
  root.addEventListener("mousedown", (event) => {
    if (event.target.closest("button")) event.preventDefault();
  }, { signal });
  root.addEventListener("focusin", () => { active = root; }, { signal });
  document.addEventListener("keydown", (event) => {
    const from = event.composedPath()[0];
    const isInside = event.composedPath().includes(root);
    const isNobody = from === document.body || from === document.documentElement;
    if (event.defaultPrevented || !(isInside || (isNobody && active === root))) return;
    if (dialog.open) {
      if (event.key === "?") dialog.close();
      return;
    }
    if (from.matches?.(TYPING)) return;
    if (event.key === " " && from.matches?.("button")) return;
    const deed = deedOfKey(event, deeds);
    if (!deed) return;
    event.preventDefault();
    deed();
  }, { signal });
  addEventListener("popstate", () => {
    if (active === root && place.named !== null && place.named !== at()) go(place.named);
  }, { signal });
  listenToSwipes(stage.node, deeds, signal);
}

function listenToSwipes(node, deeds, signal) {
  let from = null;
  node.addEventListener("pointerdown", (event) => {
    if (node.hasAttribute("data-zoomed")) return; // there a finger scrolls
    from = event.pointerType !== "mouse" && event.isPrimary ? event : null;
  }, { signal });
  node.addEventListener("pointercancel", () => { from = null; }, { signal });
  addEventListener("pointerup", (event) => {
    if (!from || event.pointerId !== from.pointerId) return;
    const across = event.clientX - from.clientX;
    const along = event.clientY - from.clientY;
    from = null;
    if (Math.abs(across) < 40 || Math.abs(across) < 2 * Math.abs(along)) return;
    if (across < 0) deeds.next();
    else deeds.previous();
  }, { signal });
}

/** Lay out now and whenever the room changes; returns the function that does it. */
function layoutWatch(root, { main, moment, stage, course, height, zoom }, signal) {
  let known = "";
  function layout() {
    const width = stage.node.clientWidth;
    if (!width) return;
    const isPhone = root.clientWidth < 600;
    moment.resize(width, isPhone);
    // On a page with other things above, people scroll once: then all of the replay shall be in view.
    const top = Math.max(0, Math.min(72, root.getBoundingClientRect().top + scrollY));
    const whole = height ? height : Math.max(480, innerHeight - top);
    // Whatever is above and below the boards keeps its size, so the boards take what is left.
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
