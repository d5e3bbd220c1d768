/*
 * Inside a page of its own: the scene lies in the page as data.
 */

const replay = createReplay(document.getElementById("replay"), JSON.parse(document.getElementById("scene").textContent), {});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => replay.setTheme());
