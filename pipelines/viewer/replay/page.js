/*
 * The replay on a page of its own: the page holds the scene, and perhaps a review, as JSON data. In a frame, it has the colours of
 * the page around it, which sends them.
 */

import { createReplay } from "./replay.js";
import { setHostColours } from "./theme.js";

const [scene, review] = ["scene", "review"].map((id) => JSON.parse(document.getElementById(id)?.textContent ?? "null"));
const host = document.getElementById("replay");
const replay = createReplay(host, scene, { review, ply: host.dataset.ply ? Number(host.dataset.ply) : null });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => replay.setTheme());
if (parent !== window) {
  addEventListener("message", ({ source, data }) => {
    if (source !== parent) return; // the page that holds this one in a frame
    setHostColours(document.documentElement, data);
    replay.setTheme();
  });
}
