/*
 * Light or dark.
 */

/** Light or dark: as the surrounding page is, else as the system is. */
function markTheme(root) {
  const around = getComputedStyle(root).getPropertyValue("--st-background-color").trim();
  root.toggleAttribute("data-hosted", around !== "");
  const shade = around ? brightness(root, around) : null;
  const isDark = shade === null ? matchMedia("(prefers-color-scheme: dark)").matches : shade < 0.4;
  root.dataset.theme = isDark ? "dark" : "light";
}

/** Brightness of a CSS colour from 0 to 1; null if it cannot be told. */
function brightness(root, colour) {
  const probe = html("span", { hidden: true });
  probe.style.color = colour;
  root.append(probe);
  const [red, green, blue] = (getComputedStyle(probe).color.match(/^rgba?\(([^)]*)\)/)?.[1] ?? "").split(/[ ,/]+/).map(Number);
  probe.remove();
  return Number.isFinite(blue) ? (0.299 * red + 0.587 * green + 0.114 * blue) / 255 : null;
}
