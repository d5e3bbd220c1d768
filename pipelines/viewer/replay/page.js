/*
 * Inside a page of its own: the scene, and perhaps a review, lie in the page as data.
 */

const [scene, review] = ["scene", "review"].map((id) => JSON.parse(document.getElementById(id)?.textContent ?? "null"));
const replay = createReplay(document.getElementById("replay"), scene, { review });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => replay.setTheme());
