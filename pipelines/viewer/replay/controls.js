/*
 * Controls: buttons, slider, speed and help. `commands` are the functions that they call, by name.
 */

import { createButton, html } from "./draw.js";
import { createIcon } from "./icons.js";
import { SPEEDS } from "./player.js";
import { START } from "./scene.js";

/**
 * @param {{hasPanel: boolean, hasPlay: boolean}} offers whether there is a What if panel inside the replay, and a page Play
 */
export function createControlsView(game, commands, { hasPanel, hasPlay }) {
  const button = (name, label, key, command) => createButton({ class: name, "aria-label": label, title: `${label} (${key})` }, command, createIcon(name));
  const play = button("play", "Play", "space", commands.toggle);
  const first = button("first", "First: the start", "Home", commands.first);
  const previous = button("previous", "Previous move", "\u2190", commands.previous);
  const next = button("next", "Next move", "\u2192", commands.next);
  const last = button("last", "Last move", "End", commands.last);
  const slider = html("input", { type: "range", min: START, max: game.steps.length - 1, step: 1, value: START, "aria-label": "Move" });
  slider.addEventListener("input", () => commands.go(Number(slider.value)));
  const speed = html("select", { "aria-label": "Speed", title: "Speed (> and <)" }, ...SPEEDS.map((value) => html("option", { value }, `${value}\u00d7`)));
  speed.addEventListener("change", () => commands.speed(Number(speed.value)));
  const help = createButton({ class: "help", title: "Keys (?)", "aria-label": "Help: keys" }, commands.help, "?");
  const whatifLabel = "What if it had gone differently from here?";
  const whatif = createButton({ class: "whatif", "aria-expanded": "false", title: `${whatifLabel} (W)`, "aria-label": whatifLabel }, commands.whatif, createIcon("fork"), html("span", { class: "wide" }, "What if \u2026"));
  const playOn = html("a", { class: "play-on", target: "_self", href: "#", hidden: true, title: "Play on from here: take a seat at this position (B)", "aria-label": "Play on from here" }, createIcon("chair"), html("span", { class: "wide" }, "Play on"));
  const message = html("span", { class: "message", role: "status" });
  const node = html(
    "div",
    { class: "controls in-row", role: "toolbar", "aria-label": "Replay" },
    html("div", { class: "buttons in-row" }, first, previous, play, next, last),
    slider,
    html("div", { class: "extras in-row" }, speed, hasPanel ? whatif : "", hasPlay ? playOn : "", help),
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
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Create a field with the address, from which a person can copy it. */
export function createAddressField(address) {
  const field = html("input", { type: "text", readonly: true, value: address, "aria-label": "Link to this move" });
  requestAnimationFrame(() => field.select());
  return field;
}

