/*
 * The replay: puts the parts together, knows the current ply, and listens.
 */

const PACE = 1000; // milliseconds a ply takes at normal speed
let active = null; // of several replays on a page, the one that has the page's keys and its address

/**
 * Build a replay inside an element.
 * @param {Node} parent an element or a shadow root
 * @param {unknown} raw the scene
 * @param {{ply?: number | null, height?: number | null, isNext?: boolean}} options `ply` to begin with, if the
 *   address names none; `isNext`: it takes the place of another game, so the address speaks of that
 */
function createReplay(parent, raw, options) {
  const game = readScene(raw);
  const root = html("section", { class: "replay", tabindex: "-1", "aria-label": "Game replay" });
  parent.append(root);
  if (game.problem) {
    root.append(html("p", { class: "problem", role: "alert" }, `This game cannot be shown. ${game.problem}`));
    markTheme(root);
    return { goToPly() {}, setTheme: () => markTheme(root), destroy: () => root.remove() };
  }
  const last = game.steps.length - 1;
  const starts = roundStarts(game);
  const position = positionOf(game);
  const place = addressOf(game, options);
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
    copy,
    help: () => (dialog.open ? dialog.close() : dialog.showModal()),
  };
  const moment = momentView(game);
  const stage = stageView(game);
  const controls = controlsView(game, deeds);
  const course = courseView(game, deeds.go);
  const plies = pliesView(game, deeds.go);
  const dialog = helpDialog();
  const main = html("div", { class: "main" }, moment.node, stage.node, controls.node, course.node);
  root.append(titleNode(game), html("div", { class: "body" }, main, plies.node), dialog);

  function nextOf(seat) {
    const at = game.steps.findIndex((made, index) => index > position.at && made.seat === seat);
    if (at < 0 && game.seats[seat]) controls.say(`No later ply of ${game.seats[seat].name}.`);
    return at < 0 ? position.at : at;
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
  }

  async function copy() {
    const address = place.link(position.at);
    if (await copyText(address)) controls.say("Link copied");
    else controls.say(addressField(address));
  }

  const listeners = new AbortController();
  listen(root, { deeds, dialog, stage, place, go: pause, at: () => position.at }, listeners.signal);
  const layout = layoutWatch(root, { main, moment, stage, course, height: options.height }, listeners.signal);
  if (!active?.isConnected) active = root;
  markTheme(root);
  controls.showSpeed(player.speed);
  go(place.first);
  layout();
  return {
    goToPly: (ply) => pause(place.indexOf(ply)),
    setTheme: () => markTheme(root),
    destroy() {
      player.pause();
      place.forget();
      listeners.abort();
      root.remove();
      if (active === root) active = null;
    },
  };
}

function titleNode(game) {
  const facts = [game.ruleset, game.run && `run ${game.run}`, game.gameId === null ? "" : `game ${game.gameId}`].filter(Boolean);
  return html("header", { class: "title" }, html("h1", {}, game.title || game.name || "Game"), html("p", {}, facts.join(" \u00b7 ")));
}

/** Plays by itself until `canGoOn` is false. */
function playerOf(canGoOn, on, show) {
  const stillness = matchMedia("(prefers-reduced-motion: reduce)");
  let timer = 0;
  let due = 0;
  const player = {
    speed: 1,
    get isPlaying() {
      return timer !== 0;
    },
    /** Whether there is time, and leave, to animate a step. */
    get isCalm() {
      return !stillness.matches && (timer === 0 || player.speed <= 2);
    },
    pause() {
      if (!timer) return;
      clearTimeout(timer);
      timer = 0;
      show(false);
    },
    toggle() {
      if (timer) return player.pause();
      if (!canGoOn()) return;
      due = performance.now() + PACE / player.speed / 2;
      tick();
      show(true);
    },
    setSpeed(value) {
      player.speed = SPEEDS.includes(value) ? value : 1;
      if (timer) {
        clearTimeout(timer);
        due = performance.now() + PACE / player.speed;
        tick();
      }
    },
  };
  function tick() {
    timer = setTimeout(() => {
      on();
      if (!canGoOn()) return player.pause();
      due = Math.max(due + PACE / player.speed, performance.now());
      tick();
    }, due - performance.now());
  }
  return player;
}

/**
 * The address of the page, whose `?ply=` says where we are. It is written a moment after the last step, because
 * browsers refuse more than a few such changes a second.
 */
function addressOf(game, options) {
  const numbers = game.steps.map((step) => step.ply);
  const fallback = numbers.indexOf(options.ply);
  let waiting = null;
  let timer = 0;
  const place = {
    /** The ply that the address names; null if it names none. */
    get named() {
      const text = new URLSearchParams(location.search).get("ply");
      if (text === null || !/^-?\d{1,9}$/.test(text)) return null;
      return place.indexOf(Number(text));
    },
    indexOf: (ply) => numbers.indexOf(ply),
    first: fallback,
    link(at) {
      const url = new URL(location.href);
      if (at === START && fallback === START) url.searchParams.delete("ply");
      else url.searchParams.set("ply", String(numbers[at] ?? START));
      return url.href;
    },
    write(at) {
      waiting = at;
      clearTimeout(timer);
      timer = setTimeout(place.flush, 120);
    },
    /** Drop what has not been written: the address belongs to something else now. */
    forget() {
      clearTimeout(timer);
      waiting = null;
    },
    flush() {
      clearTimeout(timer);
      if (waiting === null) return;
      try {
        const link = place.link(waiting);
        if (link !== location.href) history.replaceState(history.state, "", link);
      } catch {
        // A page without an address of its own (inside a notebook) has nothing to remember the ply in.
      }
      waiting = null;
    },
  };
  if (!options.isNext) place.first = place.named ?? fallback;
  return place;
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
function layoutWatch(root, { main, moment, stage, course, height }, signal) {
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
    const now = `${root.clientWidth} ${width} ${innerHeight} ${Math.round(rest / 8)}`;
    if (now === known) return;
    known = now;
    stage.layout({ width, height: room, isPhone });
    course.resize(isPhone ? 0 : room - stage.node.offsetHeight);
  }
  const observer = new ResizeObserver(() => requestAnimationFrame(layout));
  observer.observe(root);
  addEventListener("resize", layout, { signal });
  signal.addEventListener("abort", () => observer.disconnect());
  return layout;
}
