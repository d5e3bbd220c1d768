/*
 * Two continuations as a replay of their own: the boards of both branches above one slider.
 */

import { createControlsView } from "./controls.js";
import { html } from "./draw.js";
import { PAIR_FRAME } from "./frame.js";
import { createHelpDialog, PAIR_HELP } from "./help.js";
import { active, listenToInput } from "./input.js";
import { createPairView, readContinuations } from "./pair.js";
import { createPlayer, speedCommands, trackCommands } from "./player.js";
import { START } from "./scene.js";
import { createProblem, updateTheme } from "./theme.js";

/**
 * @param {Node} parent an element or a shadow root
 * @param {unknown} raw two scenes, `base` and `changed`, with the `seat` of the question, the `ply` of the fork and `names`
 * @param {{tools: Node, isGuest: boolean}} options `tools` stand beside the title; a guest on a longer page takes the keys only
 *   once somebody uses it
 */
export function createPairPlayer(parent, raw, { tools = null, isGuest = false } = {}) {
  const pair = readContinuations(raw);
  const root = html("section", { class: "replay", tabindex: "-1", "aria-label": "Replay of both branches", "data-pair": true });
  parent.append(root);
  if (pair.problem) return createProblem(root, `These games cannot be shown. ${pair.problem}`);
  const view = createPairView(pair, { names: pair.names, tools });
  const player = createPlayer(() => view.at < view.last, () => go(view.at + 1), (isPlaying) => controls.showPlaying(isPlaying), () => (view.at > START && view.isPreparation(view.at) ? 0.6 : 1));
  const pause = (at) => {
    player.pause();
    go(at);
  };
  const setSpeed = (value) => {
    player.setSpeed(value);
    controls.showSpeed(player.speed);
  };
  const nothing = () => {};
  const commands = {
    ...trackCommands(() => view, pause),
    ...speedCommands(player, setSpeed),
    toggle() {
      if (!player.isPlaying && view.at >= view.last) go(START);
      player.toggle();
    },
    canWheel: (count) => (count > 0 ? view.at < view.last : view.at > START),
    wheel: (count) => pause(view.at + count),
    help: () => help.toggle(PAIR_HELP),
  };
  const controls = createControlsView(pair.games[0], commands, { hasPanel: false });
  const help = createHelpDialog();
  controls.setLast(view.last);
  root.append(html("div", { class: "main in-column" }, view.node, controls.node), help.node);

  function go(at) {
    const target = Math.max(START, Math.min(view.last, Math.round(at)));
    view.go(target, player.isCalm);
    controls.show(target, view.describe(target));
  }

  const listeners = new AbortController();
  listenToInput(root, {
    commands,
    dialog: help.node,
    area: view.node,
    activate: () => { active.root = root; },
    isActive: () => active.root === root && !isGuest,
    first: () => null,
  }, listeners.signal);
  view.onPoint(commands.go);
  const layout = () => {
    const width = root.clientWidth;
    if (width) view.layout({ width, height: Math.max(300, innerHeight - PAIR_FRAME - 80), isPhone: width < 600, zoom: 1 });
  };
  const observer = new ResizeObserver(() => requestAnimationFrame(layout));
  observer.observe(root);
  if (!isGuest) active.root = root; // the keys step both games at once
  updateTheme(root);
  controls.showSpeed(player.speed);
  layout();
  go(START);
  if (!isGuest) root.focus({ preventScroll: true }); // the visitor has just chosen this continuation, so the next key steps it
  return {
    goToPly: nothing,
    setTheme: () => updateTheme(root),
    setReview: nothing,
    destroy() {
      player.pause();
      listeners.abort();
      observer.disconnect();
      root.remove();
      if (active.root === root) active.root = null;
    },
  };
}

