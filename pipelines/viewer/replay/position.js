/*
 * The position of a what-if question on a Streamlit page: the boards before a move, the move that was played, and the choice
 * of another one.
 */

import { createAimTools, createChooser, createShapeList, describeAiming, readAlternatives, showAimName } from "./choose.js";
import { html } from "./draw.js";
import { createMomentView } from "./moment.js";
import { createMount } from "./mount.js";
import { filledSquares } from "./moves.js";
import { createPosition, readScene } from "./scene.js";
import { createStageView } from "./stage.js";
import { createProblem, updateTheme } from "./theme.js";
import { asText } from "./values.js";

const POSITION_SHARE = 0.62; // of the height of the window, so that the form stays beside the boards

/** Draw the position before the last step of a scene. The page gets the notation of the move that a person chooses. */
function createPositionView(parent, data, setTriggerValue) {
  const game = readScene(data.scene);
  const root = html("section", { class: "replay position", tabindex: "-1", "aria-label": "The position" });
  parent.append(root);
  if (game.problem || !game.steps.length) return createProblem(root, `This position cannot be shown. ${game.problem}`);
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
  const chooser = createChooser(game, stage, { changed: () => showAim(), chosen: (group, placement) => setTriggerValue("action", placement.action) });
  const choices = html("div", { class: "choices position-choices" });
  const listeners = new AbortController();
  root.append(moment.node, stage.node, ...(groups.length ? [choices] : []));

  if (seen) seen.colour = null;
  stage.show(position, position.go(last - 1), last - 1, game.steps[last - 1] ?? null, false);
  moment.show(last, step);
  stage.showGhost(filledSquares(game, step));

  const showAim = () => showAimName(choices, chooser, step.notation);

  function render() {
    chooser.offer(seen, groups[groupIndex] ?? null);
    const isShape = Boolean(groups[0]?.piece);
    choices.replaceChildren(
      ...(groups.length > 1 || isShape ? [createShapeList(groups, groupIndex, selectGroup)] : []),
      createAimTools(chooser, isShape, "Choose", "Ask about this move"),
      html("p", { class: "note" }, describeAiming(isShape, "choose")),
    );
    showAim();
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

  root.addEventListener("keydown", (event) => {
    const command = chooser.commandOfKey(event, { turns: stage.turns, selectNext: (count) => selectGroup(groupIndex + count) });
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
  updateTheme(root);
  if (groups.length) render();
  aimAtChosen();
  layout();
  return {
    setTheme: () => updateTheme(root),
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

export default createMount(createPositionView);
