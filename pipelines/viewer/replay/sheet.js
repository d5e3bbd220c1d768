/*
 * The sheet of an answer, which the server has written as HTML by its templates. This is the only place at which HTML enters a board.
 */

const FORBIDDEN_TAGS = "a, animate, animateMotion, animateTransform, base, embed, form, foreignObject, frame, frameset, iframe, image, img, input, link, math, meta, object, script, set, style, template, use, video, audio, source, textarea";
const FORBIDDEN_ATTRIBUTE = /^(on.*|style|href|xlink:href|src|srcset|srcdoc|action|formaction|background|poster|ping)$/i;

/**
 * Parse the HTML of a sheet without anything that could run or load something: sheets have none of it, whatever their texts are.
 * @param {string} text
 * @returns {Element | null} the section of the sheet, or null
 */
export function parseSheet(text) {
  const parsed = new DOMParser().parseFromString(text, "text/html");
  for (const node of parsed.querySelectorAll(FORBIDDEN_TAGS)) node.remove();
  for (const node of parsed.querySelectorAll("*")) {
    for (const name of node.getAttributeNames()) if (FORBIDDEN_ATTRIBUTE.test(name)) node.removeAttribute(name);
  }
  const section = parsed.querySelector("section.sheet");
  return section && document.importNode(section, true);
}

/** Put elements into a place in which former ones may stand; what was opened stays open. */
export function replaceOpened(place, ...elements) {
  const wasOpen = [...place.querySelectorAll("details")].map((node) => node.open);
  place.replaceChildren(...elements);
  [...place.querySelectorAll("details")].forEach((node, index) => { node.open = wasOpen[index] ?? node.open; });
}
