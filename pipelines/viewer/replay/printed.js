/*
 * What is printed: the empty boards, the pieces and the faces of the dice, standing still. For pages about rules.
 */

const PRINTED = { least: 9, most: 34 };

/** Draw what a scene without plies holds, and dice besides; returns how to put it away. */
function createPrint(parent, raw, dice) {
  const game = readScene(raw);
  const whose = game.ruleset ? `What ${game.ruleset} prints` : "What is printed";
  const root = html("section", { class: "replay printed", "aria-label": whose });
  parent.append(root);
  if (game.problem) {
    root.append(html("p", { class: "problem", role: "alert" }, `This ruleset cannot be drawn. ${game.problem}`));
    markTheme(root);
    return { setTheme: () => markTheme(root), destroy: () => root.remove() };
  }
  const boards = game.boards.filter((board) => board.size).map((board) => boardView(game, board));
  const empty = new Int32Array(game.squares);
  for (const view of boards) view.show(empty, [], null, false);
  const trays = game.trays.filter((tray) => tray.pieces.length).map((tray) => trayView(game, tray));
  for (const view of trays) view.show(START);
  const faces = asList(dice, MOST.faces).map((die) => readDie(asRecord(die)));
  root.append(html("div", { class: "print-boards" }, ...boards.map((view) => view.node)));
  const beside = html("div", { class: "print-beside" }, ...trays.map((view) => view.node));
  // Dice with pips are all alike; those with drawings are told apart by name.
  const setOf = (die) => (die.pips === null ? `Die ${die.name}` : "Dice");
  for (const name of new Set(faces.map(setOf))) {
    const own = faces.filter((die) => setOf(die) === name);
    beside.append(html("div", { class: "dice print-dice", role: "group", "aria-label": name }, ...own.map(dieNode)));
  }
  if (beside.hasChildNodes()) root.append(beside);
  markTheme(root);
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
    setTheme: () => markTheme(root),
    destroy() {
      observer.disconnect();
      root.remove();
    },
  };
}

const mounted = new WeakMap();

/* Inside a Streamlit page. This runs again whenever the data or the theme changes. */
export default function mount({ parentElement, data }) {
  const { scene, dice } = asRecord(data);
  const text = JSON.stringify([scene, dice]);
  const known = mounted.get(parentElement);
  if (known?.text === text) {
    known.print.setTheme();
  } else {
    known?.print.destroy();
    mounted.set(parentElement, { text, print: createPrint(parentElement, scene, dice) });
  }
  return () => {
    mounted.get(parentElement)?.print.destroy();
    mounted.delete(parentElement);
  };
}
