/*
 * The page around a replay: its background and its font, and when they change, such as with the theme of a notebook.
 */

/** Return the colour of the nearest opaque background and the font around a node, or null while it is not shown. */
export function readSurroundings(node) {
  const background = backgroundBehind(node);
  return background && { background, font: getComputedStyle(node.parentElement).fontFamily };
}

/** Call a function when a node gets another size and when the theme of the page may have changed; return the end of it. */
export function watchSurroundings(node, call) {
  const sizes = new ResizeObserver(call); // also when the node is shown, which may be later
  sizes.observe(node);
  const themes = new MutationObserver(call);
  for (const root of [document.documentElement, document.body]) themes.observe(root, { attributes: true });
  return () => {
    sizes.disconnect();
    themes.disconnect();
  };
}

function backgroundBehind(node) {
  for (let at = node; at; at = at.parentElement ?? at.getRootNode().host) {
    const colour = getComputedStyle(at).backgroundColor;
    if (colour && !/^(transparent|rgba\(.*, 0(\.\d+)?\)|.* \/ 0(\.\d+)?%?\))$/.test(colour)) return colour;
  }
  return null;
}
