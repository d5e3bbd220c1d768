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
  turn: "M19.5 12a7.5 7.5 0 1 1-2.4-5.5M19.8 3.2v4.6h-4.6",
  link: "M10 13.5a4 4 0 0 0 6 .4l2.6-2.6a4 4 0 0 0-5.7-5.7l-1.4 1.4M14 10.5a4 4 0 0 0-6-.4l-2.6 2.6a4 4 0 0 0 5.7 5.7l1.4-1.4",
};
const HELP = [
  ["\u2190 \u2192", "previous ply, next ply"],
  ["Home End", "start, last ply"],
  ["PageUp PageDown", "previous round, next round"],
  ["Space", "play, pause"],
  ["> <", "faster, slower"],
  ["1 2 3 4", "the next ply of the first, second, third, fourth seat"],
  ["+ \u2212", "larger, smaller"],
  ["F", "turn the board, or show the next seat first"],
  ["L", "copy the link to this ply"],
  ["?", "this help"],
];
const WHATIF_HELP = [["W", "what if it had gone differently from here?"]];
const REVIEW_HELP = [
  ["M Shift+M", "the next, the previous mistake"],
  ["N Shift+N", "the next, the previous lucky or unlucky roll"],
  ["G", "show or hide the better choice on the board"],
];

const createIcon = (name) => svg("svg", { class: `icon ${name}`, viewBox: "0 0 24 24", width: 20, height: 20, "aria-hidden": "true" }, svg("path", { d: ICONS[name] }));

function createControlsView(game, commands, hasWhatif) {
  const button = (name, label, key, command) => {
    const element = html("button", { type: "button", class: name, "aria-label": label, title: `${label} (${key})` }, createIcon(name));
    element.addEventListener("click", command);
    return element;
  };
  const play = button("play", "Play", "space", commands.toggle);
  const first = button("first", "First: the start", "Home", commands.first);
  const previous = button("previous", "Previous ply", "\u2190", commands.previous);
  const next = button("next", "Next ply", "\u2192", commands.next);
  const last = button("last", "Last ply", "End", commands.last);
  const slider = html("input", { type: "range", min: START, max: game.steps.length - 1, step: 1, value: START, "aria-label": "Ply" });
  slider.addEventListener("input", () => commands.go(Number(slider.value)));
  const speed = html("select", { "aria-label": "Speed", title: "Speed (> and <)" }, ...SPEEDS.map((value) => html("option", { value }, `${value}\u00d7`)));
  speed.addEventListener("change", () => commands.speed(Number(speed.value)));
  const linkText = html("span", { class: "wide" }, "Copy link");
  const link = html("button", { type: "button", class: "link", title: "Copy the link to this ply (L)", "aria-label": "Copy link to this ply" }, createIcon("link"), linkText);
  link.addEventListener("click", commands.copy);
  const help = html("button", { type: "button", class: "help", title: "Keys (?)", "aria-label": "Help: keys" }, "?");
  help.addEventListener("click", commands.help);
  const whatif = html("a", { class: "whatif", target: "_self", href: "#", title: "What if it had gone differently from here? (W)", "aria-label": "What if it had gone differently from here?" }, createIcon("fork"), html("span", { class: "wide" }, "What if \u2026"));
  const message = html("span", { class: "message", role: "status" });
  const node = html(
    "div",
    { class: "controls", role: "toolbar", "aria-label": "Replay" },
    html("div", { class: "buttons" }, first, previous, play, next, last),
    slider,
    html("div", { class: "extras" }, speed, hasWhatif ? whatif : "", link, help),
    message,
  );
  let messageTimer = 0;
  return {
    node,
    show(at, step) {
      slider.value = String(at);
      slider.setAttribute("aria-valuetext", step ? `${describePlace(game, at)}: ${step.caption}` : "Start");
      for (const element of [first, previous]) element.setAttribute("aria-disabled", String(at === START));
      for (const element of [next, last]) element.setAttribute("aria-disabled", String(at === game.steps.length - 1));
    },
    showPlaying(isPlaying) {
      play.replaceChildren(createIcon(isPlaying ? "pause" : "play"));
      play.setAttribute("aria-label", isPlaying ? "Pause" : "Play");
      play.title = isPlaying ? "Pause (space)" : "Play (space)";
    },
    showWhatif(address) {
      if (address) whatif.href = address;
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
  const field = html("input", { type: "text", readonly: true, value: address, "aria-label": "Link to this ply" });
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
    html("p", {}, "Swipe over the boards to step. Click or drag along the score course, or click a ply in the list, to jump."),
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
  const [mistake, roll] = event.shiftKey ? [commands.mistakeBack, commands.rollBack] : [commands.mistakeOn, commands.rollOn];
  const keys = {
    ArrowLeft: commands.previous,
    ArrowRight: commands.next,
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
    "?": commands.help,
  };
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  return Object.hasOwn(keys, key) ? keys[key] : null;
}
