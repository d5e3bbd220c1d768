/*
 * The replay as a widget of a notebook. The model of the widget holds the scene and the current ply, which Python reads and
 * sets; requests of the What if panel and the answers to them are messages. `REPLAY_STYLE` is the style sheet.
 */

import { createMessageAsking } from "./ask.js";
import { createReplay } from "./replay.js";
import { readSurroundings, watchSurroundings } from "./surroundings.js";
import { setHostColours } from "./theme.js";
import { createAsking } from "./whatif.js";

function render({ model, el }) {
  const host = document.createElement("div");
  host.dataset.lmSuppressShortcuts = "true"; // JupyterLab leaves the keys that are pressed in here to the replay
  el.append(host);
  const shadow = host.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(REPLAY_STYLE);
  shadow.adoptedStyleSheets = [sheet];
  setHostColours(host, readSurroundings(host));
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
    setHostColours(host, readSurroundings(host));
    replay.setTheme();
  };
  model.on("change:ply", readPly);
  model.on("msg:custom", messages.receive);
  const stopWatching = watchSurroundings(host, showTheme);
  return () => {
    model.off("change:ply", readPly);
    model.off("msg:custom", messages.receive);
    stopWatching();
    replay.destroy();
    host.remove();
  };
}

export default { render };
