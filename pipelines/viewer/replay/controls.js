/*
 * Controls: buttons, slider, speed, link and help. `commands` are the functions that they call, by name.
 */

const SPEEDS = [0.5, 1, 2, 4, 8];
const ICONS = {
  first: "M6 5v14M19 5.5v13L9 12z",
  previous: "M16 5.5v13L7 12z",
  play: "M8 5v14l11-7z",
  pause: "M8.5 5.5v13M15.5 5.5v13",
  next: "M8 5.5v13l9-6.5z",
  last: "M18 5v14M5 5.5v13L15 12z",
  fork: "M12 21v-7M12 14L5.5 4.5M12 14l6.5-9.5",
  chair: "M7 3.5v9h9.5v7.5M7 12.5v7.5M7 16.5h9.5",
  turn: "M19.5 12a7.5 7.5 0 1 1-2.4-5.5M19.8 3.2v4.6h-4.6",
  link: "M10 13.5a4 4 0 0 0 6 .4l2.6-2.6a4 4 0 0 0-5.7-5.7l-1.4 1.4M14 10.5a4 4 0 0 0-6-.4l-2.6 2.6a4 4 0 0 0 5.7 5.7l1.4-1.4",
};
const HELP = [
  ["\u2190 \u2192", "previous move, next move"],
  ["Home End", "start, last move"],
  ["Shift+\u2190 Shift+\u2192", "previous turn, next turn, without its throws"],
  ["PageUp PageDown", "previous round, next round"],
  ["Space", "play, pause"],
  ["> <", "faster, slower"],
  ["1 2 3 4", "the next move of player 1, 2, 3, 4"],
  ["+ \u2212", "larger, smaller"],
  ["F", "turn the board, or show the next seat first"],
  ["L", "copy the link to this move"],
  ["?", "this help"],
];
const WHATIF_HELP = [["W", "what if it had gone differently from here?"]];
const PLAY_ON_HELP = [["B", "play on from here: take a seat at this position"]];
const CHOICE_HELP = [
  ["Enter", "What if: choose another move with the keys, then try it"],
  ["\u2190 \u2191 \u2192 \u2193", "What if: move the shape to another legal place"],
  ["R P", "What if: turn the shape, the next shape"],
  ["Esc", "leave the choice, the two continuations, What if"],
];
const REVIEW_HELP = [
  ["M Shift+M", "the next, the previous mistake"],
  ["N Shift+N", "the next, the previous lucky or unlucky roll"],
  ["G", "show or hide the better choice on the board"],
];

const createIcon = (name) => svg("svg", { class: `icon ${name}`, viewBox: "0 0 24 24", width: 20, height: 20, "aria-hidden": "true" }, svg("path", { d: ICONS[name] }));

/**
 * @param {{hasWhatif: boolean, hasPanel: boolean, hasPlay: boolean}} offers whether there is a page What if, a panel inside
 *   the replay, and a page Play
 */
