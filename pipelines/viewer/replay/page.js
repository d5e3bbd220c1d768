/*
 * The replay on a page of its own: the page holds the scene, and perhaps a review, as JSON data.
 */

import { createReplay } from "./replay.js";

const [scene, review] = ["scene", "review"].map((id) => JSON.parse(document.getElementById(id)?.textContent ?? "null"));
const replay = createReplay(document.getElementById("replay"), scene, { review });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => replay.setTheme());
