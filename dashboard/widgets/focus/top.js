/*
 * Scroll to the top, once for every new visit of a page. If a page arrives in one piece, it takes the place of the last page
 * without ever being short, and so the browser would keep how far the last page was scrolled.
 */
const shown = new WeakMap();

export default function showTop({ data, parentElement }) {
  const { visit } = data ?? {};
  if (shown.get(parentElement) === visit) return undefined;
  shown.set(parentElement, visit);
  const part = parentElement.getRootNode().host ?? parentElement;
  for (let node = part; node; node = node.parentElement) node.scrollTop = 0;
  return undefined;
}
