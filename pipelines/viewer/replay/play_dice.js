/*
 * The choice of dice to keep before the others are thrown again: a button for each die, and one that throws.
 */

import { drawDie } from "./dice.js";
import { createButton, html, setText } from "./draw.js";

const sortedText = (faces) => [...faces].sort().join(" ");

/**
 * Create the buttons of the dice on the table. Those that were kept before are kept again, unless the person changes that.
 * @param {object[]} dice the dice of the last step
 * @param {{action: string, dice: string[]}[]} options the legal choices, each with the faces that it keeps
 * @param {(action: string, text: string) => void} chosen called when the others are thrown again
 */
export function createDicePicker(dice, options, chosen) {
  const actions = new Map(options.map((option) => [sortedText(option.dice), option.action]));
  const buttons = dice.map((die, index) => createButton({ class: "pick", "aria-pressed": String(die.state === "kept"), "aria-label": `Keep the ${die.face}`, title: `Keep this ${die.face} (${index + 1})` }, () => toggle(index), drawDie({ ...die, state: "open", note: "" })));
  const go = createButton({ class: "go" }, throwOthers);
  const node = html("div", { class: "pick-dice" }, html("div", { class: "picks", role: "group", "aria-label": "Dice to keep" }, ...buttons), go);

  const isKept = (button) => button.getAttribute("aria-pressed") === "true";
  const keptFaces = () => dice.filter((_, index) => isKept(buttons[index])).map(({ face }) => face);
  const actionNow = () => actions.get(sortedText(keptFaces()));

  function show() {
    const kept = keptFaces();
    const left = dice.length - kept.length;
    const count = kept.length ? `${left} other${left === 1 ? "" : "s"}` : `all ${left}`;
    setText(go, actionNow() === undefined ? "Leave out a die to throw again" : `Throw ${kept.length ? `the ${count}` : count} again`);
    go.title = "Throw again (T)";
    go.setAttribute("aria-disabled", String(actionNow() === undefined));
  }

  function toggle(index) {
    if (!buttons[index]) return;
    buttons[index].setAttribute("aria-pressed", String(!isKept(buttons[index])));
    show();
  }

  function throwOthers() {
    const action = actionNow();
    if (action !== undefined) chosen(action, keptFaces().join(" "));
  }

  show();
  return {
    node,
    toggle,
    throwOthers,
    /** Mark the dice that a choice keeps. */
    keep(action) {
      const wanted = [...(options.find((option) => option.action === action)?.dice ?? [])];
      buttons.forEach((button, index) => {
        const at = wanted.indexOf(dice[index].face);
        if (at >= 0) wanted.splice(at, 1);
        button.setAttribute("aria-pressed", String(at >= 0));
      });
      show();
    },
  };
}

/** Whether options are choices of dice that lie on the table. */
export function areDiceChoices(options, dice) {
  const faces = new Set(dice.map(({ face }) => face));
  return dice.length > 0 && options.length > 0 && options.every((option) => option.kind === "keep" && option.dice.every((face) => faces.has(face)));
}
