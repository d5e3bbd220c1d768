/*
 * The theme: light or dark.
 */

/** Set the theme of a root element to that of the surrounding page, or else of the system. */
function updateTheme(root) {
  const background = getComputedStyle(root).getPropertyValue("--st-background-color").trim();
  root.toggleAttribute("data-hosted", background !== "");
  const shade = background ? colourBrightness(root, background) : null;
  const isDark = shade === null ? matchMedia("(prefers-color-scheme: dark)").matches : shade < 0.4;
  root.dataset.theme = isDark ? "dark" : "light";
}

/** Return the brightness of a CSS colour from 0 to 1; null if the browser does not know the colour. */
function colourBrightness(root, colour) {
  const probe = html("span", { hidden: true });
  probe.style.color = colour;
  root.append(probe);
  const [red, green, blue] = (getComputedStyle(probe).color.match(/^rgba?\(([^)]*)\)/)?.[1] ?? "").split(/[ ,/]+/).map(Number);
  probe.remove();
  return Number.isFinite(blue) ? (0.299 * red + 0.587 * green + 0.114 * blue) / 255 : null;
}
