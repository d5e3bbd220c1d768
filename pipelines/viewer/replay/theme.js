/*
 * The theme: light or dark.
 */

import { html } from "./draw.js";
import { asRecord, asText } from "./values.js";

/** Set the theme of a root element to that of the surrounding page, or else of the system. */
export function updateTheme(root) {
  const background = getComputedStyle(root).getPropertyValue("--st-background-color").trim();
  root.toggleAttribute("data-hosted", background !== "");
  const shade = background ? colourBrightness(root, background) : null;
  const isDark = shade === null ? matchMedia("(prefers-color-scheme: dark)").matches : shade < 0.4;
  root.dataset.theme = isDark ? "dark" : "light";
}

/** Give a replay the background and the font of the page around it, which the style sheet reads from these properties. */
export function setHostColours(host, surroundings) {
  const { background, font } = asRecord(surroundings);
  const brightness = asText(background) && colourBrightness(host.shadowRoot ?? host, background);
  if (brightness === "" || brightness === null) return; // not shown yet, or no colour
  const [ink, accent] = brightness < 0.4 ? ["#e8eaee", "#4fb79f"] : ["#1f2733", "#0b6e5b"];
  const values = { "background-color": background, "text-color": ink, "primary-color": accent, font, "heading-font": font };
  for (const [name, value] of Object.entries(values)) host.style.setProperty(`--st-${name}`, value);
}

/** Show a sentence in place of a replay; return the functions that a replay has. */
export function createProblem(root, words) {
  root.append(html("p", { class: "problem", role: "alert" }, words));
  updateTheme(root);
  const nothing = () => {};
  return { goToPly: nothing, setReview: nothing, showQuestion: nothing, followAddress: nothing, setTheme: () => updateTheme(root), destroy: () => root.remove() };
}

/** The brightness of the colours that were asked for: measuring one takes as long as drawing a small board. */
const knownBrightness = new Map();

/** Return the brightness of a CSS colour from 0 to 1; null if the browser does not know the colour. */
function colourBrightness(root, colour) {
  if (!knownBrightness.has(colour)) knownBrightness.set(colour, measureBrightness(root, colour));
  return knownBrightness.get(colour);
}

function measureBrightness(root, colour) {
  const probe = html("span", { hidden: true });
  probe.style.color = colour;
  if (!probe.style.color) return null;
  root.append(probe);
  // Browsers keep the notation of colours such as oklch(97% 0.01 90), so a pixel tells what they look like.
  const context = new OffscreenCanvas(1, 1).getContext("2d");
  context.fillStyle = getComputedStyle(probe).color;
  probe.remove();
  context.fillRect(0, 0, 1, 1);
  const [red, green, blue] = context.getImageData(0, 0, 1, 1).data;
  return (0.299 * red + 0.587 * green + 0.114 * blue) / 255;
}
