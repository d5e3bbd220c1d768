/*
 * The printed material of a game for pages about rules: the empty boards, the pieces and the faces of the dice.
 */

import { createBoardView } from "./boards.js";
import { drawDie } from "./dice.js";
import { html } from "./draw.js";
import { createMount } from "./mount.js";
import { LIMITS, readDie, readScene, START } from "./scene.js";
import { createTrayView } from "./seats.js";
import { createProblem, updateTheme } from "./theme.js";
import { asList, asRecord } from "./values.js";

const PRINTED = { least: 9, most: 34 };

/**
 * Draw a scene without plies, and dice; return the functions that change the theme and remove the drawing. If it `isEditable`,
 * the square that a person clicks is sent as [column, row] from the lower left corner.
 */
function createPrint(parent, { scene, dice, isEditable }, setTriggerValue) {
  const game = readScene(scene);
  const label = game.ruleset ? `Printed material of ${game.ruleset}` : "Printed material";
  const root = html("section", { class: "replay printed", "aria-label": label });
  parent.append(root);
  if (game.problem) return createProblem(root, `This ruleset cannot be drawn. ${game.problem}`);
  const boards = game.boards.filter((board) => board.size).map((board) => createBoardView(game, board));
  const empty = new Int32Array(game.squares);
  for (const view of boards) {
    view.show(empty, [], null, false);
    if (isEditable !== true) continue;
    view.node.setAttribute("data-editable", "");
    view.node.addEventListener("click", (event) => {
      const point = view.pointAt(event);
      if (point) setTriggerValue("square", [Math.floor(point[0]), Math.ceil(point[1]) - 1]);
    });
  }
  const trays = game.trays.filter((tray) => tray.pieces.length).map((tray) => createTrayView(game, tray));
  for (const view of trays) view.show(START);
  const faces = asList(dice, LIMITS.faces).map((die) => readDie(asRecord(die)));
  root.append(html("div", { class: "print-boards" }, ...boards.map((view) => view.node)));
  const beside = html("div", { class: "print-beside" }, ...trays.map((view) => view.node));
  // Dice with pips are all alike; dice with drawings differ by name.
  const setOf = (die) => (die.pips === null ? `Die ${die.name}` : "Dice");
  for (const name of new Set(faces.map(setOf))) {
    const own = faces.filter((die) => setOf(die) === name);
    beside.append(html("div", { class: "dice print-dice", role: "group", "aria-label": name }, ...own.map(drawDie)));
  }
  if (beside.hasChildNodes()) root.append(beside);
  updateTheme(root);
  const fit = () => {
    const across = Math.max(1, ...boards.map((view) => view.across));
    const isBeside = beside.hasChildNodes() && root.clientWidth >= 640 && across <= 16;
    root.toggleAttribute("data-beside", isBeside);
    const room = (isBeside ? 0.5 : 1) * root.clientWidth - 4;
    for (const view of boards) view.resize(Math.max(PRINTED.least, Math.min(PRINTED.most, room / across)));
  };
  const observer = new ResizeObserver(() => requestAnimationFrame(fit));
  observer.observe(root);
  fit();
  return {
    setTheme: () => updateTheme(root),
    destroy() {
      observer.disconnect();
      root.remove();
    },
  };
}

export default createMount(createPrint);
