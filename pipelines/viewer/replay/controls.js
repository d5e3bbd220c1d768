/*
 * Controls: buttons, slider, speed, copied link, help. What they do is told to them as `deeds`.
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
  ["\u2190 \u2192", "one ply back, one ply on"],
  ["Home End", "the start, the last ply"],
  ["PageUp PageDown", "one round back, one round on"],
  ["Space", "play, pause"],
  ["> <", "faster, slower"],
  ["1 2 3 4", "the next ply of the first, second, third, fourth seat"],
  ["+ \u2212", "larger, smaller"],
  ["F", "turn the board, or let the next seat come first"],
  ["L", "copy the link to this ply"],
  ["?", "this help"],
];
const WHATIF_HELP = [["W", "what if it had gone differently from here?"]];
const REVIEW_HELP = [
  ["M Shift+M", "the next, the previous mistake"],
  ["N Shift+N", "the next, the previous lucky or unlucky roll"],
  ["G", "show or hide the better choice on the board"],
];

const icon = (name) => svg("svg", { class: `icon ${name}`, viewBox: "0 0 24 24", width: 20, height: 20, "aria-hidden": "true" }, svg("path", { d: ICONS[name] }));

function controlsView(game, deeds, hasWhatif) {
  const button = (name, label, key, deed) => {
    const made = html("button", { type: "button", class: name, "aria-label": label, title: `${label} (${key})` }, icon(name));
    made.addEventListener("click", deed);
    return made;
  };
  const play = button("play", "Play", "space", deeds.toggle);
  const first = button("first", "First: the start", "Home", deeds.first);
  const previous = button("previous", "Previous ply", "\u2190", deeds.previous);
  const next = button("next", "Next ply", "\u2192", deeds.next);
  const last = button("last", "Last ply", "End", deeds.last);
  const slider = html("input", { type: "range", min: START, max: game.steps.length - 1, step: 1, value: START, "aria-label": "Ply" });
  slider.addEventListener("input", () => deeds.go(Number(slider.value)));
  const speed = html("select", { "aria-label": "Speed", title: "Speed (> and <)" }, ...SPEEDS.map((value) => html("option", { value }, `${value}\u00d7`)));
  speed.addEventListener("change", () => deeds.speed(Number(speed.value)));
  const linkText = html("span", { class: "wide" }, "Copy link");
  const link = html("button", { type: "button", class: "link", title: "Copy the link to this ply (L)", "aria-label": "Copy link to this ply" }, icon("link"), linkText);
  link.addEventListener("click", deeds.copy);
  const help = html("button", { type: "button", class: "help", title: "Keys (?)", "aria-label": "Help: keys" }, "?");
  help.addEventListener("click", deeds.help);
  const whatif = html("a", { class: "whatif", target: "_self", href: "#", title: "What if it had gone differently from here? (W)", "aria-label": "What if it had gone differently from here?" }, icon("fork"), html("span", { class: "wide" }, "What if \u2026"));
  const said = html("span", { class: "said", role: "status" });
  const node = html(
    "div",
    { class: "controls", role: "toolbar", "aria-label": "Replay" },
    html("div", { class: "buttons" }, first, previous, play, next, last),
    slider,
    html("div", { class: "extras" }, speed, hasWhatif ? whatif : "", link, help),
    said,
  );
  let silence = 0;
  return {
    node,
    show(at, step) {
      slider.value = String(at);
      slider.setAttribute("aria-valuetext", step ? `${placeText(game, at)}: ${step.caption}` : "Start");
      for (const made of [first, previous]) made.setAttribute("aria-disabled", String(at === START));
      for (const made of [next, last]) made.setAttribute("aria-disabled", String(at === game.steps.length - 1));
    },
    showPlaying(isPlaying) {
      play.replaceChildren(icon(isPlaying ? "pause" : "play"));
      play.setAttribute("aria-label", isPlaying ? "Pause" : "Play");
      play.title = isPlaying ? "Pause (space)" : "Play (space)";
    },
    showWhatif(address) {
      if (address) whatif.href = address;
    },
    showSpeed(value) {
      speed.value = String(value);
    },
    /** Say something beside the buttons for a moment. */
    say(...content) {
      clearTimeout(silence);
      said.replaceChildren(...content);
      silence = setTimeout(() => said.replaceChildren(), 6000);
    },
  };
}

/** Put a text on the clipboard; where that is not allowed, return false. */
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** A field with the address, to copy by hand. */
function addressField(address) {
  const field = html("input", { type: "text", readonly: true, value: address, "aria-label": "Link to this ply" });
  requestAnimationFrame(() => field.select());
  return field;
}

function helpDialog() {
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
 * What a key means, or null if it is not ours.
 * @param {KeyboardEvent} event
 * @param {object} deeds
 */
function deedOfKey(event, deeds) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return null;
  if (/^[1-9]$/.test(event.key)) return () => deeds.seat(Number(event.key) - 1);
  const [mistake, roll] = event.shiftKey ? [deeds.mistakeBack, deeds.rollBack] : [deeds.mistakeOn, deeds.rollOn];
  const keys = {
    ArrowLeft: deeds.previous,
    ArrowRight: deeds.next,
    Home: deeds.first,
    End: deeds.last,
    PageUp: deeds.roundBack,
    PageDown: deeds.roundOn,
    " ": deeds.toggle,
    ">": deeds.faster,
    ".": deeds.faster,
    "<": deeds.slower,
    ",": deeds.slower,
    "+": deeds.larger,
    "=": deeds.larger,
    "-": deeds.smaller,
    "\u2212": deeds.smaller,
    f: deeds.turn,
    l: deeds.copy,
    m: mistake,
    n: roll,
    g: deeds.ghost,
    w: deeds.whatif,
    "?": deeds.help,
  };
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  return Object.hasOwn(keys, key) ? keys[key] : null;
}
