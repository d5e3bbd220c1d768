/*
 * The position of a what-if question on a Streamlit page: the boards before a move, the move that was played, and the choice
 * of another one. `mount` is called again when the data or the theme changes.
 */

import { AIM_DIRECTIONS, createAimTools, createChooser, createShapeList, describeAiming, namePlacement, readAlternatives } from "./choose.js";
import { html, setText } from "./draw.js";
import { createMomentView } from "./moment.js";
import { filledSquares } from "./moves.js";
import { createPosition, readScene } from "./scene.js";
import { createStageView } from "./stage.js";
import { updateTheme } from "./theme.js";
import { asRecord, asText } from "./values.js";

const mounted = new WeakMap();
const POSITION_SHARE = 0.62; // of the height of the window, so that the form stays beside the boards

export default function mount({ parentElement, data, setTriggerValue }) {
  const text = JSON.stringify(data);
  const current = mounted.get(parentElement);
  if (current?.text === text) {
    current.view.setTheme();
  } else {
    const hadFocus = current?.view.hasFocus();
    current?.view.destroy();
    const view = createPositionView(parentElement, asRecord(data), (action) => setTriggerValue("action", action));
    if (hadFocus) view.focus();
    mounted.set(parentElement, { text, view });
  }
  return () => {
    mounted.get(parentElement)?.view.destroy();
    mounted.delete(parentElement);
  };
}

/** Draw the position before the last step of a scene. `choose` gets the notation of the move that a person chooses. */
function createPositionView(parent, data, choose) {
  const game = readScene(data.scene);
  const root = html("section", { class: "replay position", tabindex: "-1", "aria-label": "The position" });
  parent.append(root);
  const setTheme = () => updateTheme(root);
  if (game.problem || !game.steps.length) {
    root.append(html("p", { class: "problem", role: "alert" }, `This position cannot be shown. ${game.problem ?? ""}`));
    setTheme();
    return { setTheme, hasFocus: () => false, focus() {}, destroy: () => root.remove() };
  }
  game.isInProgress = true;
  const last = game.steps.length - 1;
  const step = game.steps[last];
  const moment = createMomentView(game);
  const stage = createStageView(game);
  const position = createPosition(game);
  const chosenAction = asText(data.chosen, 200);
  const seen = data.look ? readAlternatives(game, data.look) : null;
  const groups = seen?.groups ?? [];
  const indexOf = (action) => groups.findIndex(({ placements }) => placements.some((placement) => placement.action === action));
  let groupIndex = Math.max(0, indexOf(chosenAction) >= 0 ? indexOf(chosenAction) : indexOf(step.notation));
  const chooser = createChooser(game, stage, { changed: showAimName, chosen: (group, placement) => choose(placement.action) });
  const choices = html("div", { class: "choices position-choices" });
  const listeners = new AbortController();
  root.append(moment.node, stage.node, ...(groups.length ? [choices] : []));

  if (seen) seen.colour = null;
  stage.show(position, position.go(last - 1), last - 1, game.steps[last - 1] ?? null, false);
  moment.show(last, step);
  stage.showGhost(filledSquares(game, step));

  function render() {
    chooser.offer(seen, groups[groupIndex] ?? null);
    const isShape = Boolean(groups[0]?.piece);
    choices.replaceChildren(
      ...(groups.length > 1 || isShape ? [createShapeList(groups, groupIndex, selectGroup)] : []),
      createAimTools(chooser, isShape, "Choose", "Ask about this move"),
      html("p", { class: "note" }, describeAiming(isShape, "choose")),
    );
    showAimName();
  }

  function showAimName() {
    const label = choices.querySelector(".aim-name");
    if (!label) return;
    const isPlayed = chooser.aim?.action === step.notation;
    setText(label, chooser.aim ? `${namePlacement(chooser.group, chooser.aim)}${isPlayed ? ", as played" : ""}` : "no place chosen");
    for (const button of choices.querySelectorAll(".aim-tools button")) button.setAttribute("aria-disabled", String(!chooser.aim || (isPlayed && button.classList.contains("try"))));
  }

  function selectGroup(index) {
    groupIndex = (index + groups.length) % groups.length;
    render();
  }

  /** Show the chosen move while the pointer is elsewhere. */
  function aimAtChosen() {
    const placement = groups[groupIndex]?.placements.find(({ action }) => action === chosenAction);
    if (placement) chooser.aimAt(placement);
  }

  function commandOfKey(event) {
    if (!groups.length || event.ctrlKey || event.metaKey || event.altKey) return null;
    const isOnControl = event.composedPath()[0].matches?.("button");
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (key === "Enter" && !isOnControl) return () => (chooser.aim ? chooser.take() : chooser.start(null));
    if (key === "p") return () => selectGroup(groupIndex + (event.shiftKey ? -1 : 1));
    if (!chooser.aim) return null;
    if (key === "Escape") return chooser.clear;
    if (key === "r") return () => chooser.turn(event.shiftKey ? -1 : 1);
    return Object.hasOwn(AIM_DIRECTIONS, key) ? () => chooser.move(key, stage.turns) : null;
  }

  root.addEventListener("keydown", (event) => {
    const command = commandOfKey(event);
    if (!command) return;
    event.preventDefault();
    event.stopPropagation();
    command();
  }, { signal: listeners.signal });
  root.addEventListener("pointerdown", (event) => {
    if (!event.target.closest("button")) root.focus({ preventScroll: true });
  }, { signal: listeners.signal });
  stage.node.addEventListener("pointerleave", aimAtChosen, { signal: listeners.signal });

  function layout() {
    const width = stage.node.clientWidth;
    if (!width) return;
    const isPhone = root.clientWidth < 600;
    moment.resize(width, isPhone);
    stage.layout({ width, height: Math.max(250, POSITION_SHARE * innerHeight), isPhone, zoom: 1 });
  }
  const observer = new ResizeObserver(() => requestAnimationFrame(layout));
  observer.observe(root);
  setTheme();
  if (groups.length) render();
  aimAtChosen();
  layout();
  return {
    setTheme,
    hasFocus: () => root.contains(root.getRootNode().activeElement),
    focus: () => root.focus({ preventScroll: true }),
    destroy() {
      observer.disconnect();
      listeners.abort();
      chooser.destroy();
      root.remove();
    },
  };
}