function createControlsView(game, commands, { hasWhatif, hasPanel, hasPlay }) {
  const button = (name, label, key, command) => {
    const element = html("button", { type: "button", class: name, "aria-label": label, title: `${label} (${key})` }, createIcon(name));
    element.addEventListener("click", command);
    return element;
  };
  const play = button("play", "Play", "space", commands.toggle);
  const first = button("first", "First: the start", "Home", commands.first);
  const previous = button("previous", "Previous move", "\u2190", commands.previous);
  const next = button("next", "Next move", "\u2192", commands.next);
  const last = button("last", "Last move", "End", commands.last);
  const slider = html("input", { type: "range", min: START, max: game.steps.length - 1, step: 1, value: START, "aria-label": "Move" });
  slider.addEventListener("input", () => commands.go(Number(slider.value)));
  const speed = html("select", { "aria-label": "Speed", title: "Speed (> and <)" }, ...SPEEDS.map((value) => html("option", { value }, `${value}\u00d7`)));
  speed.addEventListener("change", () => commands.speed(Number(speed.value)));
  const linkText = html("span", { class: "wide" }, "Copy link");
  const link = html("button", { type: "button", class: "link", hidden: !commands.copy, title: "Copy the link to this move (L)", "aria-label": "Copy link to this move" }, createIcon("link"), linkText);
  link.addEventListener("click", commands.copy);
  const help = html("button", { type: "button", class: "help", title: "Keys (?)", "aria-label": "Help: keys" }, "?");
  help.addEventListener("click", commands.help);
  const whatifLabel = "What if it had gone differently from here?";
  const whatifContent = [createIcon("fork"), html("span", { class: "wide" }, "What if \u2026")];
  const whatif = hasPanel
    ? html("button", { type: "button", class: "whatif", "aria-expanded": "false", title: `${whatifLabel} (W)`, "aria-label": whatifLabel }, ...whatifContent)
    : html("a", { class: "whatif", target: "_self", href: "#", title: `${whatifLabel} (W)`, "aria-label": whatifLabel }, ...whatifContent);
  if (hasPanel) whatif.addEventListener("click", commands.whatif);
  const playOn = html("a", { class: "play-on", target: "_self", href: "#", hidden: true, title: "Play on from here: take a seat at this position (B)", "aria-label": "Play on from here" }, createIcon("chair"), html("span", { class: "wide" }, "Play on"));
  const message = html("span", { class: "message", role: "status" });
  const node = html(
    "div",
    { class: "controls", role: "toolbar", "aria-label": "Replay" },
    html("div", { class: "buttons" }, first, previous, play, next, last),
    slider,
    html("div", { class: "extras" }, speed, hasWhatif || hasPanel ? whatif : "", hasPlay ? playOn : "", link, help),
    message,
  );
  let messageTimer = 0;
  return {
    node,
    /** Set the number of the last place that the slider reaches. */
    setLast(at) {
      slider.max = String(at);
    },
    /** Show a place; `words` describe it. */
    show(at, words) {
      slider.value = String(at);
      slider.setAttribute("aria-valuetext", words);
      for (const element of [first, previous]) element.setAttribute("aria-disabled", String(at === START));
      for (const element of [next, last]) element.setAttribute("aria-disabled", String(at === Number(slider.max)));
    },
    showAsking(isAsking) {
      whatif.setAttribute("aria-expanded", String(isAsking));
    },
    showPlaying(isPlaying) {
      play.replaceChildren(createIcon(isPlaying ? "pause" : "play"));
      play.setAttribute("aria-label", isPlaying ? "Pause" : "Play");
      play.title = isPlaying ? "Pause (space)" : "Play (space)";
    },
    showWhatif(address) {
      if (address && !hasPanel) whatif.href = address;
    },
    /** Show where people can play on; null hides the link. */
    showPlayOn(address) {
      playOn.hidden = !address;
      if (address) playOn.href = address;
    },
    showSpeed(value) {
      speed.value = String(value);
    },
    /** Show a message beside the buttons for six seconds. */
    showMessage(...content) {
      clearTimeout(messageTimer);
      message.replaceChildren(...content);
      messageTimer = setTimeout(() => message.replaceChildren(), 6000);
    },
  };
}

/** Copy a text to the clipboard; return false if the browser does not allow it. */
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Create a field with the address, from which a person can copy it. */
function createAddressField(address) {
  const field = html("input", { type: "text", readonly: true, value: address, "aria-label": "Link to this move" });
  requestAnimationFrame(() => field.select());
  return field;
}

function createHelpDialog() {
  const close = html("button", { type: "button", "aria-label": "Close help" }, "Close");
  const keys = html("dl");
  const dialog = html(
    "dialog",
    { class: "help-dialog", "aria-label": "Keys" },
    html("h2", {}, "Keys"),
    keys,
    html("p", {}, "Swipe over the boards to step. Click or drag along the score course, or click a move in the list, to jump."),
    close,
  );
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close(); // the backdrop
  });
  return {
    node: dialog,
    toggle(rows) {
      if (dialog.open) return dialog.close();
      keys.replaceChildren(...rows.map(([key, does]) => html("div", {}, html("dt", {}, ...key.split(" ").map((name) => html("kbd", {}, name))), html("dd", {}, does))));
      dialog.showModal();
    },
  };
}

/**
 * Return the command of a key, or null if the key has none.
 * @param {KeyboardEvent} event
 * @param {object} commands
 */
function commandOfKey(event, commands) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return null;
  if (/^[1-9]$/.test(event.key)) return () => commands.seat(Number(event.key) - 1);
  const [back, on] = event.shiftKey ? [commands.turnBack, commands.turnOn] : [commands.previous, commands.next];
  const [mistake, roll] = event.shiftKey ? [commands.mistakeBack, commands.rollBack] : [commands.mistakeOn, commands.rollOn];
  const keys = {
    ArrowLeft: back,
    ArrowRight: on,
    Home: commands.first,
    End: commands.last,
    PageUp: commands.roundBack,
    PageDown: commands.roundOn,
    " ": commands.toggle,
    ">": commands.faster,
    ".": commands.faster,
    "<": commands.slower,
    ",": commands.slower,
    "+": commands.larger,
    "=": commands.larger,
    "-": commands.smaller,
    "\u2212": commands.smaller,
    f: commands.turn,
    l: commands.copy,
    m: mistake,
    n: roll,
    g: commands.ghost,
    w: commands.whatif,
    b: commands.playOn,
    "?": commands.help,
  };
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  return Object.hasOwn(keys, key) ? keys[key] : null;
}
