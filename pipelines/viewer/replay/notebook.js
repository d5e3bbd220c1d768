/*
 * The replay as a widget of a notebook. The model of the widget holds the scene and the current ply, which Python reads and
 * sets; requests of the What if panel and the answers to them are messages. `REPLAY_STYLE` is the style sheet.
 */

import { createMessageAsking } from "./ask.js";
import { createReplay } from "./replay.js";
import { colourBrightness } from "./theme.js";
import { createAsking } from "./whatif.js";

function render({ model, el }) {
  const host = document.createElement("div");
  host.dataset.lmSuppressShortcuts = "true"; // JupyterLab leaves the keys that are pressed in here to the replay
  el.style.flex = "1 1 420px"; // in a row of widgets, where nothing else would give it a width
  el.style.minWidth = "min(420px, 100%)";
  el.append(host);
  const shadow = host.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(REPLAY_STYLE);
  shadow.adoptedStyleSheets = [sheet];
  setHostColours(host);
  const messages = createMessageAsking((message) => model.send(message));
  let shown = null;
  const replay = createReplay(shadow, model.get("_scene"), {
    ply: model.get("ply"),
    height: model.get("height"),
    isGuest: true,
    onPly: writePly,
    asking: createAsking(messages.ask),
  });

  function writePly(ply) {
    shown = ply;
    if (ply === model.get("ply")) return;
    model.set("ply", ply);
    model.save_changes();
  }

  const readPly = () => {
    if (model.get("ply") !== shown) replay.goToPly(model.get("ply"));
  };
  const showTheme = () => {
    setHostColours(host);
    replay.setTheme();
  };
  model.on("change:ply", readPly);
  model.on("msg:custom", messages.receive);
  const observer = new ResizeObserver(showTheme); // also when the cell is shown, which may be after this call
  observer.observe(host);
  const themes = new MutationObserver(showTheme);
  for (const node of [document.documentElement, document.body]) themes.observe(node, { attributes: true });
  return () => {
    model.off("change:ply", readPly);
    model.off("msg:custom", messages.receive);
    observer.disconnect();
    themes.disconnect();
    replay.destroy();
    host.remove();
  };
}

/** Give the replay the background and the font of the notebook, which the style sheet reads from these properties. */
function setHostColours(host) {
  const background = backgroundBehind(host);
  if (!background) return; // not shown yet
  const [ink, accent] = (colourBrightness(host.shadowRoot, background) ?? 1) < 0.4 ? ["#e8eaee", "#4fb79f"] : ["#1f2733", "#0b6e5b"];
  const font = getComputedStyle(host.parentElement).fontFamily;
  const values = { "background-color": background, "text-color": ink, "primary-color": accent, font };
  for (const [name, value] of Object.entries(values)) host.style.setProperty(`--st-${name}`, value);
}

/** Return the colour of the nearest opaque background, or null. */
function backgroundBehind(node) {
  for (let at = node; at; at = at.parentElement ?? at.getRootNode().host) {
    const colour = getComputedStyle(at).backgroundColor;
    if (colour && !/^(transparent|rgba\(.*, 0(\.\d+)?\)|.* \/ 0(\.\d+)?%?\))$/.test(colour)) return colour;
  }
  return null;
}

export default { render };
